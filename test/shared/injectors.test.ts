// What a cluster's webhook configurations and namespaces do, against the shared cases `c-two-webhooks-match` and
// `c-both-namespace-labels`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { type Configuration, classFindings, injectorsOf, namespaceFindings } from '../../src/core/injectors/index.ts';
import { sharedPath } from './shared.ts';

function documents(path: string): readonly unknown[] {
  return parseAllDocuments(readFileSync(sharedPath(path), 'utf8')).map((document): unknown => document.toJS());
}

test('c-two-webhooks-match: the doubled class, the control plane, and enabled that nobody serves', () => {
  const injectors = injectorsOf(documents('cases/c-two-webhooks-match/input.yaml') as readonly Configuration[]);
  const findings = classFindings(injectors);
  assert.deepEqual(
    findings.map(({ code, message }) => [code, message]),
    [
      ['double-injection', 'two injectors take a pod with no labels in a namespace with no labels'],
      [
        'control-plane-injected',
        'a pod with no labels in a namespace with no labels named istio-system is selected: the control plane would wait for itself',
      ],
    ],
  );
  assert.match(findings[0]?.path ?? '', /auto\.orange\.test and .*auto\.default\.test/);
  assert.match(findings[1]?.path ?? '', /auto\.default\.test$/);
  const enabled = namespaceFindings({ name: 'x', labels: { 'istio-injection': 'enabled' } }, injectors);
  assert.deepEqual(
    enabled.problems.map(({ code }) => code),
    ['injection-unserved'],
  );
});

interface Namespace {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
}

const rows: Readonly<
  Record<string, readonly [effective: string | undefined, withoutDefault: string | undefined, codes: readonly string[]]>
> = {
  both: ['1-23-4', undefined, ['revision-shadowed']],
  'rev-only': ['1-24-5', '1-24-5', ['label-shadowed']],
  'off-and-rev': [undefined, undefined, ['injection-contradiction']],
  'enabled-only': ['1-23-4', undefined, ['label-shadowed']],
  plain: [undefined, undefined, []],
  odd: [undefined, undefined, ['injection-value']],
};

test('c-both-namespace-labels: what is effective, with and without a default tag', () => {
  const revisions = ['1-23-4', '1-24-5'].map((revision) => istio(revision, revision));
  const withDefault = injectorsOf([...revisions, istio('default', '1-23-4')]);
  const withoutDefault = injectorsOf(revisions);
  for (const { metadata } of documents('cases/c-both-namespace-labels/input.yaml') as readonly Namespace[]) {
    const { name, labels = {} } = metadata;
    const expected = rows[name];
    const found = namespaceFindings({ name, labels }, withDefault);
    const bare = namespaceFindings({ name, labels }, withoutDefault);
    assert.deepEqual([found.effective, bare.effective, found.problems.map(({ code }) => code)], expected, name);
    const unserved = bare.problems.some(({ code }) => code === 'injection-unserved');
    assert.equal(unserved, name === 'both' || name === 'enabled-only', name);
  }
});

/** A configuration as Istio makes it: rows 1 and 2, and 3 and 4 for the default tag. */
function istio(name: string, revision: string): Configuration {
  const absent = (key: string) => ({ key, operator: 'DoesNotExist' });
  const isIn = (key: string, value: string) => ({ key, operator: 'In', values: [value] });
  const wanted = { key: 'sidecar.istio.io/inject', operator: 'NotIn', values: ['false'] };
  const neither = [absent('istio.io/rev'), absent('istio-injection')];
  const row = (webhook: string, namespaces: object[], pods: object[]) => ({
    name: webhook,
    rules: [{ operations: ['CREATE'], resources: ['pods'] }],
    namespaceSelector: { matchExpressions: namespaces },
    objectSelector: { matchExpressions: pods },
  });
  const named = [
    row('rev.namespace', [isIn('istio.io/rev', name), absent('istio-injection')], [wanted]),
    row('rev.object', neither, [wanted, isIn('istio.io/rev', name)]),
  ];
  const byDefault = [
    row('namespace', [isIn('istio-injection', 'enabled')], [wanted]),
    row('object', neither, [isIn('sidecar.istio.io/inject', 'true'), absent('istio.io/rev')]),
  ];
  const webhooks = name === 'default' ? [...named, ...byDefault] : named;
  return { metadata: { name: `istio-${name}`, labels: { 'istio.io/rev': revision } }, webhooks } as Configuration;
}
