// Every row of the shared case tables of the Pod lifecycle is a passing test of the engine: the ids are read from the file, the
// tests of src/core/pod are run, and the ids in their names are compared. What is left out is listed here, with the reason.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { sharedPath } from './shared.ts';

/** Sections and rows of controllers, which the fleet simulator has. */
const leftOut: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/^CP-D\//, 'deployments: the fleet simulator'],
  [/^CP-V\//, 'evictions and disruption budgets: the fleet simulator'],
  [/^EE4[5-9]$/, 'taints: the fleet simulator'],
];

const rows = rowIds(readFileSync(sharedPath('spec/pod-lifecycle-cases.md'), 'utf8'));
const expected = rows.filter((id) => !leftOut.some(([pattern]) => pattern.test(id)));
let named: ReadonlySet<string> = new Set();

before(() => {
  const run = spawnSync(
    process.execPath,
    ['--test', '--test-isolation=none', '--test-reporter=tap', ...globSync('src/core/pod/**/*.test.ts').sort()],
    { encoding: 'utf8', maxBuffer: 2 ** 28, env: { ...process.env, NODE_TEST_CONTEXT: undefined } },
  );
  assert.equal(
    run.status,
    0,
    run.stdout
      .split('\n')
      .filter((line) => line.startsWith('not ok'))
      .join('\n'),
  );
  const passed = run.stdout.match(/^ *ok \d+ - .*$/gm) ?? [];
  named = new Set(
    passed.flatMap((line) => line.match(/[A-Z]{2}(?:-[A-Z])?\/[A-Z]+\d+|\b[A-Z]{2}\d+\b|\bh-[a-z0-9-]+/g) ?? []),
  );
});

test('the tables are read', () => {
  assert.ok(rows.length > 400, String(rows.length));
  for (const id of ['PH-A/A1', 'PH-S/S27', 'CS14', 'RD-H/H4', 'LC83', 'EE56', 'CP-D/D40', 'VA-R/R49', 'SM-X/X9']) {
    assert.ok(rows.includes(id), id);
  }
});

test('every row that is not left out has a passing test', (context) => {
  const missing = expected.filter((id) => !named.has(id));
  context.diagnostic(
    `${expected.length - missing.length} of ${rows.length} rows, ${rows.length - expected.length} left out`,
  );
  assert.deepEqual(missing, []);
});

test('every case h-* has a passing test', () => {
  const cases = readdirSync(sharedPath('cases')).filter((name) => name.startsWith('h-'));
  assert.deepEqual(
    cases.filter((name) => !named.has(name)),
    [],
  );
});

/** Ids with their section, `CA-S/S8`; a row whose id begins with its section's letters stands alone, `CS14`. */
function rowIds(text: string): readonly string[] {
  const found = new Set<string>();
  let sections: readonly string[] = [];
  let columns: readonly number[] = [];
  for (const line of text.split('\n')) {
    const heading = /^##+ ((?:[A-Z]{2}(?:-[A-Z])?)(?: \/ [A-Z]{2}-[A-Z])*)\b/.exec(line);
    if (heading !== null) [sections, columns] = [heading[1]!.split(' / '), []];
    const cells = line.startsWith('|') ? line.split('|').map((cell) => cell.trim()) : [];
    if (cells.includes('id')) columns = cells.flatMap((cell, index) => (cell === 'id' ? [index] : []));
    const ids = cells.length > 0 ? idsOfRow(cells, columns) : idsOfProse(line);
    for (const id of ids) for (const full of fullIds(id, sections)) found.add(full);
  }
  return [...found];
}

/** A table with columns for ids has them there; the first one has them before the phase in its cells. */
function idsOfRow(cells: readonly string[], columns: readonly number[]): readonly string[] {
  if (columns.length > 0) return columns.flatMap((column) => idsOfCell(cells[column] ?? ''));
  return cells.flatMap((cell) => /^(?:term: )?([A-Z]\d+) [A-Z]/.exec(cell)?.[1] ?? []);
}

/** `S1–S6`, `I1 / I8`, `VA13, 14`. */
function idsOfCell(cell: string): readonly string[] {
  if (!/^[A-Z]+\d/.test(cell)) return [];
  const letters = /^[A-Z]+/.exec(cell)![0];
  return cell.split(/, | \/ /).flatMap((part) => {
    const [from = 0, to = from] = part.split('–').map((each) => Number(each.replace(/^[A-Z]+/, '')));
    return range(letters, from, to);
  });
}

/** `(W1…W5)`, `ids RD-I1…I8`, `(R17–19)`, `(S5)`. */
function idsOfProse(line: string): readonly string[] {
  const ranges = [...line.matchAll(/\b([A-Z])(\d+)[…–][A-Z]?(\d+)\b/g)];
  const single = [...line.matchAll(/\(([A-Z]\d+)\)/g)];
  return [
    ...ranges.flatMap(([, letters = '', from, to]) => range(letters, Number(from), Number(to))),
    ...single.map(([, id = '']) => id),
  ];
}

function range(letters: string, from: number, to: number): readonly string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `${letters}${from + index}`);
}

function fullIds(id: string, sections: readonly string[]): readonly string[] {
  const letters = /^[A-Z]+/.exec(id)![0];
  if (sections.includes(letters)) return [id];
  return sections
    .filter((section) => section.includes('-') && (sections.length === 1 || section.endsWith(letters)))
    .map((section) => `${section}/${id}`);
}
