import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide, type Rules, type Subject, type Verdict } from './decide.ts';
import type { OwnerFacts } from './deploy-age.ts';

const day = 86_400_000;
const now = 1000 * day;

const rules: Rules = {
  wanted: (namespace) => {
    if (namespace === 'tied') return { kind: 'unresolved', message: 'two patterns of one length match' };
    if (namespace === 'kube-system') return { kind: 'outside', reason: 'system-namespace' };
    return { kind: 'revision', revision: namespace === 'ahead' ? '1-27-0' : '1-24-5', bucket: 'production' };
  },
  remutateAfterMs: (_bucket, revision) => (revision === '1-23-9' ? 0 : 14 * day),
  isRetired: (revision) => revision === '1-20-0' || revision === '1-27-0',
  unlabelled: (namespace) => (namespace === 'opted-in' ? 'label' : 'leave'),
  isNewer: (a, b) => a > b,
};
const served = { revisions: new Set(['1-20-0', '1-23-4', '1-23-9', '1-24-5', '1-25-2']), tags: new Set(['stable']) };

const deployed = (days: number): OwnerFacts => ({
  chain: [{ group: 'apps', kind: 'DaemonSet', namespace: 'n', name: 'd', uid: 'd', createdMs: now - days * day }],
  end: { kind: 'top' },
});
const unknownOwner: OwnerFacts = {
  chain: [],
  end: { kind: 'missing', reference: { group: 'apps', kind: 'ReplicaSet', name: 'web-7d', uid: 'u' } },
};

type Row = readonly [name: string, subject: Partial<Subject> & { readonly days?: number }, expected: string];
const rows: readonly Row[] = [
  ['outside of the mesh', { label: '1-23-4', outside: 'host network', days: 90 }, 'leave outside'],
  ['a namespace outside of the mesh', { label: '1-23-4', namespace: 'kube-system', days: 90 }, 'leave outside'],
  ['no label', { label: undefined, days: 90 }, 'leave unlabelled'],
  [
    'no label, opted in, however young',
    { label: undefined, namespace: 'opted-in', days: 0 },
    'label unlabelled 1-24-5',
  ],
  ['already on it', { label: '1-24-5', days: 90 }, 'leave current'],
  ['a tie keeps the label', { label: '1-23-4', namespace: 'tied', days: 90 }, 'leave unresolved !'],
  ['a tie keeps even a retired label', { label: '1-20-0', namespace: 'tied', days: 90 }, 'leave unresolved !'],
  ['nobody would serve the new one', { label: '1-23-4', namespace: 'ahead', days: 90 }, 'leave wanted-unserved !'],
  ['a tag', { label: 'stable', days: 90 }, 'leave tag'],
  ['retired, however young', { label: '1-20-0', days: 0 }, 'label retired 1-24-5 !'],
  ['served by nobody, however young', { label: '1-19-0', days: 0 }, 'label unserved 1-24-5 !'],
  ['forced, whoever owns it', { label: '1-23-9', facts: () => unknownOwner }, 'label forced 1-24-5'],
  ['owner not known', { label: '1-23-4', facts: () => unknownOwner }, 'leave owner-unknown !'],
  ['young', { label: '1-23-4', days: 3 }, 'leave young'],
  ['exactly as old as allowed', { label: '1-23-4', days: 14 }, 'leave young'],
  ['old', { label: '1-23-4', days: 14.001 }, 'label age 1-24-5'],
  ['old, and newer than wanted', { label: '1-25-2', days: 15 }, 'label age 1-24-5 back'],
];
for (const [name, { days = 0, ...subject }, expected] of rows)
  test(name, () => {
    const facts = () => deployed(days);
    const whole: Subject = { namespace: 'team-a', label: undefined, outside: undefined, facts, ...subject };
    assert.equal(summary(decide(whole, { rules, served, nowMs: now })), expected);
  });

test('without the configurations of the cluster only fairway.yml says what is retired', () => {
  const subject = (label: string): Subject => ({
    namespace: 'team-a',
    label,
    outside: undefined,
    facts: () => deployed(1),
  });
  const world = { rules, served: undefined, nowMs: now };
  assert.equal(summary(decide(subject('1-19-0'), world)), 'leave young');
  assert.equal(summary(decide(subject('1-20-0'), world)), 'label retired 1-24-5 !');
});

test('a selector with the label beats every reason to change it', () => {
  const [record] = deployed(90).chain;
  assert.ok(record !== undefined);
  const facts = (): OwnerFacts => ({ chain: [{ ...record, selectsRevision: true }], end: { kind: 'top' } });
  for (const label of ['1-20-0', '1-19-0', '1-23-9', '1-23-4'])
    assert.equal(
      summary(decide({ namespace: 'team-a', label, outside: undefined, facts }, { rules, served, nowMs: now })),
      'leave selector !',
    );
});

function summary(verdict: Verdict): string {
  const label = verdict.kind === 'label' ? ` ${verdict.revision}${verdict.movesBack ? ' back' : ''}` : '';
  return `${verdict.kind} ${verdict.because}${label}${verdict.note === undefined ? '' : ' !'}`;
}
