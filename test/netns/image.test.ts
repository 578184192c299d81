// The files of the proxy image as process 1 of a PID namespace, in a root folder that holds them, a shell and the libraries that they are linked
// with. Envoy is a script: what matters is who reaps, who hears a signal, and which status is left with.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { buildImageFiles } from '../../scripts/build-image.ts';
import { until } from '../envoy/scene.ts';
import { withLibraries } from '../rig/root-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'image-'));
const root = join(folder, 'root');
after(() => rmSync(folder, { recursive: true }));
before(() => {
  buildImageFiles('amd64', root);
  for (const name of readdirSync(join(root, 'usr/local/bin')))
    withLibraries(root, join(root, 'usr/local/bin', name), join('usr/local/bin', name));
  for (const program of ['/bin/sh', '/bin/sleep']) withLibraries(root, program);
  for (const name of ['proc', 'dev', 'tmp', 'etc/istio/proxy']) mkdirSync(join(root, name), { recursive: true });
});

/** Five grandchildren whose parent is gone, a word that they were made, then as told. */
const envoy = (end: string): string => `#!/bin/sh
for i in 1 2 3 4 5; do ( sleep 0 & ); done
echo yes > /made
${end}
`;
const entrypoint = /^ENTRYPOINT (\[.*\])$/m;
const dockerfile = readFileSync(new URL('../../deploy/image/Dockerfile', import.meta.url), 'utf8');
const command = JSON.parse(entrypoint.exec(dockerfile)?.[1] ?? '[]') as readonly string[];
const config = {
  customConfigFile: '/dev/null',
  binaryPath: '/usr/local/bin/envoy',
  configPath: '/etc/istio/proxy',
  statusPort: 0,
  terminationDrainDuration: '0s',
};

interface Pod {
  readonly first: () => number;
  readonly ended: Promise<number | null>;
}

/** Runs a command as process 1, with `proxy sidecar` as an injected container has it. */
function pod(t: TestContext, first: readonly string[], end: string): Pod {
  rmSync(join(root, 'made'), { force: true });
  writeFileSync(join(root, 'usr/local/bin/envoy'), envoy(end), { mode: 0o755 });
  const script = `mount --rbind /dev ${root}/dev && mount -t proc proc ${root}/proc && exec chroot ${root} "$@"`;
  const args = ['--pid', '--mount', '--fork', '--kill-child', 'sh', '-c', script, 'sh', ...first, 'proxy', 'sidecar'];
  const env = { PATH: process.env['PATH'], PROXY_CONFIG: JSON.stringify(config), FILE_MOUNTED_CERTS: 'true' };
  const child = spawn('unshare', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { first: () => childrenOf(child.pid ?? 0)[0] ?? 0, ended };
}

function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function zombiesOf(pid: number): number {
  return childrenOf(pid).filter((child) => stateOf(child) === 'Z').length;
}

function stateOf(pid: number): string {
  try {
    return /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
}

const made = (): boolean => existsSync(join(root, 'made'));
const bounded = { timeout: 120_000 };

test("orphans are reaped by the image's process 1, as they are not by the agent alone", bounded, async (t) => {
  const without = pod(t, ['/usr/local/bin/pilot-agent'], 'exec sleep 1000');
  await until('five zombies', () => zombiesOf(without.first()) === 5, 60_000);
  process.kill(without.first(), 'SIGKILL');
  await without.ended;
  const { first } = pod(t, command, 'exec sleep 1000');
  await until('orphans', made, 60_000);
  await until(
    'no zombies, and the agent lives',
    () => childrenOf(first()).length === 1 && zombiesOf(first()) === 0,
    60_000,
  );
});

for (const [end, status] of [
  ['exit 3', 3],
  ['kill -SEGV $$', 139],
] as const) {
  test(`Envoy ends by itself (${end}): the container leaves with ${status}`, bounded, async (t) => {
    assert.equal(await pod(t, command, end).ended, status);
  });
}

test('SIGTERM for process 1 reaches the agent, which ends Envoy and leaves with 0', bounded, async (t) => {
  const { first, ended } = pod(t, command, "trap 'exit 9' TERM\necho yes > /trapped\nwhile :; do sleep 0.05; done");
  await until('Envoy', () => existsSync(join(root, 'trapped')), 60_000);
  process.kill(first(), 'SIGTERM');
  assert.equal(await ended, 0);
});

test('the agent is killed: the namespace ends with it, and Envoy too', bounded, async (t) => {
  const { first, ended } = pod(t, command, 'exec sleep 1000');
  await until('Envoy', made, 60_000);
  const [agent = 0] = childrenOf(first());
  await until('Envoy is its child', () => childrenOf(agent).length === 1, 60_000);
  const [envoyPid = 0] = childrenOf(agent);
  process.kill(agent, 'SIGKILL');
  assert.equal(await ended, 137);
  assert.equal(stateOf(envoyPid), '');
});
