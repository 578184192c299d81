// docs/how-to/drain.md claims nothing that is not shown, and what is measured is what it claims: each row names tests that exist or cells that are measured, each cell is
// named, and the page of measurements has a row for each cell, without a loss where Fairway is whole.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { allCells, cellName, profileOf, worstCells } from '../mesh/support/cells.ts';

const root = join(import.meta.dirname, '../..');
const guide = readFileSync(join(root, 'docs/how-to/drain.md'), 'utf8');
const measured = readFileSync(join(root, 'docs/reference/drain-measured.md'), 'utf8');
const cells = allCells.map(cellName);
/** Titles of tests, as they are in the sources: literally, or with what a template puts in. */
const titles = globSync(['test/envoy/*.test.ts', 'src/core/proxy/*.test.ts'], { cwd: root }).flatMap((file) =>
  readFileSync(join(root, file), 'utf8')
    .split('\n')
    .map((line) => line.trim().replace(/^test\(/, ''))
    .filter((line) => /^['"`]/.test(line)),
);

/** Of all tables, without their heads. */
function rowsOf(page: string): readonly (readonly string[])[] {
  const lines = page.split('\n');
  return lines
    .filter((line, i) => line.startsWith('| ') && !(lines[i + 1] ?? '').startsWith('|---'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((each) => each.trim()),
    );
}

function proofsOf(row: readonly string[]): readonly string[] {
  return [...(row.at(-1) ?? '').matchAll(/`([^`]+)`/g)].map(([, proof = '']) => proof);
}

for (const row of rowsOf(guide))
  test(`shown: ${row[0]}`, () => {
    const proofs = proofsOf(row);
    assert.notEqual(proofs.length, 0, 'names no proof');
    const missing = proofs.filter((proof) => !cells.includes(proof) && !titles.some((title) => title.includes(proof)));
    assert.deepEqual(missing, []);
  });

test('the guide speaks of each cell', () => {
  const named = new Set(rowsOf(guide).flatMap(proofsOf));
  assert.deepEqual(
    cells.filter((cell) => !named.has(cell)),
    [],
  );
});

test('the page of measurements has each cell, and Fairway lost nothing in it', () => {
  const rows = rowsOf(measured);
  const wanted = allCells.map((cell) => [
    `\`${cell.application}\`: ${profileOf(cell.application).words}`,
    cell.sidecar,
  ]);
  assert.deepEqual(
    rows.map((row) => row.slice(0, 2)),
    wanted,
  );
  for (const row of rows) assert.match(row.at(-1) ?? '', /^0 of [1-9]\d{2,}$/, row.slice(0, 2).join(', '));
});

test('the worst cells were rolled out often, without a loss', () => {
  for (const { application, sidecar } of worstCells) {
    const line = measured.split('\n').find((each) => each.startsWith(`- \`${application}\`, ${sidecar}: `)) ?? '';
    assert.match(line, /: 0 of [1-9]\d+ in [1-9]\d* roll-outs/);
  }
});
