// Krispr as a policy of the API server: the tables that its controller keeps, and the same label for every pod as the webhook gives that forces.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import type { Connection } from '../../src/adapters/kube/connect.ts';
import { tableObject, tableResource } from '../../src/core/install/index.ts';
import { missingWrites, shards } from '../../src/core/policy-table/index.ts';
import type { StandIn } from './injector.ts';
import { install } from './install.ts';
import { apply, fairway, kubectl, newNamespace, revisionOf, until } from './kube.ts';
import { leadTo, type Replica, startReplica, stopReplicas } from './replica.ts';
import { type Stage, stageUp } from './stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-policy-'));
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const fleet = `remutateAfter: 0
revisions: {a-1: {}, b-2: {}, c-3: {}, gone: {retired: true}}
exclude: [excluded]
admission: {unlabelled: {opted: label}}
`;
/** Nobody serves c-3; two patterns tie about twin. */
const rollouts = (revision: string): string =>
  `production: {${revision}: 100}\nahead: {c-3: 100}\ntw.*: {a-1: 100}\n.*in: {b-2: 100}\n`;
write('fairway.yml', fleet);
write('rollouts.yml', rollouts('b-2'));

let stage: Stage | undefined;
let connection: Connection;
let injector: StandIn;
before(async () => {
  stage = await stageUp('a-1', 'b-2');
  ({ connection, injector } = stage);
  apply(tagConfiguration('stable'));
  const namespaces = {
    shop: {},
    twin: {},
    excluded: {},
    opted: {},
    ahead: {},
    mist: { 'istio.io/dataplane-mode': 'ambient' },
  };
  await Promise.all(Object.entries(namespaces).map(([name, labels]) => newNamespace(name, labels)));
  await install('--config', folder, '--mode', 'policy');
});
after(async () => {
  await stage?.end();
  rmSync(folder, { recursive: true });
});

/** A tag leads to its revision's injector; here nobody is called, since no pod is made that carries it. */
function tagConfiguration(tag: string): object {
  const objectSelector = { matchExpressions: [{ key: 'istio.io/rev', operator: 'In', values: [tag] }] };
  const webhook = {
    name: 'rev.object.sidecar-injector.istio.io',
    clientConfig: { url: 'https://localhost:1/inject', caBundle: '' },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    objectSelector,
    failurePolicy: 'Ignore',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: `istio-revision-tag-${tag}`, labels: { 'istio.io/tag': tag, 'istio.io/rev': 'a-1' } },
    webhooks: [webhook],
  };
}

interface PodSpec {
  readonly namespace: string;
  readonly metadata: object;
  readonly spec?: object;
}

