import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ended, spec, status, statuses } from './notation.ts';
import { gatesOf } from './policy.ts';
import { shapeOf } from './shape.ts';
import type { ContainerStatus, PodCondition, PodPhase, PodStatus } from './status.ts';
import { canBeDeleted, illegalRegression, mergedStatus, protectedPhase } from './status-merge.ts';
import { finalPhase, terminatedStatus } from './terminated-status.ts';

const scheduled: PodCondition = { type: 'PodScheduled', status: 'True' };
const conditions = (text: string): readonly PodCondition[] =>
  text.split(' ').map((each) => {
    const [type = '', value = '', reason] = each.split(/[=:]/);
    return { type, status: value === 'F' ? 'False' : 'True', ...(reason === undefined ? {} : { reason }) };
  });
const base = 'Ready=T PodScheduled=T';

interface Merge {
  readonly id: string;
  readonly old?: string;
  readonly oldReason?: string;
  readonly phase?: PodPhase;
  readonly reason?: string;
  readonly now: string;
  readonly mayRun?: boolean;
  readonly result: string;
}

const merges: readonly Merge[] = [
  { id: 'SM-M/M1', now: base, result: `Running ${base}` },
  {
    id: 'SM-M/M2',
    phase: 'Failed',
    now: `${base} ContainersReady=T DisruptionTarget=T:TerminationByKubelet`,
    result:
      'Failed DisruptionTarget=T:TerminationByKubelet Ready=F:PodFailed PodScheduled=T ContainersReady=F:PodFailed',
  },
  {
    id: 'SM-M/M4',
    old: `${base} DisruptionTarget=T:EvictionByEvictionAPI`,
    now: base,
    result: `Running DisruptionTarget=T:EvictionByEvictionAPI ${base}`,
  },
  {
    id: 'SM-M/M5',
    old: `${base} DisruptionTarget=T:EvictionByEvictionAPI`,
    phase: 'Failed',
    now: `${base} DisruptionTarget=T:TerminationByKubelet`,
    result: 'Failed DisruptionTarget=T:TerminationByKubelet Ready=F:PodFailed PodScheduled=T',
  },
  {
    id: 'SM-M/M7',
    old: `${base} DisruptionTarget=T:EvictionByEvictionAPI`,
    phase: 'Failed',
    now: `${base} DisruptionTarget=T:TerminationByKubelet`,
    mayRun: true,
    result: `Running DisruptionTarget=T:EvictionByEvictionAPI ${base}`,
  },
  { id: 'SM-M/M8', now: 'Ready=F PodScheduled=T', result: 'Running Ready=F PodScheduled=T' },
  {
    id: 'SM-M/M10',
    old: `foreign=T ${base}`,
    now: 'Ready=F PodScheduled=T',
    result: 'Running foreign=T Ready=F PodScheduled=T',
  },
  { id: 'SM-M/M11', old: `foreign=T ${base}`, now: `foreign=F ${base}`, result: `Running foreign=T ${base}` },
  {
    id: 'SM-M/M13',
    oldReason: 'Unknown',
    phase: 'Failed',
    reason: 'Evicted',
    now: base,
    mayRun: true,
    result: `Running (Unknown) ${base}`,
  },
];

for (const { id, old = base, oldReason, phase = 'Running', reason, now, mayRun = false, result } of merges) {
  test(`${id}: ${phase} with ${now} over ${old}, ${mayRun ? 'may still run' : 'all ended'}: ${result}`, () => {
    const api: PodStatus = { phase: 'Running', reason: oldReason, conditions: conditions(old) };
    const merged = mergedStatus(api, { phase, reason, conditions: conditions(now) }, mayRun);
    const shown = merged.conditions.map(
      (each) =>
        `${each.type}=${each.status === 'True' ? 'T' : 'F'}${each.reason === undefined ? '' : `:${each.reason}`}`,
    );
    const why = merged.reason === undefined ? [] : [`(${merged.reason})`];
    assert.equal([merged.phase, ...why, ...shown].join(' '), result);
  });
}

const finals: readonly (readonly [id: string, before: string, after: PodPhase])[] = [
  ['SM-P/P1', 'Pending', 'Failed'],
  ['SM-P/P2', 'Running', 'Failed'],
  ['SM-P/P3', 'Unknown', 'Failed'],
  ['SM-P/P4', 'SomeUnknownPhase', 'Failed'],
  ['SM-P/P5', 'Succeeded', 'Succeeded'],
  ['SM-P/P6', 'Failed', 'Failed'],
];

for (const [id, before, after] of finals) {
  test(`${id}: a pod that ends ${before} is ${after}`, () => assert.equal(finalPhase(before as PodPhase), after));
}

