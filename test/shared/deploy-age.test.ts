// The age rule against the shared case `f-deploy-age`: every pod of its input, and the three situations that its table adds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type OwnerKind,
  type OwnerRecord,
  ownerIndex,
  ownerRecord,
  reviewKrispr,
  servedByAll,
} from '../../src/core/admission/index.ts';
import { readSharedJson } from './shared.ts';

interface Thing {
  readonly kind: string;
  readonly created: string;
  readonly annotations?: Readonly<Record<string, string>>;
}
interface Situation {
  readonly id: string;
  readonly podRev: string;
  readonly chain: readonly Thing[];
  readonly siblings?: readonly Thing[];
  readonly controllerRevisions?: readonly { readonly name: string; readonly created: string }[];
  /** When the stamp was written. */
  readonly written?: string;
}
interface Case {
  readonly now: string;
  readonly maxAgeDays: number;
  readonly wanted: string;
  readonly installed: readonly string[];
  readonly pods: readonly Situation[];
}

const given = readSharedJson('cases/f-deploy-age/input.json') as Case;
const stamp = 'product.test/stamped-at';
const deployment = (stampedAt: string): Thing => ({
  kind: 'Deployment',
  created: '2022-01-01T00:00:00Z',
  annotations: { [stamp]: stampedAt },
});
const oldReplicaSet: Thing = { kind: 'ReplicaSet', created: '2024-05-01T00:00:00Z' };
const added: readonly Situation[] = [
  {
    id: 'redeploy-old-build',
    podRev: '1-23-4',
    chain: [oldReplicaSet, deployment('2024-05-01T00:00:00Z')],
    written: '2024-06-29T00:00:00Z',
  },
  {
    id: 'undo-with-stamp',
    podRev: '1-23-4',
    chain: [oldReplicaSet, deployment('2024-03-01T00:00:00Z')],
    written: '2024-06-29T00:00:00Z',
  },
  {
    id: 'statefulset-undo',
    podRev: '1-23-4',
    chain: [{ kind: 'StatefulSet', created: '2022-01-01T00:00:00Z' }],
    controllerRevisions: [
      { name: 'db-6', created: '2024-05-20T00:00:00Z' },
      { name: 'db-7', created: '2024-06-28T00:00:00Z' },
    ],
  },
];

/** Which of them move to the wanted revision; all others keep their label. */
const moves = new Set(['old-deploy', '14d-1s', 'bare-rs', 'weekly-restart', 'cronjob', 'newer-than-wanted']);
const situations = [...given.pods, ...added];

test('there are 16 situations', () => assert.equal(situations.length, 16));
for (const situation of situations)
  test(`f-deploy-age: ${situation.id}`, () => {
    const outcome = admit(situation);
    assert.ok(outcome.kind === 'decided');
    const label = outcome.verdict.kind === 'label' ? outcome.verdict.revision : situation.podRev;
    assert.equal(label, moves.has(situation.id) ? given.wanted : situation.podRev);
    if (situation.id === 'newer-than-wanted') assert.ok(outcome.verdict.kind === 'label' && outcome.verdict.movesBack);
  });

const kinds: readonly OwnerKind[] = [
  ...['ReplicaSet', 'Deployment', 'StatefulSet', 'ControllerRevision'].map((kind) => ({ group: 'apps', kind })),
  ...['Job', 'CronJob'].map((kind) => ({ group: 'batch', kind })),
];

function admit(situation: Situation) {
  const index = ownerIndex(kinds);
  const records = situation.chain.map((thing, level) =>
    record(thing, { uid: `u${level}`, owner: situation.chain[level + 1], level, situation }),
  );
  const top = situation.chain.length - 1;
  const rollouts = [
    ...(situation.siblings ?? []),
    ...(situation.controllerRevisions ?? []).map(({ created }) => ({ kind: 'ControllerRevision', created })),
  ].map((thing, i) => record(thing, { uid: `s${i}`, owner: situation.chain[top], level: top - 1, situation }));
  for (const each of [...records, ...rollouts]) index.put(each);
  const [first] = records;
  const wanted = { kind: 'revision', revision: given.wanted, bucket: 'production' } as const;
  return reviewKrispr(
    reviewOf(situation, first),
    {
      rules: {
        wanted: () => wanted,
        remutateAfterMs: () => given.maxAgeDays * 86_400_000,
        isRetired: () => false,
        unlabelled: () => 'label',
        isNewer: (a, b) => a > b,
      },
      served: servedByAll([{ revisions: new Set(given.installed), tags: new Set() }]),
      facts: (controller) => index.facts(controller, () => assert.fail('every kind is watched')),
      namespaceLabels: () => undefined,
    },
    Date.parse(given.now),
  );
}

interface Place {
  readonly uid: string;
  readonly level: number;
  readonly owner: Thing | undefined;
  readonly situation: Situation;
}

function record(thing: Thing, { uid, level, owner, situation }: Place): OwnerRecord {
  const stampedAt = thing.annotations?.[stamp];
  const key = 'fairway.dev/stamped-at';
  const made = ownerRecord(typeOf(thing.kind), {
    metadata: {
      name: uid,
      namespace: 'team-a',
      uid,
      creationTimestamp: thing.created,
      annotations: stampedAt === undefined ? {} : { [key]: stampedAt },
      managedFields:
        situation.written === undefined
          ? []
          : [{ time: situation.written, fieldsV1: { 'f:metadata': { 'f:annotations': { [`f:${key}`]: {} } } } }],
      ownerReferences: owner === undefined ? [] : [reference(owner.kind, `u${level + 1}`)],
    },
  });
  assert.ok(made !== undefined);
  return made;
}

function reviewOf({ podRev }: Situation, first: OwnerRecord | undefined): unknown {
  const ownerReferences = first === undefined ? [] : [reference(first.kind, first.uid)];
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u',
      operation: 'CREATE',
      resource: { group: '', version: 'v1', resource: 'pods' },
      namespace: 'team-a',
      object: { metadata: { generateName: 'x-', labels: { 'istio.io/rev': podRev }, ownerReferences } },
    },
  };
}

function typeOf(kind: string): OwnerKind {
  return { group: kind.endsWith('Job') ? 'batch' : 'apps', kind };
}

function reference(kind: string, uid: string) {
  return { apiVersion: `${typeOf(kind).group}/v1`, kind, name: uid, uid, controller: true };
}