/** The label of a pod as it would be created; a dry run, so the same pod can be tried again. */
async function labelOf({ namespace, metadata, spec = {} }: PodSpec): Promise<string | undefined> {
  const containers = [{ name: 'app', image: 'example.test/app:1' }];
  const body = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers, ...spec } };
  const path = `/api/v1/namespaces/${namespace}/pods?dryRun=All`;
  const answer = await connection.send({ method: 'POST', path, body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return revisionOf(answer.body as Parameters<typeof revisionOf>[0]);
}

const pod = (namespace: string, revision?: string): PodSpec => ({
  namespace,
  metadata: { generateName: 'x-', ...(revision === undefined ? {} : { labels: { 'istio.io/rev': revision } }) },
});
const becomes = (what: PodSpec, revision: string): Promise<void> =>
  until(`${revision} in ${what.namespace}`, async () => (await labelOf(what)) === revision);

/** Starts the controller; it is ready before its tables are in force. */
const control = (...from: readonly string[]): Promise<Replica> => startReplica('--mode', 'policy', ...from);

function edit(text: string): void {
  const patch = JSON.stringify({ data: { 'rollouts.yml': text } });
  kubectl(['-n', 'fairway-system', 'patch', 'configmap', 'fairway-config', '--type=merge', '-p', patch]);
}

test('the API server labels by the tables, and follows the ConfigMap, namespaces and injectors', async () => {
  const replica = await control('--config-map', 'fairway-config');
  await becomes(pod('shop', 'gone'), 'b-2');
  assert.equal(await labelOf(pod('excluded', 'gone')), 'gone');
  assert.equal(await labelOf(pod('ahead', 'a-1')), 'a-1', 'nobody serves c-3');
  edit(rollouts('a-1'));
  await becomes(pod('shop', 'gone'), 'a-1');
  edit('production: {a-1: 99}\n');
  await newNamespace('fresh');
  await becomes(pod('fresh', 'gone'), 'a-1');
  edit(rollouts('b-2'));
  await becomes(pod('fresh', 'gone'), 'b-2');
  injector.configure('c-3');
  await becomes(pod('ahead', 'a-1'), 'c-3');
  kubectl(['delete', 'mutatingwebhookconfiguration', 'istio-sidecar-injector-c-3']);
  await becomes(pod('ahead', 'a-1'), 'a-1');
  kubectl(['label', 'namespace', 'fresh', 'istio.io/dataplane-mode=ambient']);
  await becomes(pod('fresh', 'gone'), 'gone');
  assert.ok((await replica.metric('fairway_admission_policy_delay_seconds_count')) >= 7, 'a writing each');
  await stopReplicas();
});

test('a folder is followed too', async () => {
  await control('--config', folder);
  for (const revision of ['a-1', 'b-2']) {
    write('rollouts.yml', rollouts(revision));
    await becomes(pod('shop', 'gone'), revision);
  }
});

const rows = {
  namespace: ['shop', 'excluded', 'opted', 'ahead', 'mist', 'twin'],
  revision: [undefined, '', 'a-1', 'b-2', 'gone', 'lost', 'stable'],
  inject: [undefined, undefined, 'true', 'false'],
  annotations: [undefined, { 'sidecar.istio.io/inject': 'false' }, { 'sidecar.istio.io/inject': 'true' }, { a: 'b' }],
  hostNetwork: [undefined, undefined, true],
  env: [
    [],
    [
      { name: 'TWICE', value: '1' },
      { name: 'TWICE', value: '2' },
    ],
  ],
  owner: [undefined, undefined, 'picky', 'easy', 'picky-db', 'picky-set'],
} as const;

type Drawn = { readonly [K in keyof typeof rows]: (typeof rows)[K][number] };

interface Owner {
  readonly labels: object;
  readonly reference: object;
}

/** Owners of pods: Deployments, a StatefulSet and a ReplicaSet of which some select by the revision's label. */
function makeOwners(): Map<string, Owner> {
  const workload = (kind: string, name: string, labels: object): object => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: 'shop' },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'example.test/app:1' }] } },
    },
  });
  const picky = (app: string) => ({ app, 'istio.io/rev': 'a-1' });
  apply(
    workload('Deployment', 'picky', picky('picky')),
    workload('Deployment', 'easy', { app: 'easy' }),
    workload('StatefulSet', 'picky-db', picky('db')),
    workload('ReplicaSet', 'picky-set', picky('set')),
  );
  return new Map([
    ['picky', ownerOf('ReplicaSet', '-l', 'app=picky')],
    ['easy', ownerOf('ReplicaSet', '-l', 'app=easy')],
    ['picky-db', ownerOf('StatefulSet', 'picky-db')],
    ['picky-set', ownerOf('ReplicaSet', 'picky-set')],
  ]);
}

interface Found {
  readonly metadata: { readonly name: string; readonly uid: string; readonly labels?: Record<string, string> };
  readonly items?: readonly Found[];
}

function ownerOf(kind: string, ...which: readonly string[]): Owner {
  const found = JSON.parse(kubectl(['-n', 'shop', 'get', kind, ...which, '-o', 'json'])) as Found;
  const { name, uid, labels = {} } = (found.items?.[0] ?? found).metadata;
  const hash = labels['pod-template-hash'];
  return {
    labels: hash === undefined ? {} : { 'pod-template-hash': hash },
    reference: { apiVersion: 'apps/v1', kind, name, uid, controller: true },
  };
}

function podOf(
  { namespace, revision, inject, annotations, hostNetwork, env, owner }: Drawn,
  owners: Map<string, Owner>,
): PodSpec {
  const of = owner === undefined || namespace !== 'shop' ? undefined : owners.get(owner);
  const wanted = { 'istio.io/rev': revision, 'sidecar.istio.io/inject': inject, ...of?.labels };
  const labels = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
  return {
    namespace,
    metadata: {
      generateName: 'x-',
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(of === undefined ? {} : { ownerReferences: [of.reference] }),
    },
    spec: { containers: [{ name: 'app', image: 'example.test/app:1', env }], ...(hostNetwork ? { hostNetwork } : {}) },
  };
}

