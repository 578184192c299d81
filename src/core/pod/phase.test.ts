import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spec, status } from './notation.ts';
import { podPhase } from './phase.ts';
import { gatesOf } from './policy.ts';
import { shapeOf } from './shape.ts';
import type { RestartPolicy } from './spec.ts';
import type { PodPhase } from './status.ts';

interface Moment {
  readonly initialized?: boolean;
  readonly terminal?: boolean;
}
/** States: one notation a container, inits first. */
type Row = readonly [id: string, pod: string, policy: RestartPolicy, states: string, phase: PodPhase, moment?: Moment];

const before = { initialized: false };
const over = { terminal: true };
const A = 'Always';
const O = 'OnFailure';
const N = 'Never';

const mainsOnly: readonly Row[] = [
  ['PH-A/A1', 'a b', A, '– –', 'Pending'],
  ['PH-O/O1', 'a b', O, '– –', 'Pending'],
  ['PH-N/N1', 'a b', N, '– –', 'Pending'],
  ['PH-A/A2', 'a b', A, 'R R', 'Running'],
  ['PH-O/O2', 'a b', O, 'R R', 'Running'],
  ['PH-N/N2', 'a b', N, 'R R', 'Running'],
  ['PH-A', 'a b', A, 'T≠ T≠', 'Running'],
  ['PH-O/O4', 'a b', O, 'T≠ T≠', 'Running'],
  ['PH-N/N4', 'a b', N, 'T≠ T≠', 'Failed'],
  ['PH-A/A5', 'a b', A, 'T0 T≠', 'Failed', over],
  ['PH-A/A7', 'a b', A, 'R –', 'Pending'],
  ['PH-O/O6', 'a b', O, 'R –', 'Pending'],
  ['PH-N/N6', 'a b', N, 'R –', 'Pending'],
  ['PH-A/A8', 'a b', A, 'R W', 'Pending'],
  ['PH-O/O7', 'a b', O, 'R W', 'Pending'],
  ['PH-N/N7', 'a b', N, 'R W', 'Pending'],
];

const inits: readonly Row[] = [
  ['PH-I/I1', 'x|a b', A, '– – –', 'Pending', before],
  ['PH-I/I8', 'x|a b', N, '– – –', 'Pending', before],
  ['PH-I/I2', 'x|a b', A, 'R – –', 'Pending', before],
  ['PH-I/I9', 'x|a b', N, 'R – –', 'Pending', before],
  ['PH-I/I10', 'x|a b', N, 'T≠ – –', 'Failed', before],
  ['PH-I/I4', 'x|a b', A, 'W+0 – –', 'Pending', before],
  ['PH-I/I11', 'x|a b', N, 'W+0 – –', 'Pending', before],
  ['PH-I/I5', 'x|a b', A, 'W+≠ – –', 'Pending', before],
  ['PH-I/I12', 'x|a b', N, 'W+≠ – –', 'Failed', before],
  ['PH-I/I7', 'x|a b', A, 'T0 R R', 'Running'],
  ['PH-I/I14', 'x|a b', N, 'T0 R R', 'Running'],
];

