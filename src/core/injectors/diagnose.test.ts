import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkloadFacts } from './aging.ts';
import type { Configuration } from './configuration.ts';
import { diagnose, type Snapshot } from './diagnose.ts';
import type { NativeChoice } from './native.ts';
import type { PolicyFacts } from './policy-findings.ts';

const forPods = { rules: [{ operations: ['CREATE'], resources: ['pods'] }] };
const service = { service: { path: '/x' }, caBundle: 'good' };
const krispr: Configuration = {
  metadata: { name: 'fairway-1-krispr' },
  webhooks: [{ name: 'krispr.fairway.dev', ...forPods, clientConfig: service }],
};
const injector: Configuration = {
  metadata: { name: 'istio-a', labels: { 'istio.io/rev': 'a-1' } },
  webhooks: [
    {
      name: 'rev.object',
      ...forPods,
      clientConfig: service,
      objectSelector: { matchExpressions: [{ key: 'istio.io/rev', operator: 'In', values: ['a-1'] }] },
    },
  ],
};
const healthy: Snapshot = {
  configurations: [krispr, injector],
  namespaces: [{ name: 'shop', labels: {} }],
  workloads: [{ key: 'shop/Deployment/web', namespace: 'shop', revision: 'a-1', selectsRevision: false }],
  unwatched: [],
  barePods: [],
  nodes: [{ name: 'n-1', minor: 36 }],
  choices: [{ injector: 'istiod', mode: 'auto' }],
  trust: [{ kind: 'trusted', webhook: 'k' }],
  policy: undefined,
  stuck: [],
  probes: [{ kind: 'made', asked: 'istio.io/rev=a-1', label: 'a-1', injected: 'a-1' }],
  rules: {
    isRetired: (revision) => revision === 'old',
    revisionOf: (namespace) => (namespace === 'shop' ? 'b-2' : undefined),
    ageLimitMs: () => 100,
    labelsUnlabelled: () => false,
  },
  bundleEnd: (bundle) => (bundle === 'good' ? 100 : bundle === 'worn' ? 5 : 'no certificate'),
  nowMs: 10,
};
const withBundle = (caBundle?: string): Configuration => ({
  ...krispr,
  webhooks: [
    {
      name: 'krispr.fairway.dev',
      ...forPods,
      clientConfig: { service: {}, ...(caBundle === undefined ? {} : { caBundle }) },
    },
  ],
});
const workload = (revision: string | undefined, selectsRevision = false) => [
  { key: 'shop/Deployment/web', namespace: 'shop', revision, selectsRevision },
];
const old = { createdMs: -1000, ...workload('a-1')[0] } as WorkloadFacts;
const policy: PolicyFacts = {
  name: 'p',
  isBound: true,
  hasWebhook: false,
  tables: 1,
  stale: [],
  wantsGuard: false,
};
const underPolicy = (changes: Partial<PolicyFacts>): Partial<Snapshot> => ({
  configurations: [injector],
  policy: { ...policy, ...changes },
});
const nodes = (...minors: readonly (number | undefined)[]): Partial<Snapshot> => ({
  nodes: minors.map((minor, i) => ({ name: `n-${i}`, minor })),
});
const told = (mode: NativeChoice['mode']): Partial<Snapshot> => ({ choices: [{ injector: 'istiod', mode }] });