const drawn = fc.record(
  Object.fromEntries(Object.entries(rows).map(([key, values]) => [key, fc.constantFrom<unknown>(...values)])),
) as fc.Arbitrary<Drawn>;

async function labelsOf(pods: readonly PodSpec[]): Promise<readonly (string | undefined)[]> {
  const labels: (string | undefined)[] = [];
  for (const each of pods) labels.push(await labelOf(each));
  return labels;
}

test('the webhook that forces gives every pod the same label', async () => {
  const owners = makeOwners();
  const pods = fc.sample(drawn, { numRuns: 300, seed: 7 }).map((each) => podOf(each, owners));
  await becomes(pod('shop', 'a-1'), 'b-2');
  await until('the owners that select', () => {
    const stored = kubectl(['get', tableResource.plural, '-o', 'json']);
    return ['shop/ReplicaSet/picky"', 'shop/StatefulSet/picky-db"', 'shop/ReplicaSet/picky-set"'].every((key) =>
      stored.includes(key),
    );
  });
  const byPolicy = await labelsOf(pods);
  await stopReplicas();
  kubectl(['delete', 'mutatingadmissionpolicybinding,mutatingadmissionpolicy', 'fairway-1-krispr']);
  await install('--config', folder);
  leadTo(await startReplica('--config', folder));
  await becomes(pod('shop', 'a-1'), 'b-2');
  const byWebhook = await labelsOf(pods);
  const differences = pods.flatMap((each, i) =>
    byPolicy[i] === byWebhook[i] ? [] : [{ pod: each, policy: byPolicy[i], webhook: byWebhook[i] }],
  );
  assert.deepEqual(differences, []);
  assert.ok(new Set(byPolicy).size > 4, 'the pods are not all alike');
  kubectl(['delete', 'mutatingwebhookconfiguration', 'fairway-1-krispr']);
  await stopReplicas();
});

test('more namespaces than one object may hold: several tables, each below a mebibyte, all of them looked at', async () => {
  await install('--config', folder, '--mode', 'policy', '--only', 'webhooks');
  const name = (i: number): string =>
    `namespace-with-the-longest-name-that-there-can-be-anywhere-${String(i).padStart(5, '0')}`;
  const crowd = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [name(i), 'b-2']));
  const revisions = { ...crowd, shop: 'b-2', opted: 'a-1', ahead: 'b-2', excluded: 'a-1' };
  const parts = shards({ revisions, unlabelled: {}, tags: {}, selecting: {} });
  const holding = new Set(
    ['shop', 'opted', 'ahead', 'excluded'].map((each) => parts.findIndex((part) => each in part.revisions)),
  );
  assert.ok(parts.length > 1 && holding.size > 1);
  const path = `/apis/${tableResource.group}/${tableResource.version}/${tableResource.plural}`;
  for (const each of missingWrites(parts, [])) {
    assert.ok(each.kind === 'create');
    const answer = await connection.send({ method: 'POST', path, body: tableObject(each.name, each.spec) });
    assert.equal(answer.status, 201);
    assert.ok(JSON.stringify(answer.body).length < 2 ** 20);
  }
  for (const [namespace, revision] of Object.entries({ shop: 'b-2', opted: 'a-1', ahead: 'b-2', excluded: 'a-1' }))
    await becomes(pod(namespace, 'gone'), revision);
});

test('without tables labels stay; taken out again nothing is left', async () => {
  kubectl(['delete', tableResource.plural, '--all']);
  await becomes(pod('shop', 'gone'), 'gone');
  for (const [mode, only] of [
    ['policy', 'webhooks'],
    ['policy', 'server'],
    ['webhook', 'server'],
  ] as const) {
    const made = await fairway(
      'admission',
      'manifests',
      '--image',
      'x',
      '--config',
      folder,
      '--mode',
      mode,
      '--only',
      only,
    );
    kubectl(['delete', '--ignore-not-found', '--wait=false', '-f', '-'], made.stdout);
  }
  await until('everything is gone', () => leftovers() === '').catch(() => assert.equal(leftovers(), ''));
});

/** Everything that Fairway's label is on, in the whole cluster. */
function leftovers(): string {
  const kinds =
    'crd,clusterrole,clusterrolebinding,role,rolebinding,namespace,mutatingadmissionpolicy,mutatingadmissionpolicybinding,mutatingwebhookconfiguration';
  return kubectl(['get', kinds, '-A', '-l', 'app.kubernetes.io/part-of=fairway', '-o', 'name']);
}
