// The host where something around it is broken: a log that nobody reads, errors that nobody catches, folders that let nothing in or out.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nodeHost } from './host.ts';

const host = nodeHost();
const folder = mkdtempSync(join(tmpdir(), 'mishaps-'));
after(() => rmSync(folder, { recursive: true }));
const bounded = { timeout: 120_000 };

/** Runs a script that has a host; gives its exit code and what it said before its first line was read, and after. */
async function run(
  script: string,
  closeAfterFirst: boolean,
): Promise<{ readonly code: number | null; readonly said: string }> {
  const source = `import { nodeHost } from ${JSON.stringify(new URL('./host.ts', import.meta.url).href)};\nconst host = nodeHost();\n${script}`;
  const args = ['--input-type=module', '-e', source];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], timeout: 60_000 });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += String(chunk);
    if (closeAfterFirst) child.stdout.destroy();
  });
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
  return { code, said };
}

test('nobody reads the log any more: the program goes on', bounded, async () => {
  const script = `let n = 0;
const timer = setInterval(() => { host.print('x'.repeat(100)); if (++n === 200) { clearInterval(timer); process.exitCode = 7; } }, 1);`;
  assert.equal((await run(script, true)).code, 7);
});

test('errors that nobody catches are told, and the program goes on', bounded, async () => {
  const script = `host.processes.onUnexpected((error) => host.print('told ' + error.message));
void Promise.reject(new Error('one'));
setTimeout(() => { setTimeout(() => host.print('lives'), 1); throw new Error('two'); }, 1);`;
  assert.deepEqual(await run(script, false), { code: 0, said: 'told one\ntold two\nlives\n' });
});

test('signals for other programs do nothing', bounded, async () => {
  const script = `host.processes.onTerminate(() => undefined);
process.kill(process.pid, 'SIGUSR2');
setTimeout(() => process.exit(7), 50);`;
  assert.equal((await run(script, false)).code, 7);
});

test('what cannot be written leaves nothing behind; what cannot be removed stays', () => {
  const path = join(folder, 'is-a-folder');
  mkdirSync(join(path, 'in-it'), { recursive: true });
  assert.match(host.files.write(path, 'text') ?? '', /is-a-folder: .*Error/);
  host.files.remove(path);
  assert.deepEqual(readdirSync(folder), ['is-a-folder']);
});

test('a program that takes too long is killed with all that it started', bounded, async () => {
  const started = join(folder, 'started');
  const script = `sleep 300 & echo $! > ${started}; wait`;
  const { status } = await host.processes.run('sh', ['-c', script], '', 500);
  assert.notEqual(status, 0);
  const pid = Number(readFileSync(started, 'utf8'));
  while (host.processes.startTicks(pid) !== undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  rmSync(started);
});
