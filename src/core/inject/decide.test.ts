import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../std/json.ts';
import type { InjectorConfig } from './config.ts';
import { decide, decideFor } from './decide.ts';
import { type NodeVersion, nativeSidecars } from './native.ts';
import { openshiftIds } from './openshift.ts';
import { ownerOf } from './owner.ts';
import { proxyEnvOfPath } from './url.ts';

type Rules = Pick<InjectorConfig, 'policy' | 'neverInject' | 'alwaysInject'>;
const on: Rules = { policy: 'enabled', neverInject: [], alwaysInject: [] };
const off: Rules = { ...on, policy: 'disabled' };
const never: Rules = { ...on, neverInject: [{ matchLabels: { job: 'x' } }] };
const always: Rules = { ...off, alwaysInject: [{ matchExpressions: [{ key: 'job', operator: 'Exists' }] }] };
const key = 'sidecar.istio.io/inject';

interface Row {
  readonly rules: Rules;
  readonly labels?: JsonObject;
  readonly annotations?: JsonObject;
  readonly spec?: JsonObject;
  readonly namespace?: string;
  readonly result: readonly [inject: boolean, because: string];
}
const rows: readonly Row[] = [
  { rules: on, result: [true, 'policy'] },
  { rules: off, result: [false, 'policy'] },
  { rules: { ...on, policy: 'maybe' }, labels: { [key]: 'true' }, result: [false, 'illegal-policy'] },
  { rules: off, labels: { [key]: 'true' }, result: [true, 'label'] },
  { rules: on, labels: { [key]: 'false' }, annotations: { [key]: 'true' }, result: [false, 'label'] },
  { rules: off, annotations: { [key]: 'true' }, result: [true, 'annotation'] },
  { rules: on, annotations: { [key]: 'no' }, result: [true, 'policy'] },
  { rules: on, labels: { [key]: '' }, annotations: { [key]: 'false' }, result: [true, 'policy'] },
  { rules: never, labels: { job: 'x' }, result: [false, 'never-selector'] },
  { rules: never, labels: { job: 'x', [key]: 'true' }, result: [true, 'label'] },
  { rules: { ...never, neverInject: [{}] }, result: [true, 'policy'] },
  { rules: always, labels: { job: 'y' }, result: [true, 'always-selector'] },
  {
    rules: { ...always, neverInject: [{ matchLabels: { job: 'y' } }] },
    labels: { job: 'y' },
    result: [false, 'never-selector'],
  },
  { rules: on, spec: { hostNetwork: true }, labels: { [key]: 'true' }, result: [false, 'host-network'] },
  { rules: on, namespace: 'kube-system', labels: { [key]: 'true' }, result: [false, 'system-namespace'] },
];
for (const { rules, labels = {}, annotations = {}, spec = {}, namespace = 'team-a', result } of rows) {
  test(`decide: ${rules.policy} ${JSON.stringify({ labels, annotations, spec, namespace })} → ${result.join(' ')}`, () => {
    const { inject, because } = decide(rules, { metadata: { labels, annotations }, spec }, namespace);
    assert.deepEqual([inject, because], result);
  });
}

test('a value that is neither true nor false is told', () => {
  assert.match(
    decide(on, { metadata: { labels: { [key]: 'yes' } } }, 'a').warnings.join(),
    /"yes"; only "true" and "false"/,
  );
});

const selectors: readonly (readonly [
  operator: string,
  values: readonly string[],
  labels: JsonObject,
  matches: boolean,
])[] = [
  ['In', ['a'], { job: 'a' }, true],
  ['In', ['a'], {}, false],
  ['NotIn', ['a'], {}, true],
  ['NotIn', ['a'], { job: 'a' }, false],
  ['Exists', [], { job: 'a' }, true],
  ['DoesNotExist', [], {}, true],
  ['Sometimes', [], { job: 'a' }, false],
];
for (const [operator, values, labels, result] of selectors) {
  test(`selector: ${operator} ${values.join()} of ${JSON.stringify(labels)} is ${result}`, () => {
    const rules: Rules = { ...off, alwaysInject: [{ matchExpressions: [{ key: 'job', operator, values }] }] };
    assert.equal(decide(rules, { metadata: { labels } }, 'a').inject, result);
  });
}

const nodes = (...versions: readonly string[]): NodeVersion[] =>
  versions.map((kubelet, i) => ({ name: `n${i}`, kubelet }));
