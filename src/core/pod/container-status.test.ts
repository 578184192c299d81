import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containerStatus, type StatusContext } from './container-status.ts';
import { runs, spec, status, statuses, view } from './notation.ts';
import { gatesOf } from './policy.ts';
import { shouldRestartAll } from './restart.ts';
import { exitCodeOfNewest } from './restart-all.ts';
import { shapeOf } from './shape.ts';
import type { PodSpec } from './spec.ts';
import type { ContainerState, ContainerStatus } from './status.ts';

const gates = gatesOf('1.37');
const noErrors = () => undefined;

function contextOf(pod: PodSpec, records: string, previous: readonly ContainerStatus[]): StatusContext {
  const shape = shapeOf(pod);
  const runtime = view('0', records);
  const previousOf = (name: string) => previous.find((each) => each.name === name);
  const exitCodeOf = (name: string) => exitCodeOfNewest(runtime, name) ?? previousOf(name)?.state.terminated?.exitCode;
  return {
    shape,
    view: runtime,
    previousOf,
    startErrorOf: noErrors,
    deleting: false,
    restartAll: shouldRestartAll(shape, false, exitCodeOf, gates),
    mainStarted: runtime.instances.some(({ container }) => shape.byName.get(container)?.role === 'main'),
    gates,
  };
}

const word = (state: ContainerState | undefined): string => {
  if (state?.running) return 'R';
  if (state?.terminated) return `T${state.terminated.exitCode} ${state.terminated.reason}`;
  return state?.waiting ? `W ${state.waiting.reason ?? ''}`.trim() : '–';
};
const line = ({ state, lastState, restartCount }: ContainerStatus): string =>
  [word(state), ...(lastState ? [`last ${word(lastState)}`] : []), `count ${restartCount}`].join(', ');
const convert = (context: StatusContext, name: string) =>
  line(containerStatus(context.shape.byName.get(name)!, context));
const counted = (each: ContainerStatus | undefined, restartCount: number): ContainerStatus => ({
  ...each!,
  restartCount,
});

test('CS1: a run that is gone while its pod is deleted is waiting again, lost with 137, the count as it was', () => {
  const context = contextOf(spec('a'), '', [status('a', 'R')!]);
  const got = convert({ ...context, deleting: true }, 'a');
  assert.equal(got, 'W ContainerCreating, last T137 ContainerStatusUnknown, count 0');
});

test('CS2: the same without a deletion counts a restart', () => {
  const got = convert(contextOf(spec('a'), '', [status('a', 'R')!]), 'a');
  assert.equal(got, 'W ContainerCreating, last T137 ContainerStatusUnknown, count 1');
});

test('CS4: a run that the runtime counts as its first follows an end that the API knew as the fifth', () => {
  const previous = { ...counted(status('a', 'T≠'), 5), containerID: 'old' };
  assert.equal(convert(contextOf(spec('a'), 'a R', [previous]), 'a'), 'R, last T1 Error, count 6');
});

const all = 'W RestartingAllContainers, last T137 RestartingAllContainers, count 1';
const sources: readonly (readonly [id: string, records: string, previous: string, a: string, b: string])[] = [
  ['CS5', 'a R, b T42', 'a R, b R', 'R, count 0', 'T42 Error, count 0'],
  ['CS7', '', 'a T137, b T42', all, all],
  ['CS8', '', 'a R, b T42', all, all],
];

for (const [id, records, previous, a, b] of sources) {
  test(`${id}: source b at 42; records "${records}", before ${previous}: a is ${a}; b is ${b}`, () => {
    const context = contextOf(spec('a b:Never!42', 'Never'), records, statuses(previous));
    assert.deepEqual([convert(context, 'a'), convert(context, 'b')], [a, b]);
  });
}

const halfRemoved: readonly (readonly [id: string, code: number])[] = [
  ['CS10', 0],
  ['CS11', 1],
];

for (const [id, code] of halfRemoved) {
  test(`${id}: a has ended with ${code} and is still there, b is removed already`, () => {
    const previous = [counted(status('a', 'R'), 1), counted(status('b', 'R'), 0)];
    const context = { ...contextOf(spec('a b:Never!42', 'Never'), `a T${code}`, previous), restartAll: true };
    const own = {
      ...context,
      view: { ...context.view, instances: runs(`a T${code}`).map((run) => ({ ...run, restartCount: 1 })) },
    };
    assert.equal(convert(own, 'a'), `T${code} ${code === 0 ? 'Completed' : 'Error'}, count 1`);
    assert.equal(convert(own, 'b'), all);
  });
}

test('CS13: a sidecar whose record is lost while the main runs waits as in initialization', () => {
  assert.match(convert(contextOf(spec('s*|m'), 'm R', [status('m', 'R')!]), 's'), /^W PodInitializing/);
});

test('CS: a regular init whose record is lost after initialization has ended well', () => {
  assert.equal(convert(contextOf(spec('i|m'), 'm R', []), 'i'), 'T0 Completed, count 0');
});

const error = { reason: 'E', message: 'why' };
const held = 'W E, last T1 Error';
const kept = (code: number, last: number) => `T${code} ${code === 0 ? 'Completed' : 'Error'}, last T${last} Error`;
const failedStarts: readonly (readonly [id: string, pod: PodSpec, succeeded: string | undefined, failed: string])[] = [
  ['CS14', spec('c', 'Never'), kept(0, 2), kept(1, 3)],
  ['CS15', spec('c', 'OnFailure'), kept(0, 2), held],
  ['CS17', spec('c|m', 'Always'), kept(0, 2), held],
  ['CS18', spec('c:Never?1', 'Always'), undefined, held],
  ['CS20', spec('c:Never', 'Always'), kept(0, 2), kept(1, 3)],
  ['CS21', spec('c:OnFailure', 'Always'), kept(0, 2), held],
];

for (const [id, pod, succeeded, failed] of failedStarts) {
  test(`${id}: with a start error and two ended runs: after 0 ${succeeded ?? 'not asked'}; after 1 ${failed}`, () => {
    const ask = (records: string) => {
      const context = { ...contextOf(pod, records, []), mainStarted: false, startErrorOf: () => error };
      return convert(context, 'c').replace(/, count \d$/, '');
    };
    if (succeeded !== undefined) assert.equal(ask('c T0, c T2'), succeeded);
    assert.equal(ask('c T1, c T3'), failed);
  });
}

test('a created run waits without a reason; an unknown one that was seen running has ended unknown', () => {
  assert.equal(convert(contextOf(spec('a'), 'a C', []), 'a'), 'W, count 0');
  assert.match(convert(contextOf(spec('a'), 'a U', [status('a', 'R')!]), 'a'), /^T137 ContainerStatusUnknown/);
});
