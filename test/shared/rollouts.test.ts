// The e-* cases of the shared material, through the command line: the tables of each expect.md, row by row.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { capture } from '../../src/cli/capture.ts';
import { compilePattern } from '../../src/core/pattern/index.ts';
import { readSharedJson, sharedPath } from './shared.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-shared-'));
after(() => rmSync(folder, { recursive: true }));

const caseFile = (path: string): string => sharedPath(join('cases', path));
const lines = (path: string): string[] =>
  readFileSync(caseFile(path), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

/** namespace → revision, `-` where it has none, by `fairway resolve`. */
async function resolved(rollouts: string, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await capture(['resolve', '--rollouts', rollouts, '-o', 'json'], { stdin: names.join('\n') });
  const { assignments } = JSON.parse(stdout) as { assignments: { namespace: string; revision?: string }[] };
  return new Map(assignments.map(({ namespace, revision = '-' }) => [namespace, revision]));
}

function written(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const anchoring: readonly (readonly [namespace: string, revision: string])[] = [
  ['pay', '1-24-5'],
  ['repay', '1-23-0'],
  ['pay-eu', '1-24-4'],
  ['prepay-eu', '1-22-9'],
  ['api', '1-24-3'],
  ['api-v2', '1-23-0'],
  ['myweb', '1-23-0'],
  ['web', '1-24-3'],
  ['infra', '1-24-2'],
  ['infra-2', '1-23-0'],
  ['team-a-dev', '1-24-1'],
  ['team-a-dev-2', '1-23-0'],
  ['job', '1-24-0'],
  ['jobs', '1-23-0'],
  ['jo', '1-24-0'],
  ['jobbb', '1-24-0'],
  ['production', '1-23-0'],
  ['production-eu', '1-22-9'],
  ['reproduction', '1-23-0'],
];

test('e-anchoring', async () => {
  const file = caseFile('e-anchoring/input.yml');
  const found = await resolved(
    file,
    anchoring.map(([name]) => name),
  );
  assert.deepEqual([...found], anchoring);
  const { stderr } = await capture(['validate', file]);
  assert.match(stderr, /:8:1: warning: "job\*" looks like a glob.*\n {2}hint: did you mean job\.\*\?/);
  const bare = written('bare.yml', 'pay: {1-24-5: 100}\n');
  const { code, stdout, stderr: refusal } = await capture(['resolve', '--rollouts', bare, 'web']);
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(refusal, /no bucket "production"/);
});

test('e-js-object-keys', async () => {
  const [first, second, third] = ['input.yml', 'input-2.yml', 'input-3.yml'].map((name) =>
    caseFile(`e-js-object-keys/${name}`),
  ) as [string, string, string];
  const special = ['constructor', 'prototype', 'valueof', 'hasownproperty', 'proto', '123'];
  const mixed = Array.from({ length: 100 }, (_, index) => `mix-${String(index).padStart(2, '0')}`);
  const [one, two, three] = [
    await resolved(first, [...special, ...mixed]),
    await resolved(second, [...special, ...mixed]),
    await resolved(third, special),
  ];
  assert.deepEqual([one.get('constructor'), one.get('123')], ['1-23-4', '1-22-0']);
  for (const name of special) assert.deepEqual([two.get(name), three.get(name)], ['1-24-5', '1-24-5'], name);
  for (const name of mixed) assert.equal(one.get(name), two.get(name), name);
  assert.equal(({} as Record<string, unknown>)['9-9-9'], undefined);
  assert.equal((await capture(['validate', third])).code, 2);
});

/** id, exit status of validate with a default bucket added where the text has none, what stderr says. */
const traps: readonly (readonly [id: string, line: number | 'ok', says?: RegExp])[] = [
  ['l01', 1, /starts a YAML alias[^]*quote the pattern, and in a regular expression write \.\*-qa/],
  ['l02', 'ok'],
  ['l03', 1, /quote the pattern/],
  ['l04', 1, /no blank after the colon/],
  ['l05', 3, /same column/],
  ['l06', 2, /spaces/],
  ['l07', 2, /U\+2013/],
  ['l08', 2, /leading zero/],
  ['l09', 2, /second document/],
  ['l10', 1, /empty/],
  ['l11', 1, /empty/],
  ['l12', 'ok'],
  ['l13', 'ok'],
  ['l14', 3, /merge keys are not supported/],
  ['l15', 3, /no namespace name matches "Production"/],
  ['l16', 'ok'],
  ['l17', 1, /a list/],
  ['l18', 2, /empty/],
  ['l19', 2, /"QA-\.\*"[^]*:3:1: [^]*"team_a"/],
  ['l20', 2, /missing closing \)/],
];
const trapTexts = new Map(
  (readSharedJson('cases/e-load-traps/input.json') as { id: string; text: string }[]).map(({ id, text }) => [id, text]),
);

for (const [id, line, says] of traps) {
  test(`e-load-traps ${id}`, async () => {
    const text = trapTexts.get(id) ?? '';
    const complete = line === 'ok' && !text.includes('production') ? `${text}production: {1-24-5: 100}\n` : text;
    const file = written(`${id}.yml`, complete);
    const { code, stdout, stderr } = await capture(['validate', file]);
    assert.equal(stdout, '');
    assert.equal(code, line === 'ok' ? 0 : 2, stderr);
    if (says !== undefined) assert.match(stderr, says);
    if (line !== 'ok') assert.ok(stderr.includes(`${file}:${line}:`), stderr);
  });
}

test('e-load-traps: what the accepted ones mean', async () => {
  const [bom, alias] = ['l12', 'l13'].map((id) =>
    written(`${id}.yml`, `${trapTexts.get(id)}${id === 'l13' ? 'production: {1-0-0: 100}\n' : ''}`),
  ) as [string, string];
  assert.deepEqual([...(await resolved(bom, ['web']))], [['web', '1-24-5']]);
  assert.deepEqual([...(await resolved(alias, ['base', 'qa', 'web'])).values()], ['1-24-5', '1-24-5', '1-0-0']);
});

test('e-overlap-tie', async () => {
  const twice = await capture(['validate', caseFile('e-overlap-tie/input.yml')]);
  assert.equal(twice.code, 2);
  assert.match(twice.stderr, /:5:1: error: "team-\.\*" of line 4 stands here a second time/);
  const text = readFileSync(caseFile('e-overlap-tie/input-2.yml'), 'utf8').trimEnd().split('\n');
  const names = lines('e-overlap-tie/names.txt');
  const expected = { 'team-b-x': '-', 'team-c-x': '1-24-5', 'team-bx': '1-23-4', 'team-zz': '1-22-0' };
  for (let turn = 0; turn < text.length; turn++) {
    const file = written('turned.yml', [...text.slice(turn), ...text.slice(0, turn)].join('\n'));
    assert.deepEqual(Object.fromEntries(await resolved(file, names)), expected);
    const { code, stderr } = await capture(['validate', file]);
    assert.equal(code, 2);
    for (const shown of ['"team-.*-x"', '"team-b.*x"', '"team-b-x"']) assert.ok(stderr.includes(shown), stderr);
  }
});

test('e-redos', async () => {
  const file = caseFile('e-redos/input.yml');
  const names = lines('e-redos/names.txt');
  const found = await resolved(file, names);
  assert.deepEqual(
    names.map((name) => found.get(name)),
    ['1-23-4', '1-24-5', '1-23-4', '1-24-5'],
  );
  const patterns = Array.from(readFileSync(file, 'utf8').matchAll(/^"(.*)":/gm), ([, text = '']) => text);
  assert.equal(patterns.length, 5);
  for (const text of patterns) {
    const compiled = compilePattern(text);
    assert.ok(compiled.kind === 'pattern');
    const { automaton } = compiled.pattern;
    for (const name of names)
      assert.equal(typeof automaton?.after(name), 'number', `${text}: one step a sign, within the bound of states`);
  }
  for (const bad of ['(a)\\1', 'a(?<=b)c', 'a(?=b).*', 'a'.repeat(1025)]) {
    const refused = await capture([
      'validate',
      written('bad.yml', `production: {1-0-0: 100}\n? ${JSON.stringify(bad)}\n: {1-0-0: 100}\n`),
    ]);
    assert.equal(refused.code, 2, bad);
  }
});

test('e-stability', async () => {
  const names = lines('e-stability/names.txt');
  const onNew = async (file: string): Promise<Set<string>> =>
    new Set([...(await resolved(file, names))].filter(([, revision]) => revision === '1-24-5').map(([name]) => name));
  const stages = await Promise.all(
    ['input.yml', 'input-2.yml', 'input-3.yml', 'input-4.yml'].map((name) => onNew(caseFile(`e-stability/${name}`))),
  );
  assert.deepEqual(
    stages.map(({ size }) => size),
    [0, 25, 102, 200],
  );
  for (const [index, stage] of stages.slice(1).entries())
    assert.ok(stages[index]?.isSubsetOf(stage), `stage ${index + 1}`);
  const third = readFileSync(caseFile('e-stability/input-3.yml'), 'utf8');
  const same = [
    third.replace('{"1-23-4": 50, "1-24-5": 50}', '{"1-24-5": 50, "1-23-4": 50}'),
    `${third}\n# a comment\n"other-.*":   {"1-24-5": 100}\n`,
    third.replace('shop-.*', 'shop-[0-9]+'),
  ];
  for (const [index, text] of same.entries())
    assert.deepEqual(await onNew(written(`same-${index}.yml`, text)), stages[2]);
  const next = written('next.yml', 'production: {"1-23-4": 100}\n"shop-.*": {"1-24-5": 90, "1-25-0": 10}\n');
  const after25 = new Set(
    [...(await resolved(next, names))].filter(([, revision]) => revision === '1-25-0').map(([name]) => name),
  );
  assert.deepEqual(after25, stages[1]);
  const { stderr } = await capture(['resolve', '--rollouts', caseFile('e-stability/input-2.yml')], {
    stdin: names.join('\n'),
  });
  assert.match(stderr, /shop-\.\*: 1-24-5 asks for 10 % and has 25 of 200 \(12\.5 %\)/);
});

const sums: readonly (readonly [row: string, line: number, says: RegExp | undefined])[] = [
  ['s01', 2, /sum to 66/],
  ['s02', 3, /sum to 99/],
  ['s03', 4, /sum to 101/],
  ['s04', 5, undefined],
  ['s05', 6, /-10 is negative/],
  ['s06', 7, /empty/],
  ['s07', 8, /text, not a number/],
  ['s08', 9, /text, not a number/],
  ['s09', 10, /not a number/],
  ['s10', 11, undefined],
  ['s11', 12, /missing/],
  ['s12', 13, /second time/],
  ['s13', 14, /sum to 100\.4/],
  ['s14', 15, /true is not a number/],
  ['s15', 16, /a list/],
  ['s16', 17, /empty/],
  ['s17', 18, /found 1-24-5/],
];

test('e-sum-not-100: one run reports every row', async () => {
  const { code, stdout, stderr } = await capture(['resolve', '--rollouts', caseFile('e-sum-not-100/input.yml'), 'web']);
  assert.deepEqual([code, stdout], [2, '']);
  const reported = stderr.split('\n').filter((text) => text.includes('error:'));
  for (const [row, line, says] of sums) {
    const about = reported.filter((text) => text.includes(`input.yml:${line}:`));
    assert.equal(about.length > 0, says !== undefined, row);
    if (says !== undefined)
      assert.ok(
        about.some((text) => says.test(text)),
        `${row}: ${about.join('\n')}`,
      );
  }
});

test('c-pod-rev-vs-namespace-rev: plan names the namespace whose label shadows the pods’', async () => {
  const [old, edited] = [
    written('old.yml', 'production: {1-23-4: 100}\n'),
    written('new.yml', 'production: {1-24-5: 100}\n'),
  ];
  const input = caseFile('c-pod-rev-vs-namespace-rev/input.yaml');
  const args = ['plan', '--from', old, '--to', edited, '--manifests', input, '-o', 'json'];
  const { code, stdout, stderr } = await capture(args);
  assert.equal(code, 1, stderr);
  const { shadowed } = JSON.parse(stdout) as { shadowed: unknown };
  assert.deepEqual(shadowed, [{ namespace: 'team-a', label: 'istio.io/rev', value: '1-23-4' }]);
  assert.match(stderr, /namespace team-a has istio\.io\/rev=1-23-4; the pod label is ignored/);
  assert.equal((await capture([...args, '--strict'])).code, 2);
});
