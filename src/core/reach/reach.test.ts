import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Subject, type Unreached, unreached, unreachedBecause, unreachedProblems } from './index.ts';

const undisrupted = { 'karpenter.sh/do-not-disrupt': 'true' };
const rows: readonly (readonly [what: string, subject: Partial<Subject>, because: Unreached | undefined])[] = [
  ['a Deployment', {}, undefined],
  ['a selector with the label', { selectsRevision: true, strategy: 'OnDelete' }, 'selector'],
  ['a pod of its own', { kind: 'Pod' }, 'bare-pod'],
  ['a StatefulSet that rolls', { kind: 'StatefulSet', strategy: 'RollingUpdate' }, undefined],
  ['a StatefulSet with OnDelete', { kind: 'StatefulSet', strategy: 'OnDelete' }, 'on-delete'],
  ['a DaemonSet with OnDelete', { kind: 'DaemonSet', strategy: 'OnDelete' }, 'on-delete'],
  ['a paused Deployment', { isPaused: true }, 'paused'],
  ['a Job', { kind: 'Job' }, 'runs-to-end'],
  ['a CronJob', { kind: 'CronJob', annotations: undisrupted }, undefined],
  ['a kind that nobody watches', { kind: 'CloneSet', isWatched: false }, 'unwatched-owner'],
  ['pods that Karpenter spares', { annotations: undisrupted }, 'undisrupted'],
  [
    'pods that cluster-autoscaler spares',
    { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' } },
    'undisrupted',
  ],
  ['pods that it may evict', { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' } }, undefined],
  ['a DaemonSet, for which no node stays', { kind: 'DaemonSet', annotations: undisrupted }, undefined],
];
for (const [what, subject, because] of rows)
  test(`reach: ${what}`, () =>
    assert.equal(unreachedBecause({ kind: 'Deployment', isWatched: true, ...subject }), because));

test('one warning a reason, with five names at most', () => {
  const many = Array.from({ length: 7 }, (_, i) => ({ workload: `shop/Job/${i}`, because: 'runs-to-end' as const }));
  const problems = unreachedProblems([...many, { workload: 'shop/Pod/x', because: 'bare-pod' }]);
  assert.deepEqual(
    problems.map(({ code }) => code),
    ['never-ages', 'workload-stuck'],
  );
  assert.match(problems[1]?.message ?? '', /: shop\/Job\/0, .*shop\/Job\/4 and 2 more$/);
});

test('every reason has its words', () => {
  for (const because of unreached) {
    const [problem] = unreachedProblems([{ workload: 'n/k/w', because }]);
    assert.match(problem?.message ?? '', /: n\/k\/w$/);
  }
});
