// Runs docs/how-to/try-admission.md, block by block, against a real API server. Where the page waits for pods, this suite plays the kubelet: it runs
// the bundle with the arguments that the Deployment asks for, and says of its pods that they are ready.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { applyInjectorTexts } from './install.ts';
import { environment, kubectl, newNamespace, until } from './kube.ts';
import { leadTo, startProgram, stopReplicas } from './replica.ts';
import { type Stage, stageUp } from './stage.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'fairway-try-'));
const file = (...names: readonly string[]): string => join(work, ...names);
const revision = '1-26-0';

let stage: Stage | undefined;
let program = '';
before(async () => {
  program = buildImage();
  mkdirSync(file('bin'));
  writeFileSync(file('bin', 'fairway'), `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`, { mode: 0o755 });
  writeFileSync(file('rollouts.yml'), `production: {${revision}: 100}\n`);
  stage = await stageUp(revision);
  applyInjectorTexts(revision);
  await newNamespace('shop');
});
after(async () => {
  await stage?.end();
  rmSync(work, { recursive: true, force: true });
});

/** What the Dockerfile makes, as a folder: copies what it copies; the path of its entry point there. */
function buildImage(): string {
  const built = spawnSync(process.execPath, ['scripts/build.ts', file('dist')], { cwd: root, encoding: 'utf8' });
  assert.equal(built.status, 0, built.stderr);
  const lines = readFileSync(join(root, 'deploy/command-image/Dockerfile'), 'utf8').trim().split('\n').slice(1);
  const instructions = lines.map((line) => line.split(/ (.*)/, 2) as [name: string, argument: string]);
  const argument = (name: string): string => instructions.find(([each]) => each === name)?.[1] ?? '';
  const names = new Set(instructions.map(([name]) => name));
  assert.deepEqual([...names], ['FROM', 'COPY', 'USER', 'ENTRYPOINT']);
  assert.match(argument('FROM'), /^node:\d+-slim$/);
  for (const [name, copied] of instructions) {
    const [from = '', to = ''] = copied.split(' ');
    if (name === 'COPY') cpSync(file(from), file('image', to), { recursive: true });
  }
  const [command, entry = ''] = JSON.parse(argument('ENTRYPOINT')) as readonly string[];
  assert.deepEqual([command, argument('USER')], ['node', '65532:65532']);
  return file('image', entry);
}

const page = readFileSync(join(root, 'docs/how-to/try-admission.md'), 'utf8');
const blocks = [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, lines = '']) =>
  lines
    .trim()
    .split('\n')
    .map((line) => line.trim()),
);

interface Done {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One line of the page, in the folder with rollouts.yml. */
async function run(line: string): Promise<Done> {
  const env = { ...environment(), PATH: `${file('bin')}:${environment()['PATH']}` };
  const child = spawn('bash', ['-o', 'pipefail', '-c', line], { cwd: work, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ]);
  return { status, stdout, stderr };
}

async function runBlock(index: number): Promise<Done> {
  let last: Done = { status: null, stdout: '', stderr: '' };
  for (const line of blocks[index] ?? []) {
    const done = line.includes('rollout status') ? await asKubelet(run(line)) : run(line);
    last = await done;
    assert.equal(last.status, 0, `${line}\n${last.stdout}\n${last.stderr}`);
  }
  return last;
}

interface Objects {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

const inSystem = (...args: readonly string[]): string => kubectl(['-n', 'fairway-system', ...args]);

/** Runs what the Deployment asks for, and calls its pods ready until the roll-out is done. */
async function asKubelet(rollout: Promise<Done>): Promise<Promise<Done>> {
  const patch = JSON.stringify([{ op: 'remove', path: '/spec/selector' }]);
  inSystem('patch', 'service', 'fairway-admission', '--type=json', '-p', patch);
  const args = inSystem(
    'get',
    'deployment',
    'fairway-admission',
    '-o',
    'jsonpath={.spec.template.spec.containers[0].args}',
  );
  const asked = (JSON.parse(args) as string[]).filter((each) => !/^--(?:listen|metrics)=/.test(each));
  await stopReplicas();
  leadTo(await startProgram(program, asked));
  let finished = false;
  void rollout.finally(() => (finished = true));
  await until('the roll-out', () => {
    const pods = JSON.parse(inSystem('get', 'pods', '-o', 'json')) as Objects;
    for (const { metadata } of pods.items) makeReady(metadata.name);
    return finished;
  });
  return rollout;
}

function makeReady(name: string): void {
  const status = JSON.stringify({ status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } });
  const args = ['-n', 'fairway-system', 'patch', 'pod', name, '--subresource=status', '--type=merge', '-p', status];
  // It may have been replaced meanwhile.
  spawnSync('kubectl', args, { env: environment() });
}

/** The objects of Fairway, and what its server makes; without what the namespace controller has still to take away. */
function present(): string {
  const kinds =
    'clusterrole,clusterrolebinding,role,rolebinding,mutatingwebhookconfiguration,namespace,secret,lease,deployment,service';
  const names = kubectl([
    'get',
    kinds,
    '-A',
    '-o',
    'jsonpath={range .items[*]}{.kind} {.metadata.namespace}/{.metadata.name}{"\\n"}{end}',
  ]);
  return names
    .split('\n')
    .filter((name) => name.includes('fairway'))
    .join('\n');
}
const istiods = (): string =>
  kubectl([
    'get',
    'mutatingwebhookconfiguration',
    `istio-sidecar-injector-${revision}`,
    '-o',
    'jsonpath={.webhooks[*].namespaceSelector}{.metadata.annotations}',
  ]);

test('every block of the page, from the first look to the last trace', async () => {
  assert.equal(blocks.length, 6);
  const [before_, selectors] = [present(), istiods()];
  assert.equal(before_, '');
  await runBlock(0);
  await runBlock(1);
  const bundled = 'jsonpath={.webhooks[*].clientConfig.caBundle}';
  await until(
    'the root',
    () => kubectl(['get', 'mutatingwebhookconfiguration', 'fairway-1-krispr', '-o', bundled]) !== '',
  );
  assert.doesNotMatch((await runBlock(2)).stdout, /krispr-missing|krispr-silent|order-broken|ca-bundle/);
  const [server = '', wait = '', webhooks = '', take = ''] = blocks[3] ?? [];
  for (const line of [server, wait, webhooks]) {
    const done = line === wait ? await asKubelet(run(line)) : run(line);
    assert.equal((await done).status, 0, line);
  }
  await until('the place of istiod', async () => (await run(take)).status === 0);
  assert.notEqual(istiods(), selectors);
  assert.doesNotMatch((await run('fairway doctor --config .')).stdout, /order-broken|double-injection/);
  await runBlock(4);
  assert.equal(istiods(), selectors);
  await runBlock(5);
  await stopReplicas();
  await until('no trace', () => present() === '').catch(() => assert.equal(present(), ''));
});
