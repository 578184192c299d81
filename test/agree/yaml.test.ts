// Our YAML agrees with sigs.k8s.io/yaml: what it writes for data made at random, and what it reads from such text and from a table.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { goJson, goYaml, readYaml, type Value, YamlError } from '../../src/core/gotemplate/index.ts';
import { ask } from './go.ts';

const texts = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'a',
    'true',
    'no',
    'y',
    '~',
    'null',
    '1',
    '1.0',
    '0x1',
    '0o7',
    '012',
    '1_000',
    '.5',
    '1e3',
    '-',
    '- a',
    'a: b',
    'a:',
    ':a',
    '#',
    'a #b',
    'a#b',
  ),
  fc.constantFrom(
    '*',
    '&a',
    '!t',
    '|',
    '>',
    "'",
    '"',
    '%',
    '@',
    '`',
    '{}',
    '[a]',
    'a, b',
    '?',
    '? a',
    '---',
    '...',
    '2001-01-01',
    '12:30',
    '<<',
    '=',
    '.inf',
    '.nan',
    'é',
    '😀',
    '\u0000',
    '\t',
  ),
  fc.constantFrom(
    'a\nb',
    'a\nb\n',
    'a\n\nb\n\n',
    '\na',
    ' a\nb',
    'a \nb',
    'a\n b',
    '\n',
    'a\tb',
    'a\r\nb',
    'tail ',
    ' lead',
    '\ufeff',
    'Key',
    'k1',
    'k10',
    'k2',
    'k02',
    '10',
    '9',
    '_',
    '-1',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.stringMatching(/^[ -~]{0,100}$/),
);
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    texts,
    fc.constantFrom(null, true, false, 0, 1, -1, 1.5, 1e21, 1e-7, 1e20, 15020, 1_000_000, 123456789.5),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      texts.filter((text) => /^[ -~]*$/.test(text) && text.length < 100 && !/^[0-9]|^<<$/.test(text)),
      tie('value'),
      { maxKeys: 5, noNullPrototype: true },
    ),
  ),
})).value;

const samples = fc.sample(json, { seed: 7, numRuns: Number(process.env['RUNS'] ?? 3000) });

test('what is written', () => {
  const answers = ask(samples.map((data) => ({ template: '{{ toYaml . }}', data, sprig: true })));
  const different = samples.flatMap((data, i) => {
    const mine = goYaml(data as Value);
    return mine === answers[i]?.out
      ? []
      : [`${JSON.stringify(data)}\n  Go:   ${JSON.stringify(answers[i])}\n  ours: ${JSON.stringify(mine)}`];
  });
  report(different);
});

const documents: readonly string[] = [
  'a: 1\nb: [1, 2, {c: d}]\nc: {a: "x", b: \'y\', }\n',
  'a:\n- 1\n- 2\nb:\n  - x: 1\n    y: 2\n  -\n    z: 3\n  - - a\n    - b\n',
  'a: |\n  one\n  two\n\nb: >\n  one\n  two\n\n  three\n   four\n  five\nc: |-\n  x\nd: |+\n  y\n\ne: >-\n  z\n',
  'a: |2\n   x\n  y\nb: |\n         {}\n',
  'a: yes\nb: 0777\nc: 0x1F\nd: 1_000\ne: 12:30\nf: 2001-01-01\ng: .5\nh: ~\ni:\nj: "~"\nk: 1e3\nl: +1\nm: 0b11\nn: .inf2\n',
  '1: a\ntrue: b\n1.5: c\n"q": d\n? x\n',
  'a: b c\n  d e\n\n  f\nb: x\n',
  "a: \"x\n  y\n\n  z \\\n  w\\n\\x41\\u00e9\"\nb: 'it''s\n  two'\n",
  'base: &b\n  x: 1\n  y: 2\nuse: *b\nmerged:\n  <<: *b\n  y: 3\n',
  '# comment\na: 1 # c\n# d\nb: "#x" # y\nc: a#b\n',
  'annotations: {\n  a/b: "x",\n  c: \'y\',\n  }\nspec:\n',
  'a: {b: c, d}\ne: [x: 1, y]\nf: {"a":1}\ng: [a,b , c]\nh: {}\ni: []\n',
  '- a\n- b: c\n  d: e\n-\n- - x\n',
  'a: 1\na: 2\n',
  '---\na: 1\n---\nb: 2\n',
  'a: b: c\n',
  'a:\n  b\n c: d\n',
  'a: [1, 2\n',
  'a: "x\n',
  'a:\n\tb: 1\n',
  '\ta: 1\n',
  'a: @x\n',
  'a: %x\n',
  'a: *none\n',
  'just text\n',
  '"quoted"\n',
  '',
  '# nothing\n',
  'null\n',
  'a: b\n  c: d\n',
  '- a\nb: c\n',
  'a: - b\n',
  'key with spaces: v\n"quoted key" : v\n',
  'url: http://a:b@c/d?e#f\ntime: 10:20\n',
  'a: !!str 1\n',
  'a:   \n  b:   \n    - c   \n',
  'x: >\n\n  a\n\n\n  b\n\ny: |\n\n  c\n\n\n',
  'a: \'\'\nb: ""\nc: "\\\\"\nd: "a\\"b"\n',
  'a: -\nb: ?\nc: :x\nd: -x\ne: ?x\n',
  'a: |\nb: >\nc: |\n  \nd: 1\n',
  'env:\n- name: A\n  value: |-\n    [\n    {"a":1}\n    ]\n- name: B\n  value: "x"\n',
  'a: x,y\nb: [x,y]\nc: {a: x}\nd: a]b}c\n',
  '{a: 1, b: {c: [1, "x", \'y\']}}\n',
  '[1,\n 2,\n   {a: b}]\n',
  'a: {b: multi\n  line plain, c: d}\n',
];

test('what is read', () => {
  const written = samples.slice(0, 1500).map((data) => goYaml(data as Value) ?? '');
  const all = [...documents, ...written].filter((text) => text !== '');
  const answers = ask(all.map((yaml) => ({ yaml })));
  const different = all.flatMap((text, i) => {
    const [mine, theirs] = [read(text), answers[i]];
    const equal = theirs?.error === undefined ? mine === canonical(theirs?.out) : mine === undefined;
    const refused = mine === undefined && /^a: !!|^1: a/.test(text);
    return equal || refused ? [] : [`${JSON.stringify(text)}\n  Go:   ${JSON.stringify(theirs)}\n  ours: ${mine}`];
  });
  report(different);
});

function canonical(text: string | undefined): string | undefined {
  return text === undefined ? undefined : goJson(JSON.parse(text) as Value);
}

function read(text: string): string | undefined {
  try {
    return goJson(readYaml(text));
  } catch (error) {
    if (error instanceof YamlError) return undefined;
    throw error;
  }
}

function report(different: readonly string[]): void {
  const shown = different.slice(0, Number(process.env['SHOW'] ?? 10)).join('\n');
  assert.equal(different.length, 0, `${different.length} differ\n${shown}`);
}
