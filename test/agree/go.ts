// The real Go beside our interpreter: builds the program of ./gotemplate once a run and asks it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

export interface Job {
  readonly template?: string;
  readonly data?: unknown;
  readonly missingKey?: string;
  readonly sprig?: boolean;
  readonly yaml?: string;
}

export interface Answer {
  readonly out: string;
  readonly error?: string;
}

const folder = mkdtempSync(join(tmpdir(), 'fairway-gotemplate-'));
after(() => rmSync(folder, { recursive: true }));
let program: string | undefined;

/** What Go answers to each job. */
export function ask(jobs: readonly Job[]): readonly Answer[] {
  program ??= build();
  const input = jobs.map((job) => `${JSON.stringify(job)}\n`).join('');
  const run = spawnSync(program, { input, encoding: 'utf8', maxBuffer: 1 << 30 });
  if (run.status !== 0) throw new Error(`the Go program failed: ${run.stderr}`);
  return run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

function build(): string {
  const file = join(folder, 'gotemplate');
  const made = spawnSync('go', ['build', '-o', file, '.'], {
    cwd: join(import.meta.dirname, 'gotemplate'),
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`go build failed: ${made.stderr || made.error?.message}`);
  return file;
}
