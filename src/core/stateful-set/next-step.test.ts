import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextStep, type SetPod, type StatefulSetFacts, type Step, stuckFinding } from './next-step.ts';

const pod = (ordinal: number, revision: string, changes: Partial<SetPod> = {}): SetPod => ({
  name: `db-${ordinal}`,
  ordinal,
  revision,
  isReady: true,
  isTerminating: false,
  ...changes,
});
const set: StatefulSetFacts = {
  name: 'db',
  isOrdered: true,
  updates: 'RollingUpdate',
  replicas: 3,
  partition: 0,
  currentRevision: 'old',
  updateRevision: 'new',
  pods: [pod(0, 'old'), pod(1, 'old'), pod(2, 'old')],
};
const broken = { isReady: false };
const shown = (step: Step): string => {
  if (step.kind === 'create') return `create ${step.name} ${step.revision}`;
  if (step.kind === 'wait') return `wait ${step.pod.name} ${step.until}`;
  return step.kind === 'delete' ? `delete ${step.name}` : 'done';
};

const rows: readonly (readonly [name: string, changes: Partial<StatefulSetFacts>, step: string, stuck: boolean])[] = [
  ['from above', {}, 'delete db-2', false],
  ['one after another', { pods: [pod(0, 'old'), pod(1, 'old'), pod(2, 'new')] }, 'delete db-1', false],
  [
    'on its way out',
    { pods: [pod(0, 'old'), pod(1, 'old'), pod(2, 'old', { isTerminating: true })] },
    'wait db-2 gone',
    false,
  ],
  ['made anew', { pods: [pod(0, 'old'), pod(1, 'old')] }, 'create db-2 new', false],
  ['the new one starts', { pods: [pod(0, 'old'), pod(1, 'old'), pod(2, 'new', broken)] }, 'wait db-2 ready', false],
  [
    'a broken one of another revision',
    { pods: [pod(0, 'old'), pod(1, 'old'), pod(2, 'bad', broken)] },
    'wait db-2 ready',
    true,
  ],
  [
    'an old one that is broken',
    { pods: [pod(0, 'old', broken), pod(1, 'old'), pod(2, 'old')] },
    'wait db-0 ready',
    true,
  ],
  [
    'in parallel a broken one is replaced',
    { isOrdered: false, pods: [pod(0, 'old'), pod(1, 'old'), pod(2, 'bad', broken)] },
    'delete db-2',
    false,
  ],
  ['below the partition', { partition: 3 }, 'done', false],
  ['a broken one below the partition', { partition: 3, pods: [pod(0, 'old', broken)] }, 'wait db-0 ready', false],
  ['on delete', { updates: 'OnDelete' }, 'done', false],
  ['an evicted one below comes back as it was', { pods: [pod(1, 'old'), pod(2, 'new')] }, 'create db-0 old', false],
  ['all new', { pods: [pod(0, 'new'), pod(1, 'new'), pod(2, 'new')] }, 'done', false],
];
for (const [name, changes, step, stuck] of rows)
  test(`StatefulSet: ${name}: ${step}`, () => {
    const facts = { ...set, ...changes };
    assert.equal(shown(nextStep(facts)), step);
    assert.equal(stuckFinding('shop/StatefulSet/db', facts) !== undefined, stuck);
  });
