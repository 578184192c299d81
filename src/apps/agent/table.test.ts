import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choice, choices, count, duration, maybeDuration, truth } from './kinds.ts';
import { proxyTable } from './settings.ts';
import { readTable, tableHelp, tableMarkdown } from './table.ts';

const table = {
  n: count('7', { flag: 'n', env: 'N', doc: 'a number' }, [0, 9]),
  wait: duration('5s', { flag: 'wait', doc: 'a wait' }),
  on: truth('false', { flag: 'on', env: 'ON', doc: 'a switch' }),
  kind: choice('a', { flag: 'kind', doc: 'a kind' }, ['a', 'b']),
  names: choices({ flag: 'names', doc: 'names' }, ['x', 'y']),
  end: maybeDuration({ env: 'END', doc: 'an end' }),
};
const unset = { n: 7, wait: 5000, on: false, kind: 'a', names: [], end: 'none' };

const rows: readonly (readonly [
  args: string,
  env: Record<string, string>,
  values: object,
  words: readonly string[],
])[] = [
  ['', {}, {}, []],
  ['-n 3', {}, { n: 3 }, []],
  ['--n=3 word', { N: '4' }, { n: 3 }, ['word']],
  ['', { N: '4' }, { n: 4 }, []],
  ['', { N: '' }, {}, []],
  ['--on word', {}, { on: true }, ['word']],
  ['--on=false', { ON: 'true' }, { on: false }, []],
  ['', { ON: 'T' }, { on: true }, []],
  ['--wait 1m30s --kind b --names x,y', { END: '2s' }, { wait: 90_000, kind: 'b', names: ['x', 'y'], end: 2000 }, []],
  // As pflag: an unknown flag takes a following word along, unless that is a flag or the value came with `=`.
  ['--retired gone word', {}, {}, ['word']],
  ['--retired=gone word', {}, {}, ['word']],
  ['--retired --n 3', {}, { n: 3 }, []],
  ['one -- --n 3', {}, {}, ['one', '--n', '3']],
];
for (const [args, env, values, words] of rows) {
  test(`settings: "${args}" with ${JSON.stringify(env)}`, () => {
    const read = readTable(table, args.split(' ').filter(Boolean), env);
    assert.deepEqual(read.values, { ...unset, ...values });
    assert.deepEqual(read.words, words);
    assert.deepEqual([...read.errors, ...read.warnings], []);
  });
}

const wrong: readonly (readonly [args: string, env: Record<string, string>, told: string])[] = [
  ['--n 10', {}, '--n 10: not a number from 0 to 9'],
  ['--n', {}, '--n : not a number from 0 to 9'],
  ['--wait -5s', {}, '--wait : not a duration, as 500ms, 5s or 1m30s'],
  ['--wait=-5s', {}, '--wait -5s: not a duration, as 500ms, 5s or 1m30s'],
  ['--kind c', {}, '--kind c: not one of a, b'],
  ['--names x,z', {}, '--names x,z: not names, separated by commas, out of x, y'],
  ['', { N: 'many' }, 'N=many is not a number from 0 to 9: 7 holds'],
  ['', { END: 'never' }, 'END=never is not a duration, as 500ms, 5s or 1m30s: nothing holds'],
];
for (const [args, env, told] of wrong) {
  test(`settings: told about "${args}" with ${JSON.stringify(env)}`, () => {
    const read = readTable(table, args.split(' ').filter(Boolean), env);
    assert.ok([...read.errors, ...read.warnings].includes(told), [...read.errors, ...read.warnings].join());
  });
}

test('every default of the proxy can be read, each flag and variable is there once', () => {
  for (const [name, setting] of Object.entries(proxyTable))
    assert.notEqual(setting.parse(setting.unset), undefined, name);
  const names = Object.values(proxyTable).flatMap(({ flag, env }) =>
    [flag, env].filter((given) => given !== undefined),
  );
  assert.equal(new Set(names).size, names.length);
});

test('help and page hold every row', () => {
  for (const shown of [tableHelp(table), tableMarkdown(table)])
    for (const { doc } of Object.values(table)) assert.ok(shown.includes(doc));
});
