import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Configuration } from './configuration.ts';
import { diagnose, type Snapshot } from './diagnose.ts';

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
  workloads: [{ key: 'shop/Deployment/web', revision: 'a-1', selectsRevision: false }],
  unwatched: [],
  probes: [{ kind: 'made', asked: 'istio.io/rev=a-1', label: 'a-1', injected: 'a-1' }],
  isRetired: (revision) => revision === 'old',
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
  { key: 'shop/Deployment/web', revision, selectsRevision },
];

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
  ['no bundle', { configurations: [withBundle(), injector] }, ['ca-bundle']],
  ['an expired bundle', { configurations: [withBundle('worn'), injector] }, ['ca-bundle']],
  ['a bundle that is none', { configurations: [withBundle('junk'), injector] }, ['ca-bundle']],
  ['a shadowing namespace', { namespaces: [{ name: 'shop', labels: { 'istio.io/rev': 'a-1' } }] }, ['label-shadowed']],
  ['a retired revision in use', { workloads: workload('old') }, ['revision-in-use']],
  ['a revision that nobody serves', { workloads: workload('other') }, ['revision-in-use']],
  ['no label', { workloads: workload(undefined) }, []],
  ['a selector, and errors first', { workloads: workload('old', true) }, ['selector-has-revision', 'revision-in-use']],
  ['owners that nobody watches', { unwatched: [{ kind: 'StrimziPodSet', pods: 3 }] }, ['never-ages']],
];
for (const [name, changes, codes] of rows)
  test(`doctor: ${name}`, () =>
    assert.deepEqual(
      diagnose({ ...healthy, ...changes }).map(({ code }) => code),
      codes,
    ));
