import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type InstallOptions, installManifests } from '../install/index.ts';
import { uncovered } from './classes.ts';
import { type Configuration, type Injector, injectorsOf, krisprsOf } from './configuration.ts';
import { classFindings, namespaceFindings, orderFindings, switchedOffFindings } from './findings.ts';
import { type Selector, selects } from './selector.ts';
import { keptAnnotation, switchedOff } from './switched-off.ts';

const key = 'app';
const selectors: readonly (readonly [
  selector: Selector | undefined,
  labels: Readonly<Record<string, string>>,
  selected: boolean,
])[] = [
  [undefined, {}, true],
  [{}, { app: 'x' }, true],
  [{ matchLabels: { app: 'x' } }, { app: 'x', b: 'y' }, true],
  [{ matchLabels: { app: 'x' } }, {}, false],
  [{ matchExpressions: [{ key, operator: 'In', values: ['x', 'y'] }] }, { app: 'y' }, true],
  [{ matchExpressions: [{ key, operator: 'In', values: ['x'] }] }, {}, false],
  [{ matchExpressions: [{ key, operator: 'NotIn', values: ['x'] }] }, {}, true],
  [{ matchExpressions: [{ key, operator: 'NotIn', values: ['x'] }] }, { app: 'x' }, false],
  [{ matchExpressions: [{ key, operator: 'Exists' }] }, { app: '' }, true],
  [{ matchExpressions: [{ key, operator: 'DoesNotExist' }] }, { app: '' }, false],
  [{ matchLabels: { app: 'x' }, matchExpressions: [{ key: 'b', operator: 'Exists' }] }, { app: 'x' }, false],
];
for (const [selector, labels, selected] of selectors)
  test(`${JSON.stringify(selector)} on ${JSON.stringify(labels)}: ${selected}`, () =>
    assert.equal(selects(selector, labels), selected));

function installed(name: string, isDefault: boolean, everyNamespace = false): readonly Configuration[] {
  const options: Omit<InstallOptions, 'inject'> = {
    namespace: 'fairway-system',
    image: 'i',
    replicas: 1,
    caBundle: '',
    mode: 'webhook',
    tlsSecret: undefined,
    cluster: undefined,
    files: {},
    kinds: [],
  };
  const objects = installManifests({ ...options, inject: [{ name, isDefault, everyNamespace }] });
  return objects.filter(({ kind }) => kind === 'MutatingWebhookConfiguration') as unknown as readonly Configuration[];
}

const codes = (problems: readonly { readonly code: string }[]): string[] => problems.map(({ code }) => code);

test('what Fairway installs takes no pod twice and no control plane, for a default and another revision', () => {
  const injectors = injectorsOf([...installed('a-1', true, true), ...installed('b-2', false)]);
  assert.deepEqual(codes(classFindings(injectors)), []);
  assert.deepEqual(
    injectors.map(({ revision }) => revision),
    ['a-1', 'a-1', 'a-1', 'a-1', 'a-1', 'b-2', 'b-2'],
  );
});

test('two defaults take the same pods', () => {
  const [problem] = classFindings(injectorsOf([...installed('a-1', true), ...installed('b-2', true)]));
  assert.equal(problem?.code, 'double-injection');
  assert.match(problem.path ?? '', /fairway-2-inject-a-1.* and fairway-2-inject-b-2/);
});

test('Krispr behind an injector makes labels that lie', () => {
  const late = installed('a-1', false).map((each) => ({
    ...each,
    metadata: { ...each.metadata, name: each.metadata.name.replace('1-krispr', '9-krispr') },
  }));
  assert.deepEqual(orderFindings(krisprsOf(installed('a-1', false)), injectorsOf(installed('a-1', false))), []);
  assert.deepEqual(codes(orderFindings(krisprsOf(late), injectorsOf(late))), ['krispr-too-late']);
});