const natives: readonly (readonly [
  mode: 'auto' | 'true' | 'false',
  nodes: readonly NodeVersion[] | undefined,
  node: string,
  native: boolean,
])[] = [
  ['true', undefined, '', true],
  ['false', nodes('v1.34.0'), '', false],
  ['auto', undefined, '', false],
  ['auto', [], '', true],
  ['auto', nodes('v1.33.0', 'v1.34.1-gke.5'), '', true],
  ['auto', nodes('v1.33.0', 'v1.32.9'), '', false],
  ['auto', nodes('v1.32.0', 'v1.33.0'), 'n1', true],
  ['auto', nodes('v1.33.0', 'v1.32.0'), 'n1', false],
  ['auto', nodes('v1.33.0'), 'gone', true],
  ['auto', nodes('strange'), '', false],
];
for (const [mode, list, node, native] of natives) {
  test(`native: ${mode} with ${list?.map(({ kubelet }) => kubelet).join() ?? 'no list'} on "${node}" is ${native}`, () => {
    assert.equal(nativeSidecars(mode, list, node), native);
  });
}

const owner = (kind: string, name: string, labels: JsonObject = {}): JsonObject => ({
  metadata: {
    generateName: `${name}-`,
    namespace: 'a',
    labels,
    ownerReferences: [{ apiVersion: 'x/v1', kind, name, controller: true }],
  },
});
const owners: readonly (readonly [pod: JsonObject, kind: string, name: string, apiVersion: string])[] = [
  [owner('ReplicaSet', 'web-abc', { 'pod-template-hash': 'abc' }), 'Deployment', 'web', 'x/v1'],
  [owner('ReplicaSet', 'web-abc', { 'rollouts-pod-template-hash': 'abc' }), 'Rollout', 'web', 'v1alpha1'],
  [owner('ReplicaSet', 'web-abc'), 'ReplicaSet', 'web-abc', 'x/v1'],
  [owner('ReplicationController', 'dc-1', { deploymentconfig: 'dc' }), 'DeploymentConfig', 'dc', 'x/v1'],
  [owner('Job', 'report-28000000'), 'CronJob', 'report', 'batch/v1'],
  [owner('Job', 'report-1'), 'Job', 'report-1', 'x/v1'],
  [owner('StatefulSet', 'db'), 'StatefulSet', 'db', 'x/v1'],
  [{ metadata: { name: 'bare' } }, 'Pod', 'bare', 'v1'],
  [{ metadata: { generateName: 'once-' } }, 'Pod', '', 'v1'],
  [{}, 'Pod', '', 'v1'],
];
for (const [pod, kind, name, apiVersion] of owners) {
  test(`owner: ${JSON.stringify(pod['metadata'] ?? null)} is ${kind}/${name}`, () => {
    const found = ownerOf(pod);
    assert.deepEqual([found.kind, found.name, found.apiVersion], [kind, name, apiVersion]);
  });
}

const paths: readonly (readonly [path: string, env: Readonly<Record<string, string>>])[] = [
  ['/inject', {}],
  ['/inject/', {}],
  ['/inject/cluster/east/net/n1', { ISTIO_META_CLUSTER_ID: 'east', ISTIO_META_NETWORK: 'n1' }],
  ['/inject/mine/a--slash--b/odd', { MINE: 'a/b' }],
  ['/inject/:ENV:A=b:ENV:C=:ENV:=d', { A: 'b', C: '' }],
];
for (const [path, env] of paths) test(`environment of ${path}`, () => assert.deepEqual(proxyEnvOfPath(path), env));

test('ids of an OpenShift namespace', () => {
  assert.deepEqual(openshiftIds({}), { uid: 1337, gid: 1337 });
  assert.deepEqual(openshiftIds({ 'openshift.io/sa.scc.uid-range': '1000/10' }), { uid: 1009, gid: 1009 });
  const groups = {
    'openshift.io/sa.scc.uid-range': '1000-1009',
    'openshift.io/sa.scc.supplemental-groups': '2000/5,1/1',
  };
  assert.deepEqual(openshiftIds(groups), { uid: 1009, gid: 2004 });
});

for (const spec of [{ os: { name: 'windows' } }, { nodeSelector: { 'kubernetes.io/os': 'windows' } }])
  test(`Windows: ${JSON.stringify(spec)}`, () => {
    const wanted = { inject: true, because: 'policy', warnings: [] } as const;
    assert.equal(decideFor('fairway', { spec }, wanted).because, 'windows');
    assert.equal(decideFor('istio', { spec }, wanted), wanted);
    assert.equal(decideFor('fairway', { spec: { os: { name: 'linux' } } }, wanted), wanted);
  });
