// Case c-statefulset-stuck: an ordered set whose update was put right, and which never replaces the pod that the wrong one broke.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextStep, type SetPod, type StatefulSetFacts, stuckFinding } from '../../src/core/stateful-set/index.ts';
import { readSharedJson } from './shared.ts';

const given = readSharedJson('cases/c-statefulset-stuck/input.json') as {
  readonly podManagementPolicy: string;
  readonly replicas: number;
  readonly updateRevision: string;
  readonly pods: readonly { readonly name: string; readonly rev: string; readonly ready: boolean }[];
};
const facts: StatefulSetFacts = {
  name: 'db',
  isOrdered: given.podManagementPolicy === 'OrderedReady',
  updates: 'RollingUpdate',
  replicas: given.replicas,
  partition: 0,
  currentRevision: 'A1',
  updateRevision: given.updateRevision,
  pods: given.pods.map(({ name, rev, ready }, ordinal) => ({
    name,
    ordinal,
    revision: rev,
    isReady: ready,
    isTerminating: false,
  })),
};

test('the controller waits for db-2, and the finding says what only a person can do', () => {
  const step = nextStep(facts);
  assert.ok(step.kind === 'wait' && step.pod.name === 'db-2');
  const finding = stuckFinding('shop/StatefulSet/db', facts);
  assert.equal(
    `${finding?.message}; ${finding?.hint}`,
    'db-2 is on B1, wanted A2, not ready; OrderedReady will not replace it; delete pod db-2',
  );
});

test('with podManagementPolicy Parallel it is replaced without help', () => {
  const parallel = { ...facts, isOrdered: false };
  assert.deepEqual(nextStep(parallel), { kind: 'delete', name: 'db-2' });
  assert.equal(stuckFinding('x', parallel), undefined);
});

test('after the deletion: db-2 on A2, then db-1, then db-0, one at a time', () => {
  let pods: readonly SetPod[] = facts.pods.filter(({ name }) => name !== 'db-2');
  const seen: string[] = [];
  for (let step = nextStep({ ...facts, pods }); step.kind !== 'done'; step = nextStep({ ...facts, pods })) {
    assert.ok(seen.length < 10, 'it ends');
    if (step.kind === 'wait') {
      const { pod } = step;
      pods = pods.map((each) => (each === pod ? { ...each, isReady: true } : each));
      continue;
    }
    const { name } = step;
    seen.push(step.kind === 'create' ? `${name} on ${step.revision}` : `delete ${name}`);
    pods = pods.filter((each) => each.name !== name);
    if (step.kind === 'create') {
      const ordinal = Number(name.split('-')[1]);
      pods = [...pods, { name, ordinal, revision: step.revision, isReady: false, isTerminating: false }];
    }
  }
  assert.deepEqual(seen, ['db-2 on A2', 'delete db-1', 'db-1 on A2', 'delete db-0', 'db-0 on A2']);
});
