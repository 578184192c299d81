import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCore } from './core.ts';
import { checkDocumented } from './documented.ts';
import { checkDocuments } from './documents.ts';
import type { Check } from './files.ts';
import { checkFolders } from './folders.ts';
import { checkSizes } from './sizes.ts';
import { checkTests } from './tests.ts';

const readme = '# A\n\nTouch: open — change it freely.\n';
const longFunction = `export function f() {\n${'  g();\n'.repeat(70)}}\n`;

const rows: readonly (readonly [check: Check, path: string, text: string, rule: string])[] = [
  [checkFolders, 'src/a/b.ts', '', 'readme'],
  [checkFolders, 'src/a/README.md', '# A\n', 'readme'],
  [checkFolders, 'src/a/README.md', readme + 'x\n'.repeat(30), 'readme'],
  [checkFolders, 'src/utils.ts', '', 'name'],
  [checkCore, 'src/core/a.ts', 'export const a = Date.now();', 'core'],
  [checkCore, 'src/core/a.ts', 'export const a = Math.random();', 'core'],
  [checkCore, 'src/core/a.ts', 'export async function a() {}', 'core'],
  [checkCore, 'src/core/a.ts', "export const a = 'b'.localeCompare('c');", 'core'],
  [checkSizes, 'src/a.ts', 'a();\n'.repeat(501), 'size'],
  [checkSizes, 'src/a.ts', longFunction, 'size'],
  [checkTests, 'src/a.test.ts', "test.only('x', f);", 'test'],
  [checkTests, 'src/a.test.ts', "test('x', { skip: true }, f);", 'test'],
  [checkTests, 'test/a.ts', 't.skip();', 'test'],
  [checkDocuments, 'docs/a.md', '# A\n# B\n', 'title'],
  [checkDocuments, 'docs/a.md', 'no title\n', 'title'],
  [checkDocuments, 'docs/a.md', '# A\n[x](no-such-file.md)\n', 'link'],
  [checkDocumented, 'src/cli/run.ts', "name: 'undocumented'", 'command'],
  [checkDocumented, 'src/a.ts', "code: 'no-such-code'", 'code'],
  [checkDocumented, 'src/a.ts', "name: 'fairway_unknown_total'", 'metric'],
];
for (const [check, path, text, rule] of rows) {
  test(`tidy: ${rule} is found in ${path}: ${JSON.stringify(text.slice(0, 40))}`, () => {
    const found = check([{ path, text }]);
    assert.ok(
      found.some((finding) => finding.rule === rule),
      JSON.stringify(found),
    );
  });
}

test('tidy: names in comments and strings of core are no calls', () => {
  assert.deepEqual(
    checkCore([{ path: 'src/core/a.ts', text: "// no Date.now here\nexport const a = 'await Math.random';\n" }]),
    [],
  );
});

test('tidy: code blocks hold neither titles nor links', () => {
  assert.deepEqual(
    checkDocuments([{ path: 'docs/a.md', text: '# A\n```\n# b\n[x](nowhere)\n```\n`[y](nowhere)`\n' }]),
    [],
  );
});
