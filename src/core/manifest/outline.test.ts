import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byteText } from './bytes.ts';
import { outlineComplete } from './complete.ts';
import { outlineFast } from './fast.ts';
import { newTape, resetTape, sameTape } from './tape.ts';

const fast: readonly string[] = [
  '',
  '# nothing\n\n',
  "a: 1\nb: two words\nc: \"q\\n\" # note\nd: 'it''s'\n",
  'a:\nb: ~\nc:\n  d:\n',
  'a:\n- 1\n- b: 2\n  c: 3\n-\n  d: 4\n- - x\n  - y\nz: 1\n',
  'a:\n  - 1\n  -   b: 2\n      c: 3\n',
  'a: |\n  x: {{ y }}\n\n    deep\n  # no comment\nb: >-\n  folded\n  text\n\n\nc: |+\n\nd: |\n# comment\ne: 1\n',
  'a: one\n  two\n\n  three\nb: x#y\n',
  'a: {b: 1, "c": [x, \'y\', {}], d: {}}\ne: []\n',
  'a: [1,\n  2, # note\n  3\n  ]\n',
  '{"a": {"b": [1, "x", null]}, "c":"d"}\n',
  '{\n\t"a": 1\n}\n',
  'a: "one\n  two"\nb: c\n',
  'b: >-',
  'b: >- # z\n',
  'b: [ # z\n  1, "#", # "\n]\n',
  'b: | # z',
  'a:\n  b: [\n    1, 2\n  ]\n  c: {\n    d: e\n}\n',
  'a:\n  "quoted"\nb:\n  {c: d}\n"key": v\n\'k\' : w\n',
  'a: 1\r\nb:\r\n  - c: |\r\n      text\r\n    d: e\r\n',
  'url: http://x:80/y?z=a:b\ntime: 12:30\nport: :8080\n',
  '- a\n- b: c\n',
  'a: ü\n"é": ö # ß\n',
  'a: &x 1\nb: *x\nc: *x # note\n',
  'a: &x\n  b: 1\nc:\n  <<: *x\n',
  'a: &x # note\n  - &y 1\n  - *y\n  - &z\n    b: c\n  - &w\nd: *z\ne: &v\n',
  'a: &x |\n  text\nb: &y "q"\nc: &z {d: 1}\ne: *y\nf: &x >-\n  g\nh: &u\n  word\ni: &t one\n  two\n',
  'a: &x\n- 1\n- *x\n',
  '- &x 1\n- - &y 2\n  - *x\n- *y\n',
];
for (const text of fast)
  test(`both paths outline ${JSON.stringify(text)} the same`, () => {
    const bytes = Buffer.from(text).toString('latin1');
    const [one, two] = [newTape(), newTape()];
    resetTape(one, byteText(bytes));
    resetTape(two, byteText(bytes));
    assert.equal(outlineFast(one, 0, bytes.length), true);
    assert.equal(outlineComplete(two, 0, bytes.length), undefined);
    assert.ok(sameTape(one, two));
  });

const left: readonly string[] = [
  'a: *x\n',
  'a: &x !!str 1\n',
  'a: &x b: 1\n',
  '- &x a: 1\n',
  '&x a: 1\n',
  'a: &x\n  &y b: 1\n',
  'a: &x 1\nb: [*x]\n',
  'a: !!str 1\n',
  '? a\n: b\n',
  'a: |2\n    x\n',
  'a: {b}\n',
  'a: [b: c]\n',
  'a:\tb\n',
  '--- {a: b}\n',
  '\n... b: ',
  'plain\n',
  'a: {{ .Values.x }}\n',
];
for (const text of left)
  test(`the fast path leaves ${JSON.stringify(text)} to the complete one`, () => {
    const tape = newTape();
    resetTape(tape, byteText(text));
    assert.equal(outlineFast(tape, 0, text.length), false);
  });

const broken: readonly string[] = [
  'a: 1\n b: 2\n',
  'a: b: c\n',
  'a: "open\n',
  'a: [1, 2\n',
  'a: {b: c\n',
  '- a\nb: c\n',
  'a: |\n   x\n  y\n',
  'a: "x" y\n',
  'a: one # note\n  two\n',
  'a:\n  - b\n c\n',
  'a: "\\d"\n',
];
for (const text of broken)
  test(`neither path reads ${JSON.stringify(text)}`, () => {
    const [one, two] = [newTape(), newTape()];
    resetTape(one, byteText(text));
    resetTape(two, byteText(text));
    assert.equal(outlineFast(one, 0, text.length), false);
    assert.notEqual(outlineComplete(two, 0, text.length), undefined);
  });
