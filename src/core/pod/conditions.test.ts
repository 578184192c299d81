import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allContainersRestarting, containersReady, initialized, ready, readyToStartContainers } from './conditions.ts';
import { spec, statuses } from './notation.ts';
import { sandboxVerdict } from './sandbox.ts';
import { shapeOf } from './shape.ts';
import type { ContainerStatus, PodCondition, PodPhase } from './status.ts';

const about = (pod: string, shown: string | undefined, phase: PodPhase) => {
  const known = shown === undefined ? undefined : new Map(statuses(shown).map((each) => [each.name, each]));
  return { shape: shapeOf(spec(pod)), statusOf: known && ((name: string) => known.get(name)), phase };
};
const said = ({ status, reason, message }: PodCondition): string =>
  [status, reason, message].filter((part) => part !== undefined && part !== '').join(' ');

/** In the notation of notation.ts `ok` is running and ready, `no` running and not ready. */
const readiness: readonly (readonly [
  id: string,
  pod: string,
  shown: string | undefined,
  phase: PodPhase,
  result: string,
])[] = [
  ['CO-C/C1', '', undefined, 'Running', 'False UnknownContainerStatuses'],
  ['CO-C/C2', '', '', 'Running', 'True'],
  ['CO-C/C4', 'a b', 'a ok, b ok', 'Running', 'True'],
  ['CO-C/C5', 'a b', 'a ok', 'Running', 'False ContainersNotReady containers with unknown status: [b]'],
  ['CO-C/C7', 'a', 'a no', 'Succeeded', 'False PodCompleted'],
  ['CO-C/C8', 's*|m', 'm ok', 'Running', 'False ContainersNotReady containers with unknown status: [s]'],
  ['CO-C/C10', 's t*|m', 's ok, m ok', 'Running', 'False ContainersNotReady containers with unknown status: [t]'],
  [
    'CO-C/C11',
    's* t*|m',
    's ok, t no, m ok',
    'Running',
    'False ContainersNotReady containers with unready status: [t]',
  ],
  [
    'CO-C',
    'a b c',
    'b no',
    'Running',
    'False ContainersNotReady containers with unknown status: [a c], containers with unready status: [b]',
  ],
  ['CO-C', 'a', 'a ok', 'Failed', 'False PodFailed'],
];

for (const [id, pod, shown, phase, result] of readiness) {
  test(`${id}: "${pod}" with ${shown ?? 'nothing known'} while ${phase}: ContainersReady and Ready are ${result}`, () => {
    const input = about(pod, shown, phase);
    assert.equal(said(containersReady(input)), result);
    assert.equal(said(ready(input, undefined, [])), result);
  });
}

const missing = (gate: string) => `corresponding condition of pod readiness gate "${gate}" does not exist.`;
const unmet = (gate: string) => `the status of pod readiness gate "${gate}" is not "True", but False`;
const notReady = (message: string) => `False ReadinessGatesNotReady ${message}`;
const gates: readonly (readonly [id: string, gates: string, conditions: string, result: string])[] = [
  ['CO-R/R1', 'g1', '', notReady(missing('g1'))],
  ['CO-R/R2', 'g1', 'g1=False', notReady(unmet('g1'))],
  ['CO-R/R4', 'g1 g2', 'g1=True', notReady(missing('g2'))],
  ['CO-R/R5', 'g1 g2', 'g1=True g2=False', notReady(unmet('g2'))],
  ['CO-R/R6', 'g1 g2', 'g1=True g2=True', 'True'],
  ['CO-R', 'g1 g2', '', notReady(`${missing('g1')}, ${missing('g2')}`)],
];

for (const [id, names, set, result] of gates) {
  test(`${id}: gates ${names} with conditions "${set}": Ready is ${result}`, () => {
    const conditions = set.split(' ').flatMap((each) => {
      const [type = '', status] = each.split('=');
      return type === '' ? [] : [{ type, status: status === 'True' ? ('True' as const) : ('False' as const) }];
    });
    const wanted = names.split(' ').map((conditionType) => ({ conditionType }));
    assert.equal(said(ready(about('a', 'a ok', 'Running'), wanted, conditions)), result);
  });
}