const rows: readonly (readonly [name: string, changes: Partial<Snapshot>, codes: readonly string[]])[] = [
  ['all is well', {}, []],
  ['no Krispr', { configurations: [injector] }, ['krispr-missing']],
  [
    'Krispr behind an injector',
    { configurations: [{ ...krispr, metadata: { name: 'zz' } }, injector] },
    ['krispr-too-late'],
  ],
  ['a label that lies', { probes: [{ kind: 'made', asked: 'x', label: 'b', injected: 'a-1' }] }, ['order-broken']],
  [
    'a label that nobody serves',
    { probes: [{ kind: 'made', asked: 'x', label: 'b', injected: undefined }] },
    ['order-broken'],
  ],
  [
    'a namespace where no pod may be',
    { probes: [{ kind: 'refused', asked: 'x', message: 'quota' }] },
    ['order-broken'],
  ],
  [
    'an injector that does not answer',
    { probes: [{ kind: 'refused', asked: 'x', message: 'failed calling webhook "rev.object": not found' }] },
    ['injector-silent'],
  ],
  ['no bundle', { configurations: [withBundle(), injector] }, ['ca-bundle']],
  ['an expired bundle', { configurations: [withBundle('worn'), injector] }, ['ca-bundle']],
  ['a bundle that is none', { configurations: [withBundle('junk'), injector] }, ['ca-bundle']],
  ['a shadowing namespace', { namespaces: [{ name: 'shop', labels: { 'istio.io/rev': 'a-1' } }] }, ['label-shadowed']],
  ['a retired revision in use', { workloads: workload('old') }, ['revision-in-use']],
  ['a revision that nobody serves', { workloads: workload('other') }, ['revision-in-use']],
  ['no label', { workloads: workload(undefined) }, ['unlabelled']],
  ['no label, and no rules', { workloads: workload(undefined), rules: undefined }, []],
  ['no label, outside of the mesh', { workloads: [{ ...old, namespace: 'other', revision: undefined }] }, []],
  [
    'no label, in an ambient namespace',
    {
      workloads: workload(undefined),
      namespaces: [{ name: 'shop', labels: { 'istio.io/dataplane-mode': 'ambient' } }],
    },
    [],
  ],
  ['Krispr is silent', { probes: [{ kind: 'silent', namespace: 'shop', wanted: 'b-2' }] }, ['krispr-silent']],
  ['silent, but nothing was promised', { probes: [{ kind: 'silent', namespace: 'shop', wanted: undefined }] }, []],
  [
    'no Krispr is silent too',
    { configurations: [injector], probes: [{ kind: 'silent', namespace: 'shop', wanted: 'b-2' }] },
    ['krispr-missing'],
  ],
  ['another certificate', { trust: [{ kind: 'refused', webhook: 'k', by: 'x', reason: 'y' }] }, ['ca-bundle']],
  [
    'servers that cannot be reached are one finding',
    { trust: ['k', 'l'].map((webhook) => ({ kind: 'unchecked', webhook, reason: 'y' })) },
    ['ca-bundle-unchecked'],
  ],
  ['one old node of two', nodes(36, 32), ['native-sidecars']],
  ['one node that cannot be told', nodes(36, undefined), ['native-sidecars']],
  ['all old', nodes(32, 31), []],
  ['no nodes', nodes(), []],
  ['one old node, never native', { ...nodes(36, 32), ...told('never') }, []],
  ['one old node, always native', { ...nodes(36, 32), ...told('always') }, []],
  ['a node that knows none, always native', { ...nodes(36, 28), ...told('always') }, ['native-sidecars']],
  ['bare pods', { barePods: ['shop/one'] }, ['never-ages']],
  ['restarted each week', { workloads: [{ ...old, restartedMs: 1 }] }, ['never-ages']],
  ['restarted long ago', { workloads: [{ ...old, restartedMs: -900 }] }, []],
  ['restarted, but young itself', { workloads: [{ ...old, createdMs: 0, restartedMs: 1 }] }, []],
  ['restarted, with a stamp', { workloads: [{ ...old, restartedMs: 1, stamped: true }] }, []],
  ["restarted, on today's revision", { workloads: [{ ...old, namespace: 'other', restartedMs: 1 }] }, []],
  ['OnDelete', { workloads: [{ ...old, unreached: 'on-delete' }] }, ['workload-stuck']],
  ["OnDelete, on today's revision", { workloads: [{ ...old, namespace: 'other', unreached: 'on-delete' }] }, []],
  ['OnDelete, without a sidecar', { workloads: [{ ...old, unreached: 'on-delete', isOutside: true }] }, []],
  ['no label, and no sidecar', { workloads: [{ ...old, revision: undefined, isOutside: true }] }, []],
  ['a policy', underPolicy({}), ['policy-no-age']],
  [
    'a policy without its parts',
    underPolicy({ isBound: false, tables: 0, wantsGuard: true }),
    ['policy-incomplete', 'policy-no-age', 'policy-no-guard'],
  ],
  [
    'a policy, a webhook, and tables of other rules',
    underPolicy({ hasWebhook: true, stale: [{ namespace: 'shop', has: 'a-1', wanted: undefined }] }),
    ['policy-stale', 'policy-no-age', 'policy-and-webhook'],
  ],
  ['with a policy age is no matter', { ...underPolicy({}), barePods: ['shop/one'] }, ['policy-no-age']],
  [
    'a Job on another revision, with a policy',
    { ...underPolicy({}), workloads: [{ ...old, unreached: 'runs-to-end' }] },
    ['policy-no-age', 'workload-stuck'],
  ],
  ['a selector, and errors first', { workloads: workload('old', true) }, ['selector-has-revision', 'revision-in-use']],
  ['owners that nobody watches', { unwatched: [{ kind: 'StrimziPodSet', pods: 3 }] }, ['never-ages']],
];
for (const [name, changes, codes] of rows)
  test(`doctor: ${name}`, () =>
    assert.deepEqual(
      diagnose({ ...healthy, ...changes }).map(({ code }) => code),
      codes,
    ));
