// What systemd does with the unit of deploy/vm, on a control group of this test: whatever ends the agent, its Envoy is in the group, and what
// is in the group is killed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { agentSource, until } from '../envoy/scene.ts';

const unit = readFileSync(new URL('../../deploy/vm/fairway-agent.service', import.meta.url), 'utf8');
/** The hierarchy of systemd where version 1 is mounted, the only one of version 2. */
const hierarchy = ['/sys/fs/cgroup/systemd', '/sys/fs/cgroup/pids', '/sys/fs/cgroup'].find((folder) =>
  existsSync(join(folder, 'cgroup.procs')),
);

test('the agent is killed: its Envoy is in the control group, which ends it', { timeout: 60_000 }, async (t) => {
  assert.match(unit, /^KillMode=mixed$/m);
  assert.ok(hierarchy !== undefined, 'no control groups on this machine');
  const group = join(hierarchy, `fairway-${process.pid}`);
  const folder = mkdtempSync(join(tmpdir(), 'cgroup-'));
  mkdirSync(group);
  const members = (): number[] =>
    readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);
  const killAll = async (): Promise<void> => {
    for (const pid of members()) process.kill(pid, 'SIGKILL');
    await until('an empty group', () => members().length === 0, 30_000);
  };
  t.after(async () => {
    await killAll();
    rmdirSync(group);
    rmSync(folder, { recursive: true });
  });
  const script = `echo $$ > ${group}/cgroup.procs && exec ${process.execPath} ${agentSource} proxy sidecar`;
  const stub = join(folder, 'envoy');
  writeFileSync(stub, '#!/bin/sh\nexec sleep 1000\n', { mode: 0o755 });
  const config = { customConfigFile: '/dev/null', binaryPath: stub, configPath: folder, statusPort: 0 };
  const env = { PATH: process.env['PATH'], PROXY_CONFIG: JSON.stringify(config), FILE_MOUNTED_CERTS: 'true' };
  const agent = spawn('sh', ['-c', script], { cwd: folder, env, stdio: 'ignore' });
  const ended = new Promise((resolve) => agent.on('exit', resolve));
  await until(
    'agent and Envoy in the group',
    () => members().length === 2 && existsSync(join(folder, 'envoy.pid')),
    30_000,
  );
  const { pid } = JSON.parse(readFileSync(join(folder, 'envoy.pid'), 'utf8')) as { readonly pid: number };
  agent.kill('SIGKILL');
  await ended;
  assert.deepEqual(members(), [pid], 'Envoy outlives its agent, inside the group');
  await killAll();
});
