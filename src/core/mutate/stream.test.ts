import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byteText, encodeUtf8 } from '../manifest/index.ts';
import type { Mutator } from './mutator.ts';
import { revisionLabel } from './mutators/revision-label.ts';
import { mutatedText, mutateStream } from './stream.ts';

const label: Mutator = revisionLabel({
  revisionOf: (namespace) =>
    namespace === undefined
      ? { kind: 'unknown', code: 'namespace-missing', because: 'no namespace' }
      : { kind: 'revision', revision: '1-26-0' },
});

function mutate(text: string, mutators: readonly Mutator[] = [label]) {
  const source = byteText(encodeUtf8(text));
  const result = mutateStream(source, { mutators });
  return { ...result, text: mutatedText(source, result), codes: result.problems.map(({ code }) => code) };
}

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'shop' } };
const labels = { 'istio.io/rev': '1-26-0' };
const made = { ...pod, metadata: { ...pod.metadata, labels } };
const styles: readonly (readonly [name: string, write: (value: unknown) => string])[] = [
  ['without blanks', (value) => JSON.stringify(value)],
  ['indented by two', (value) => JSON.stringify(value, null, 2)],
  ['indented by tabs', (value) => `${JSON.stringify(value, null, '\t')}\n`],
  ['with CRLF', (value) => JSON.stringify(value, null, 4).replaceAll('\n', '\r\n')],
];
for (const [name, write] of styles) {
  test(`JSON ${name} stays in its style`, () => {
    assert.equal(mutate(write(pod)).text, write(made));
    const empty = { ...pod, metadata: { ...pod.metadata, labels: {} } };
    assert.equal(mutate(write(empty)).text, write(made));
    const other = { ...pod, metadata: { ...pod.metadata, labels: { app: 'x' } } };
    const both = { ...pod, metadata: { ...pod.metadata, labels: { app: 'x', ...labels } } };
    assert.equal(mutate(write(other)).text, write(both));
    const none = { ...pod, metadata: { ...pod.metadata, labels: null } };
    assert.equal(mutate(write(none)).text, write(made));
    const [list, changed] = [pod, made].map((item) => write({ apiVersion: 'v1', kind: 'List', items: [item] }));
    assert.equal(mutate(list ?? '').text, changed);
  });
}

test('JSON on one line with blanks keeps its blanks', () => {
  const text = '{"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "shop"}}';
  const wanted = text.replace('"shop"', '"shop", "labels": {"istio.io/rev": "1-26-0"}');
  assert.equal(mutate(text).text, wanted);
});

const head =
  'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, namespace: shop}\nspec:\n  template:\n    metadata:\n';
const many = Array.from({ length: 20_000 }, (_, i) => `        l${i}: *x\n`).join('');
const merges = Array.from({ length: 19 }, (_, i) => `x${i + 1}: &x${i + 1} {<<: [${`*x${i}, `.repeat(4)}*x${i}]}\n`);
const refused: readonly (readonly [name: string, text: string, code: string])[] = [
  ['NEL between key and value', `${head}      labels:\u0085        app: x\n`, 'hidden-line-break'],
  ['LS in a comment', `${head}      labels: # a\u2028b: c\n        app: x\n`, 'hidden-line-break'],
  ['two metadata', `${head}      labels: {}\nmetadata: {name: a, namespace: other}\n`, 'edit-refused'],
  ['two namespaces', `${head.replace('shop}', 'shop, namespace: other}')}      labels: {}\n`, 'edit-refused'],
  [
    'two kinds in JSON',
    '{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"shop"},"kind":"Job"}',
    'edit-refused',
  ],
  ['a list where labels should be', `${head}      labels:\n      - a\n`, 'edit-refused'],
  [
    'merges that double at each step',
    `x0: &x0 {a: b}\n${merges.join('')}${head}      labels:\n        <<: *x19\n`,
    'too-many-aliases',
  ],
  ['twenty thousand aliases', `x: &x y\n${head}      labels:\n${many}`, 'too-many-aliases'],
  ['an empty namespace', head.replace('namespace: shop', "namespace: ''"), 'namespace-missing'],
];
for (const [name, text, code] of refused) {
  test(`${name}: refused at once`, () => {
    const { codes, edits } = mutate(text);
    assert.deepEqual([codes, edits], [[code], []]);
  });
}

test('NEL and LS inside quotes are text', () => {
  const text = `${head}      labels: {a: "x\u2028y", b: 'x\u0085y'}\n`;
  assert.deepEqual(mutate(text).codes, []);
});

test('documents that are not edited may hold what they like', () => {
  const text = `x: &x y\nz:\n${many}---\na: b\u0085c\n---\n${head}      labels: {a: b}\n`;
  assert.deepEqual(mutate(text).codes, []);
  assert.equal(mutate(text).edits.length, 1);
});

test('a merge that names one mapping often is searched once', () => {
  const text = `x: &x {a: b}\n${head}      labels:\n        <<: [${'*x, '.repeat(5_000)}*x]\n        b: c\n`;
  assert.deepEqual(mutate(text).codes, []);
});

test('a test of a patch that fails is the workload’s problem, with its place', () => {
  const careful: Mutator = {
    name: 'careful',
    target: 'template',
    scope: ['/metadata/labels'],
    applies: () => ({ kind: 'applies', remarks: [] }),
    mutate: () => [{ op: 'test', path: '/metadata/labels/app', value: 'y' }],
  };
  const { problems } = mutate(`${head}      labels: {app: x}\n`, [careful]);
  assert.deepEqual(
    problems.map(({ code, line }) => [code, line]),
    [['patch-test-failed', 1]],
  );
});

const template =
  'spec:\n  template:\n    metadata:\n      labels:\n        app: x\n    spec:\n      containers:\n        - name: a\n';
test('an unknown kind with a pod template: said once, with the line that makes it known', () => {
  const set = (name: string) =>
    `apiVersion: apps.kruise.io/v1beta1\nkind: CloneSet\nmetadata:\n  name: ${name}\n${template}`;
  const text = `${set('a')}---\n${set('b')}---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n`;
  const { remarks, edits } = mutate(text);
  assert.deepEqual(edits, []);
  assert.deepEqual(
    remarks.map(({ code, severity, name }) => ({ code, severity, name })),
    [{ code: 'unknown-kind', severity: 'note', name: 'a' }],
  );
  assert.match(
    remarks[0]?.message ?? '',
    /kinds: \[\{apiVersion: apps.kruise.io, kind: CloneSet, template: \/spec\/template\}\]/,
  );
});

test('lines that end with a carriage return alone: the hint says what to do', () => {
  const text = `apiVersion: v1\nkind: Pod\nmetadata:\n  namespace: shop\n  labels:\n    app: x\n`.replaceAll(
    '\n',
    '\r',
  );
  const { problems } = mutate(text);
  assert.deepEqual(
    problems.map(({ code }) => code),
    ['edit-unproven'],
  );
  assert.match(problems[0]?.hint ?? '', /carriage return alone.*tr '\\r' '\\n'/);
});