/** U: ended unknown with 137. `2` after a letter: what ended before, kept as last state. */
const lastPasses: readonly (readonly [id: string, inits: string, main: string, phase: PodPhase, result: string])[] = [
  ['SM-T/T1', '', '', 'Failed', 'Failed'],
  ['SM-T/T2', '', '', 'Running', 'Failed'],
  ['SM-T/T4', '', 'W+2', 'Running', 'Failed U+2'],
  ['SM-T/T5', '', 'W', 'Running', 'Failed U'],
  ['SM-T/T7', 'W W', 'W', 'Pending', 'Failed U W; W'],
  ['SM-T/T8', 'W W T1 W', 'W', 'Pending', 'Failed U U T1 W; W'],
  ['SM-T/T9', 'W W T1', 'W', 'Pending', 'Failed U U T1; W'],
  ['SM-T/T11', 'W W W+0', 'W', 'Running', 'Failed U U U+0; U'],
  ['SM-T/T12', 'W', 'R', 'Running', 'Failed U; U'],
  ['SM-T/T14', 'W', '+0', 'Running', 'Failed U; U+0'],
];

for (const [id, inits, main, phase, result] of lastPasses) {
  test(`${id}: ended ${phase} with inits "${inits}" and main "${main}": ${result}`, () => {
    const names = inits === '' ? [] : inits.split(' ').map((_, index) => `i${index}`);
    const shape = shapeOf(spec(`${names.join(' ')}|m`));
    const before: PodStatus = {
      phase,
      conditions: [scheduled],
      initContainerStatuses: names.map((name, index) => status(name, inits.split(' ')[index]!)!),
      containerStatuses: main === '' ? [] : [mainStatus(main)],
    };
    const after = terminatedStatus({ shape, status: before, seen: before, isStatic: false });
    const parts = [after.initContainerStatuses, after.containerStatuses].map((list) =>
      (list ?? []).map(letter).join(' '),
    );
    assert.equal(`${after.phase} ${parts.filter((part) => part !== '').join('; ')}`.trim(), result);
  });
}

function mainStatus(notation: string): ContainerStatus {
  if (notation !== '+0') return status('m', notation)!;
  return { ...status('m', 'W')!, state: {}, lastState: { terminated: ended(0) } };
}

function letter({ state, lastState }: ContainerStatus): string {
  const last = lastState?.terminated === undefined ? '' : `+${lastState.terminated.exitCode}`;
  if (state.terminated === undefined) return `W${last}`;
  return state.terminated.reason === 'ContainerStatusUnknown' ? `U${last}` : `T${state.terminated.exitCode}${last}`;
}

test('a static pod is never forced into a terminal phase', () => {
  const before: PodStatus = { phase: 'Running', conditions: [], containerStatuses: [status('m', 'W')!] };
  assert.equal(
    terminatedStatus({ shape: shapeOf(spec('m')), status: before, seen: before, isStatic: true }).phase,
    'Running',
  );
});

const regressions: readonly (readonly [
  pod: string,
  policy: 'Always' | 'OnFailure' | 'Never',
  old: string,
  now: string,
  illegal?: string,
])[] = [
  ['a', 'Always', 'a T1', 'a R'],
  ['a', 'OnFailure', 'a T1', 'a R'],
  ['a', 'OnFailure', 'a T0', 'a R', 'a'],
  ['a', 'Never', 'a T1', 'a W', 'a'],
  ['a:Never?1', 'Never', 'a T1', 'a R'],
  ['a b:Never!42', 'Never', 'a T0', 'a R'],
  ['s*|a', 'Never', 's T0', 's R'],
  ['i|a', 'OnFailure', 'i T0', 'i R', 'i'],
  ['i|a', 'Always', 'i T0', 'i R'],
];

for (const [pod, policy, old, now, illegal] of regressions) {
  test(`SM: "${pod}" under ${policy}, ${old} then ${now}: ${illegal === undefined ? 'may be' : 'the update is dropped'}`, () => {
    const find = (text: string) => (name: string) => statuses(text).find((each) => each.name === name);
    const input = { shape: shapeOf(spec(pod, policy)), oldOf: find(old), newOf: find(now), gates: gatesOf('1.37') };
    assert.equal(illegalRegression(input), illegal);
  });
}

test('the phase: the API object wins over the cache, the cache over what was computed; a terminal one stays', () => {
  assert.equal(protectedPhase('Running', { phase: 'Failed' }, { phase: 'Succeeded' }).phase, 'Succeeded');
  assert.equal(protectedPhase('Running', { phase: 'Failed' }, { phase: 'Running' }).phase, 'Failed');
  assert.equal(protectedPhase('Pending', { phase: 'Running' }, { phase: 'Running' }).phase, 'Pending');
});

test('SM-X/X6 SM-X/X7: only a finished pod with a terminal phase is deleted, a mirror pod never', () => {
  const can = { deleting: true, isMirror: false, apiPhase: 'Failed' as PodPhase, workerFinished: true };
  assert.equal(canBeDeleted(can), true);
  assert.equal(canBeDeleted({ ...can, apiPhase: 'Running' }), false);
  assert.equal(canBeDeleted({ ...can, workerFinished: false }), false);
  assert.equal(canBeDeleted({ ...can, deleting: false }), false);
  assert.equal(canBeDeleted({ ...can, isMirror: true }), false);
});
