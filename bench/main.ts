// `npm run bench [NAME…]`: runs the suites of this folder, or those named, and prints one Markdown table each. A suite is a
// module with `title` and `run(): Row[]` (or a promise of them). The exit status is 1 where a median misses its goal.
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { Row } from './measure.ts';

interface Suite {
  readonly title: string;
  readonly run: () => Row[] | Promise<Row[]>;
}

const { positionals } = parseArgs({ allowPositionals: true });
const folder = new URL('./', import.meta.url);
const suites = readdirSync(folder).filter(
  (file) =>
    file.endsWith('.ts') && /^export (?:async )?function run\(/m.test(readFileSync(new URL(file, folder), 'utf8')),
);
const wanted = positionals.length === 0 ? suites : positionals.map((name) => `${name}.ts`);
const strangers = wanted.filter((file) => !suites.includes(file));
if (strangers.length > 0) {
  process.stderr.write(`no such suite: ${strangers.join(', ')}; there are ${suites.join(', ')}\n`);
  process.exit(2);
}
process.stdout.write(`Node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores\n`);
for (const file of wanted) await print(file);

async function print(file: string): Promise<void> {
  const { title, run } = (await import(new URL(file, folder).href)) as Suite;
  const rows = await run();
  process.stdout.write(`\n## ${title}\n\n| what | first run | median | goal |\n|---|---|---|---|\n`);
  for (const row of rows) {
    const { text, missed } = goalOf(row);
    if (missed) process.exitCode = 1;
    process.stdout.write(
      `| ${row.name} | ${told(row.coldMs, row)} | ${told(row.medianMs, row)} | ${text}${missed ? ' (missed)' : ''} |\n`,
    );
  }
}

/** The goal of a row, and whether its median misses it. */
function goalOf(row: Row): { readonly text: string; readonly missed: boolean } {
  const { medianMs, goalMs, ratio } = row;
  if (goalMs !== undefined) return { text: told(goalMs, row), missed: medianMs > goalMs };
  if (ratio === undefined) return { text: '', missed: false };
  const { times, goal } = ratio;
  return { text: `${times.toFixed(1)} times ours, at least ${goal}`, missed: times < goal };
}

function told(value: number, { unit = 'ms' }: Row): string {
  return `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`;
}