const sidecars: readonly Row[] = [
  ['PH-S/S1', 'x*|a b', A, '– – –', 'Pending', before],
  ['PH-S/S2', 'x*|a b', A, 'R – –', 'Pending', before],
  ['PH-S/S3', 'x*|a b', A, 'T0 – –', 'Pending', before],
  ['PH-S/S4', 'x*|a b', A, 'W+0 – –', 'Pending', before],
  ['PH-S/S5', 'x*|a b', A, 'W+≠ – –', 'Pending', before],
  ['PH-S/S6', 'x*|a b', A, 'W – –', 'Pending', before],
  ['PH-S/S7', 'x*|a b', A, 'R* R –', 'Pending'],
  ['PH-S/S9', 'x*|a b', A, 'R R R', 'Running'],
  ['PH-S/S10', 'x*|a b', A, 'T0 R R', 'Running'],
  ['PH-S/S12', 'x*|a b', A, 'T≠ T0 T0', 'Succeeded', over],
  ['PH-S/S13', 'x*|a b', A, 'T0 T0 T0', 'Succeeded', over],
  ['PH-S/S15', 'x*|a b', N, '– – –', 'Pending', before],
  ['PH-S/S16', 'x*|a b', N, 'R – –', 'Pending', before],
  ['PH-S/S17', 'x*|a b', N, 'T0 – –', 'Pending', before],
  ['PH-S/S18', 'x*|a b', N, 'W+0 – –', 'Pending', before],
  ['PH-S/S19', 'x*|a b', N, 'W+≠ – –', 'Pending', before],
  ['PH-S/S20', 'x*|a b', N, 'W – –', 'Pending', before],
  ['PH-S/S21', 'x*|a b', N, 'R* R –', 'Pending'],
  ['PH-S/S23', 'x*|a b', N, 'R T0 T0', 'Running'],
  ['PH-S/S24', 'x*|a b', N, 'T0 T0 T0', 'Succeeded'],
  ['PH-S/S26', 'x*|a b', N, 'W+0 T0 T0', 'Succeeded'],
  ['PH-S/S27', 'x*|a b', N, 'W+≠ T0 T0', 'Succeeded'],
  ['PH-H/H1', 'x y*|a', A, 'R R R', 'Pending', before],
  ['PH-H/H2', 'x y*|a', A, 'R R T0', 'Pending', before],
  ['PH-H/H4', 'x y*|a', A, 'T0 R T0', 'Running'],
  ['PH-H/H5', 'x y*|a', A, 'T0 R R', 'Running'],
];

const ownPolicies: readonly Row[] = [
  ['PH-C/C1', 'a:Never', A, 'T≠', 'Failed'],
  ['PH-C/C2', 'a:OnFailure', A, 'T≠', 'Running'],
  ['PH-C/C4', 'a:Always b', N, 'T0 T≠', 'Running'],
  ['PH-C/C5', 'a:Never b:OnFailure', A, 'T≠ T0', 'Failed'],
  ['PH-C/C6', 'a:Never b:OnFailure', A, 'T0 T0', 'Succeeded'],
  ['PH-C/C7', 'x:Never|a', A, 'T≠ W', 'Failed', before],
  ['PH-C/C9', 'x*|a', N, 'T≠ –', 'Pending', before],
];

const restartingAll: readonly Row[] = [
  ['PH-R/R1', 'a:Never!42', N, 'T42', 'Running'],
  ['PH-R/R2', 'x:Never!42|a', N, 'T42 W', 'Pending', before],
  ['PH-R/R4', 's*!42 x|a', N, 'T42 W W', 'Pending', before],
  ['PH-R/R5', 'a:Never!42', N, 'W!', 'Running'],
  ['PH-R/R7', 's*!42|a', N, 'W! W', 'Pending', before],
  ['PH-R/R8', 's*!42 x|a', N, 'W! W! W', 'Pending', before],
  ['PH-R/R9', 'x|a:Never!42', N, 'T0 W!', 'Running'],
  ['PH-R/R11', 'x:Never!42|a', N, 'T0 W', 'Pending', before],
  ['PH-R/R12', 's*!42|a', N, 'W! W!', 'Running'],
  ['PH-R/R14', 's*!42 x|a', N, 'R W! W', 'Pending', before],
];

for (const [id, pod, policy, states, expected, moment = {}] of [
  ...mainsOnly,
  ...inits,
  ...sidecars,
  ...ownPolicies,
  ...restartingAll,
]) {
  test(`${id}: "${pod}" under ${policy} as ${states} is ${expected}`, () => {
    const shape = shapeOf(spec(pod, policy));
    const notations = states.split(' ');
    const names = [...shape.inits, ...shape.mains].map(({ container }) => container.name);
    const known = new Map(names.map((name, index) => [name, status(name, notations[index] ?? '–')]));
    const phase = podPhase({
      shape,
      statusOf: (name) => known.get(name),
      terminal: moment.terminal ?? false,
      initialized: moment.initialized ?? true,
      isStatic: false,
      gates: gatesOf('1.37'),
    });
    assert.equal(phase, expected);
  });
}