test('CO-R: gates are not looked at while a container is not ready', () => {
  const result = said(ready(about('a', 'a no', 'Running'), [{ conditionType: 'g1' }], []));
  assert.equal(result, 'False ContainersNotReady containers with unready status: [a]');
});

const withReady = (shown: string): readonly ContainerStatus[] =>
  statuses(shown).map((each) => ({ ...each, ready: each.ready || each.state.terminated?.exitCode === 0 }));

const inits: readonly (readonly [
  id: string,
  pod: string,
  shown: string | undefined,
  phase: PodPhase,
  result: string,
])[] = [
  ['CO-I/I1', 'x y|', undefined, 'Pending', 'False UnknownContainerStatuses'],
  ['CO-I/I2', '', '', 'Running', 'True'],
  ['CO-I/I4', 'x y|', 'x T0, y T0', 'Running', 'True'],
  ['CO-I/I5', 'x y|', 'x T0', 'Running', 'False ContainersNotInitialized containers with unknown status: [y]'],
  ['CO-I/I7', 'x|', 'x T0', 'Succeeded', 'True PodCompleted'],
  ['CO-I/I8', 's*|m', 's R, m W', 'Pending', 'False ContainersNotInitialized containers with incomplete status: [s]'],
  ['CO-I/I10', 's*|m', 's R, m R', 'Running', 'True'],
  ['CO-I/I11', 'x|m', 'x W, m T1', 'Running', 'True'],
];

for (const [id, pod, shown, phase, result] of inits) {
  test(`${id}: "${pod}" with ${shown ?? 'nothing known'} while ${phase}: Initialized is ${result}`, () => {
    const known = shown === undefined ? undefined : new Map(withReady(shown).map((each) => [each.name, each]));
    const statusOf = known && ((name: string) => known.get(name));
    assert.equal(said(initialized({ shape: shapeOf(spec(pod)), statusOf, phase })), result);
  });
}

const box = { id: 'x', attempt: 0, ready: true, ip: '10.0.0.9', hostNetwork: false, stopped: false };
const sandboxes: readonly (readonly [id: string, sandboxes: readonly (typeof box)[], result: string])[] = [
  ['CO-S/S1', [], 'False PodSandboxNotReady no pod sandbox exists'],
  ['CO-S/S2', [{ ...box, ready: false }], 'False PodSandboxNotReady pod sandbox is not ready'],
  [
    'CO-S/S3',
    [{ ...box, ip: undefined as unknown as string }],
    'False PodSandboxNotReady pod sandbox has no IP address',
  ],
  ['CO-S/S4', [box], 'True'],
  ['CO-S', [box, box], 'False PodSandboxNotReady multiple pod sandboxes are ready and need to be reconciled'],
  [
    'CO-S',
    [{ ...box, hostNetwork: true }],
    'False PodSandboxNotReady network namespace mode changed and sandbox needs to be recreated',
  ],
];

for (const [id, list, result] of sandboxes) {
  test(`${id}: PodReadyToStartContainers is ${result}`, () => {
    assert.equal(said(readyToStartContainers(sandboxVerdict(list, false))), result);
  });
}

const restarting = { type: 'X', status: 'True', reason: 'Began', message: 'why' } as const;
const restartingAll: readonly (readonly [
  id: string,
  phase: PodPhase,
  old: PodCondition | undefined,
  due: boolean,
  recordsExist: boolean,
  result: string,
])[] = [
  ['CO-A/A1', 'Pending', undefined, false, true, 'False'],
  ['CO-A/A2', 'Failed', restarting, true, true, 'False PodFailed'],
  ['CO-A/A3', 'Succeeded', restarting, true, true, 'False PodCompleted'],
  ['CO-A/A5', 'Running', restarting, true, true, 'True Began why'],
  ['CO-A/A6', 'Pending', restarting, true, false, 'False'],
  [
    'CO-A',
    'Running',
    undefined,
    true,
    true,
    'True RestartAllContainersStarted container exited with restart policy rule',
  ],
];

for (const [id, phase, old, due, recordsExist, result] of restartingAll) {
  test(`${id}: while ${phase}, due ${due}, records ${recordsExist}, before ${old?.status}: ${result}`, () => {
    assert.equal(said(allContainersRestarting({ type: 'X', old, due, recordsExist, phase })), result);
  });
}
