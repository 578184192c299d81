import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ageMs, type ChainEnd, type LastDeploy, lastDeploy } from './deploy-age.ts';
import type { OwnerRecord, OwnerReference, Stamp } from './owner.ts';

const day = 86_400_000;
const now = 1000 * day;
const top: ChainEnd = { kind: 'top' };
const reference: OwnerReference = { group: 'example.org', kind: 'Fleet', name: 'f', uid: 'f' };

const ago = (days: number): number => now - days * day;
const owner = (
  kind: string,
  days: number,
  rest: { group?: string; stamp?: Stamp; specWrittenMs?: number } = {},
): OwnerRecord => ({
  group: kind.includes('Job') ? 'batch' : 'apps',
  namespace: 'n',
  kind,
  name: 'x',
  uid: kind,
  createdMs: ago(days),
  ...rest,
});

const rows: readonly (readonly [string, Parameters<typeof lastDeploy>[0], LastDeploy])[] = [
  ['a bare pod was deployed now', { chain: [], end: top }, { kind: 'at', atMs: now, by: 'bare-pod' }],
  [
    'a Deployment that has no ReplicaSet left ages by its creation',
    { chain: [owner('Deployment', 30)], end: top },
    { kind: 'at', atMs: ago(30), by: 'created' },
  ],
  [
    'its newest ReplicaSet counts, not the one that made the pod',
    { chain: [owner('ReplicaSet', 40), owner('Deployment', 900)], newestRolloutMs: ago(2), end: top },
    { kind: 'at', atMs: ago(2), by: 'rollout' },
  ],
  [
    'a Deployment made anew that adopted its ReplicaSets is as young as itself',
    { chain: [owner('ReplicaSet', 60), owner('Deployment', 1)], newestRolloutMs: ago(60), end: top },
    { kind: 'at', atMs: ago(1), by: 'created' },
  ],
  [
    'a stamp beats younger ReplicaSets: restarts keep nothing young',
    {
      chain: [owner('Deployment', 900, { stamp: { atMs: ago(100), writtenMs: ago(100) } })],
      newestRolloutMs: ago(1),
      end: top,
    },
    { kind: 'at', atMs: ago(100), by: 'stamp' },
  ],
  [
    'an old stamp written lately: an old build was deployed again',
    {
      chain: [owner('Deployment', 900, { stamp: { atMs: ago(60), writtenMs: ago(1) } })],
      newestRolloutMs: ago(50),
      end: top,
    },
    { kind: 'at', atMs: ago(1), by: 'stamp-written' },
  ],
  [
    'a stamp whose writing nobody recorded',
    { chain: [owner('Deployment', 900, { stamp: { atMs: ago(60) } })], end: top },
    { kind: 'at', atMs: ago(60), by: 'stamp' },
  ],
  [
    'a CronJob ages by its spec, not by its Job',
    { chain: [owner('Job', 0), owner('CronJob', 300, { specWrittenMs: ago(20) })], end: top },
    { kind: 'at', atMs: ago(20), by: 'spec-written' },
  ],
  [
    'a CronJob without managedFields',
    { chain: [owner('Job', 0), owner('CronJob', 300)], end: top },
    { kind: 'at', atMs: ago(300), by: 'created' },
  ],
  [
    'a Deployment that was scaled: no deploy',
    { chain: [owner('Deployment', 900, { specWrittenMs: ago(1) })], newestRolloutMs: ago(30), end: top },
    { kind: 'at', atMs: ago(30), by: 'rollout' },
  ],
  [
    "a user's kind with ReplicaSets ages by them",
    {
      chain: [owner('Rollout', 900, { group: 'argoproj.io', specWrittenMs: ago(1) })],
      newestRolloutMs: ago(30),
      end: top,
    },
    { kind: 'at', atMs: ago(30), by: 'rollout' },
  ],
  [
    "a user's kind without them ages by its spec",
    { chain: [owner('Fleet', 900, { group: 'example.org', specWrittenMs: ago(5) })], end: top },
    { kind: 'at', atMs: ago(5), by: 'spec-written' },
  ],
  ['an owner that the cache lacks', { chain: [], end: { kind: 'missing', reference } }, { kind: 'unknown', reference }],
  [
    'a Deployment that the cache lacks, under a ReplicaSet that it has',
    { chain: [owner('ReplicaSet', 40)], end: { kind: 'missing', reference } },
    { kind: 'unknown', reference },
  ],
  [
    'an owner that nobody watches: first sight',
    { chain: [], end: { kind: 'unwatched', reference, firstSeenMs: ago(3) } },
    { kind: 'at', atMs: ago(3), by: 'first-sight' },
  ],
  [
    'a young Deployment of an operator that was seen long ago',
    {
      chain: [owner('ReplicaSet', 1), owner('Deployment', 1)],
      newestRolloutMs: ago(1),
      end: { kind: 'unwatched', reference, firstSeenMs: ago(90) },
    },
    { kind: 'at', atMs: ago(1), by: 'created' },
  ],
];
for (const [name, facts, expected] of rows) test(name, () => assert.deepEqual(lastDeploy(facts, now), expected));

test('a deploy in the future has age 0', () => {
  assert.equal(ageMs({ atMs: now + 5000 }, now), 0);
  assert.equal(ageMs({ atMs: now - 5000 }, now), 5000);
});