const injectors = injectorsOf([...installed('a-1', true), ...installed('b-2', false)]);
const namespaces: readonly (readonly [
  labels: Readonly<Record<string, string>>,
  effective: string | undefined,
  codes: readonly string[],
])[] = [
  [{}, undefined, []],
  [{ 'istio.io/rev': 'b-2' }, 'b-2', ['label-shadowed']],
  [{ 'istio-injection': 'enabled' }, 'a-1', ['label-shadowed']],
  [{ 'istio-injection': 'enabled', 'istio.io/rev': 'b-2' }, 'a-1', ['revision-shadowed']],
  [{ 'istio-injection': 'disabled', 'istio.io/rev': 'b-2' }, undefined, ['injection-contradiction']],
  [{ 'istio-injection': 'disabled' }, undefined, []],
  [{ 'istio-injection': 'yes' }, undefined, ['injection-value']],
];
for (const [labels, effective, expected] of namespaces)
  test(`namespace ${JSON.stringify(labels)}: ${effective}`, () => {
    const found = namespaceFindings({ name: 'team-a', labels }, injectors);
    assert.deepEqual([found.effective, codes(found.problems)], [effective, expected]);
  });

test('without a default nobody serves istio-injection=enabled', () => {
  const found = namespaceFindings(
    { name: 'team-a', labels: { 'istio-injection': 'enabled' } },
    injectorsOf(installed('b-2', false)),
  );
  assert.deepEqual([found.effective, codes(found.problems)], [undefined, ['injection-unserved']]);
});

const taking = (...args: Parameters<typeof installed>): readonly Injector[] => injectorsOf(installed(...args));

const standIns: readonly (readonly [
  what: string,
  taken: readonly Injector[],
  others: readonly Injector[],
  left: RegExp | undefined,
])[] = [
  ['the same rows', taking('a-1', false), taking('a-1', false), undefined],
  ['more rows', taking('a-1', false), taking('a-1', true, true), undefined],
  ['nobody', taking('a-1', false), [], /^a pod with .*istio\.io\/rev=a-1/],
  ['another revision', taking('a-1', false), taking('b-2', false), /istio\.io\/rev=a-1/],
  ['no rows of the default', taking('a-1', true), taking('a-1', false), /istio-injection=enabled|inject=true/],
  [
    'not every namespace',
    taking('a-1', true, true),
    taking('a-1', true),
    /^a pod with no labels in a namespace with no labels$/,
  ],
  ['nothing to stand in for', [], [], undefined],
];
for (const [what, taken, others, left] of standIns)
  test(`who takes the pods: ${what}`, () => {
    const found = uncovered(taken, others);
    if (left === undefined) assert.equal(found, undefined);
    else assert.match(found ?? '', left);
  });

/** Merged into what a chart wrote, so that the annotation need not be read. */
const off = installed('a-1', true).map(({ metadata, webhooks = [] }) => ({
  metadata: { ...metadata, name: `off-${metadata.name}`, labels: { 'istio.io/rev': 'a-1' } },
  webhooks: webhooks.map((each) => ({
    ...each,
    objectSelector: { ...each.objectSelector, ...switchedOff.objectSelector },
  })),
}));

test('a webhook that was switched off takes nothing, whatever was merged into its selectors', () => {
  assert.deepEqual(injectorsOf(off), []);
});

test('who is switched off and has nobody in its place is found, by what it took before', () => {
  const found = (...others: readonly Configuration[]): readonly string[] =>
    switchedOffFindings([...off, ...others]).map(({ path, message }) => `${path}: ${message}`);
  assert.deepEqual(found(...installed('a-1', true)), []);
  assert.match(found(...installed('a-1', false)).join(), /^off-fairway-2-inject-a-1: .*no injector takes a pod with /);
  assert.match(found().join(), /^off-fairway-2-inject-a-1: /);
  const [webhook] = installed('a-1', false)[1]?.webhooks ?? [];
  const kept = JSON.stringify({ [webhook?.name ?? '']: webhook });
  const replaced = (annotations: Readonly<Record<string, string>>): Configuration => ({
    metadata: { name: 'whole', annotations },
    webhooks: webhook === undefined ? [] : [{ ...webhook, ...switchedOff }],
  });
  assert.deepEqual(codes(switchedOffFindings([replaced({ [keptAnnotation]: kept })])), ['taken-over-unserved']);
  assert.deepEqual(switchedOffFindings([replaced({})]), [], 'nobody knows what it took');
});
