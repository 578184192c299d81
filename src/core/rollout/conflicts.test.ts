import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findConflicts } from './conflicts.ts';
import { parseRollouts } from './rollouts.ts';

/** Patterns, one a line from line 2 on; the names given or undefined; and each conflict as `line code: what the message holds`. */
const rows: readonly (readonly [
  patterns: string,
  names: string | undefined,
  ...expected: [at: string, holds: string][],
])[] = [
  ['team-.*-x team-b.*x', undefined, ['3 pattern-tie', '"team-b-x"']],
  ['team-.*-x team-b.*x', 'team-c-x team-bx'],
  ['team-.*-x team-b.*x', 'team-b-x team-b-2-x', ['3 pattern-tie', '"team-b-x" and 1 more']],
  ['Production', undefined, ['2 pattern-matches-nothing', '"Production"']],
  ['QA-.* team_a', undefined, ['2 pattern-matches-nothing', 'QA'], ['3 pattern-matches-nothing', 'team_a']],
  ['-.* a{64} a{63}', undefined, ['2 pattern-matches-nothing', '-.*'], ['3 pattern-matches-nothing', 'a{64}']],
  ['istio-e2e istio-e2e.*', undefined, ['2 pin-beaten', '"istio-e2e.*" (line 3)']],
  ['a.* .*[a-z0-9-]+', undefined, ['2 pattern-never-wins', '".*[a-z0-9-]+" (line 3)']],
  ['[ab] a{1,1} (?:b){1}', undefined, ['2 pattern-never-wins', '(line 3) and "(?:b){1}" (line 4)']],
  ['pay pay-.* .*-eu api|web', undefined],
];
for (const [patterns, names, ...expected] of rows) {
  test(`conflicts of ${patterns} among ${names ?? 'all names'}: ${expected.map(([at]) => at).join(', ')}`, () => {
    const text = [
      'production: {1-2: 100}',
      ...patterns.split(' ').map((key) => `${JSON.stringify(key)}: {1-2: 100}`),
    ].join('\n');
    const rollouts = parseRollouts(text);
    assert.ok(rollouts.kind === 'valid', JSON.stringify(rollouts.problems));
    const found = findConflicts(rollouts.value, names?.split(' '));
    assert.deepEqual(
      found.map(({ line, code }) => `${line} ${code}`),
      expected.map(([at]) => at),
    );
    for (const [index, [, holds]] of expected.entries())
      assert.ok(found[index]?.message.includes(holds), found[index]?.message);
  });
}

test('conflicts: a longer pattern that takes the shared names resolves the tie', () => {
  const rollouts = parseRollouts(
    'production: {1-2: 100}\n"a.*b": {1-2: 100}\n"a.b*": {1-2: 100}\n"a[a-z0-9-]*": {1-2: 100}\n',
  );
  assert.ok(rollouts.kind === 'valid');
  assert.deepEqual(
    findConflicts(rollouts.value).map(({ code }) => code),
    ['pattern-never-wins', 'pattern-never-wins'],
  );
});

/** Many patterns, and what is said of them: the bound is counted, so the same everywhere. */
const many: readonly (readonly [title: string, key: (index: string) => string, codes: readonly string[]])[] = [
  ['plain names', (index) => `n${index}`, []],
  ['expressions that begin differently', (index) => `team-${index}-.*`, []],
  ['expressions that end differently', (index) => `.*-${index}`, []],
  ['expressions that all tie', (index) => `.*x${index}.*`, ['pattern-tie', 'patterns-unchecked']],
  ['large expressions', (index) => `[a-z]{0,30}[ab]{0,30}${index}[a-z]{0,300}[ab]{0,30}`, ['patterns-unchecked']],
];
for (const [title, key, codes] of many) {
  test(`conflicts of 400 patterns: ${title}: ${codes.join(', ')}`, () => {
    const keys = Array.from({ length: 400 }, (_, index) => key(String(index).padStart(4, '0')));
    const rollouts = parseRollouts(`production: {1-2: 100}\n${keys.map((one) => `"${one}": {1-2: 100}\n`).join('')}`);
    assert.ok(rollouts.kind === 'valid', JSON.stringify(rollouts.problems));
    const found = findConflicts(rollouts.value);
    assert.deepEqual([...new Set(found.map(({ code }) => code))], codes);
    assert.ok(found.length <= 101, String(found.length));
  });
}
