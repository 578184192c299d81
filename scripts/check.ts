// Every gate that needs no cluster, one line each: `npm run check` runs all, `npm run check -- NAME…` some.
// A gate is a command; it passes with exit status 0. What a failing gate printed follows its line.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

interface Gate {
  readonly name: string;
  readonly command: readonly [tool: string, ...args: string[]];
}

const gates: readonly Gate[] = [
  { name: 'format', command: ['biome', 'check', '--error-on-warnings', '.'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'types', command: ['tsc', '-p', 'tsconfig.json'] },
  { name: 'types of core', command: ['tsc', '-p', 'tsconfig.core.json'] },
  { name: 'arrows', command: ['depcruise', 'src', '--config', '.dependency-cruiser.mjs', '--output-type', 'err'] },
  { name: 'dead code', command: ['knip', '--no-progress'] },
  { name: 'tidy', command: ['node', 'scripts/tidy.ts'] },
  { name: 'unit tests', command: ['node', 'scripts/test.ts'] },
];

const wanted = process.argv.slice(2);
const chosen = wanted.length === 0 ? gates : gates.filter((gate) => wanted.includes(gate.name));
if (chosen.length === 0) {
  process.stderr.write(`no such gate; there are: ${gates.map((gate) => gate.name).join(', ')}\n`);
  process.exit(2);
}
const queue = [...chosen];
const failed: string[] = [];
await Promise.all(Array.from({ length: availableParallelism() }, work));
if (failed.length > 0) {
  process.stderr.write(`failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}

async function work(): Promise<void> {
  for (let gate = queue.shift(); gate !== undefined; gate = queue.shift()) await run(gate);
}

async function run(gate: Gate): Promise<void> {
  const started = performance.now();
  const { status, output } = await outcome(gate.command);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${status === 0 ? 'ok  ' : 'FAIL'} ${gate.name} (${seconds} s)\n`);
  if (status !== 0) failed.push(gate.name);
  if (status !== 0 || gate.name === 'unit tests') process.stdout.write(output);
}

function outcome([tool, ...args]: Gate['command']): Promise<{ status: number; output: string }> {
  const command = tool === 'node' ? process.execPath : join('node_modules', '.bin', tool);
  const { promise, resolve } = Promise.withResolvers<{ status: number; output: string }>();
  const chunks: Buffer[] = [];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('error', (error) => resolve({ status: 70, output: `${error.message}\n` }));
  child.on('close', (code) => resolve({ status: code ?? 70, output: Buffer.concat(chunks).toString('utf8') }));
  return promise;
}
