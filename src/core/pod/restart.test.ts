import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spec, view } from './notation.ts';
import { gatesOf } from './policy.ts';
import { hasActiveMain, newestRun } from './records.ts';
import { couldEverRestart, matchingRule, restartsAfterExit, shouldRestartAll, shouldStart } from './restart.ts';
import { exitCodeOfNewest } from './restart-all.ts';
import { shapeOf } from './shape.ts';
import type { RestartPolicy, RestartRule } from './spec.ts';

const gates = gatesOf('1.37');
const rule = (operator: 'In' | 'NotIn', values: readonly number[]): readonly RestartRule[] => [
  { action: 'Restart', exitCodes: { operator, values } },
];
type Rules = readonly RestartRule[] | undefined;

const decisions: readonly (readonly [
  id: string,
  own: RestartPolicy | undefined,
  rules: Rules,
  pod: RestartPolicy,
  exit: number,
  restarts: boolean,
])[] = [
  ['RD-C/C1', 'Never', rule('In', [42, 50, 60]), 'Never', 42, true],
  ['RD-C/C2', 'Never', rule('NotIn', [0, 1, 2]), 'Never', 99, true],
  ['RD-C/C4', 'Never', rule('In', [10, 20]), 'Never', 30, false],
  ['RD-C/C5', 'Never', rule('NotIn', [10, 20]), 'Never', 10, false],
  ['RD-C/C7', 'OnFailure', undefined, 'Never', 0, false],
  ['RD-C/C8', 'OnFailure', undefined, 'Never', 1, true],
  ['RD-C/C9', 'Never', undefined, 'Always', 1, false],
  ['RD-C/C11', undefined, undefined, 'OnFailure', 1, true],
  ['RD-C/C12', undefined, undefined, 'Never', 1, false],
];

for (const [id, own, rules, pod, exit, restarts] of decisions) {
  test(`${id}: own policy ${own}, pod ${pod}, exit ${exit}: ${restarts ? 'restarts' : 'stays down'}`, () => {
    const container = { name: 'a', restartPolicy: own, restartPolicyRules: rules };
    assert.equal(restartsAfterExit(container, pod, exit, gates), restarts);
  });
}

test('without the gate neither container policy nor rules count, but a sidecar is one all the same', () => {
  const off = { ...gates, ContainerRestartRules: false };
  const never = { name: 'a', restartPolicy: 'Never' as const, restartPolicyRules: rule('In', [1]) };
  assert.equal(restartsAfterExit(never, 'Never', 1, off), false);
  assert.equal(restartsAfterExit(never, 'Always', 0, off), true);
  assert.equal(restartsAfterExit({ name: 's', restartPolicy: 'Always' }, 'Never', 0, off), true);
});

const matches: readonly (readonly [id: string, rules: Rules, exit: number, matched: boolean])[] = [
  ['RD-M/M1', rule('In', [42, 50, 60]), 42, true],
  ['RD-M/M2', rule('NotIn', [0, 1, 2]), 99, true],
  ['RD-M/M4', rule('In', [42, 50, 60]), 100, false],
  ['RD-M/M5', undefined, 0, false],
];

for (const [id, rules, exit, matched] of matches) {
  test(`${id}: exit ${exit} ${matched ? 'meets' : 'misses'} the rules`, () => {
    assert.equal(matchingRule(rules, exit), matched ? rules?.[0] : undefined);
  });
}

const everRestarts: readonly (readonly [
  id: string,
  own: RestartPolicy | undefined,
  rules: Rules,
  pod: RestartPolicy | undefined,
  ever: boolean,
])[] = [
  ['RD-I/I1', 'Never', rule('In', [1]), 'Never', true],
  ['RD-I/I2', 'Always', undefined, 'Never', true],
  ['RD-I/I3', 'OnFailure', undefined, 'Never', true],
  ['RD-I/I4', 'Never', undefined, 'Always', false],
  ['RD-I/I5', undefined, undefined, 'Always', true],
  ['RD-I/I6', undefined, undefined, 'OnFailure', true],
  ['RD-I/I7', undefined, undefined, 'Never', false],
  ['RD-I/I8', undefined, undefined, undefined, true],
];

for (const [id, own, rules, pod, ever] of everRestarts) {
  test(`${id}: own policy ${own}, pod ${pod}: could ${ever ? 'some day' : 'never'} restart`, () => {
    assert.equal(couldEverRestart({ name: 'a', restartPolicy: own, restartPolicyRules: rules }, pod), ever);
  });
}

const histories: readonly (readonly [id: string, history: string, byPolicy: string])[] = [
  ['RD-S/S1', '', 'y y y'],
  ['RD-S/S2', 'a R', 'n n n'],
  ['RD-S/S4', 'a T≠', 'n y y'],
  ['RD-S/S5', 'a U', 'y y y'],
];

for (const [id, history, byPolicy] of histories) {
  test(`${id}: history "${history}" under Never, OnFailure, Always, and with deletion`, () => {
    const newest = newestRun(view('0', history), 'a');
    const ask = (podPolicy: RestartPolicy, deleting: boolean) =>
      shouldStart({ container: { name: 'a' }, podPolicy, newest, deleting }, gates) ? 'y' : 'n';
    const policies = ['Never', 'OnFailure', 'Always'] as const;
    assert.equal(policies.map((policy) => ask(policy, false)).join(' '), byPolicy);
    assert.equal(policies.map((policy) => ask(policy, true)).join(' '), 'n n n');
  });
}

const restartsAll: readonly (readonly [
  id: string,
  pod: string,
  records: string,
  conditionIsTrue: boolean,
  all: boolean,
])[] = [
  ['RD-A/A1', 'a', 'a R', true, true],
  ['RD-A/A2', 'a:Never!42', 'a T42', false, true],
  ['RD-A/A3', 'x:Never!42|a', 'x T42', false, true],
  ['RD-A/A4', 's*!42|a', 's T42', false, true],
  ['RD-A/A5', 'a', 'a T1', false, false],
];

for (const [id, pod, records, conditionIsTrue, all] of restartsAll) {
  test(`${id}: "${pod}" with "${records}": ${all ? 'all restart' : 'no restart of all'}`, () => {
    const shape = shapeOf(spec(pod, 'Never'));
    const exitCodeOf = (name: string) => exitCodeOfNewest(view('0', records), name);
    assert.equal(shouldRestartAll(shape, conditionIsTrue, exitCodeOf, gates), all);
  });
}

const activity: readonly (readonly [id: string, sandbox: string, records: string, active: boolean])[] = [
  ['RD-H/H1', '0-', 'm R', false],
  ['RD-H/H2', '0', 'i R', false],
  ['RD-H/H3', '0', 'm R, i T0', true],
  ['RD-H/H4', '1', 'i@1 R, m@0 T0, i@0 T0', false],
];

for (const [id, sandbox, records, active] of activity) {
  test(`${id}: sandbox ${sandbox} with "${records}": a main ${active ? 'has' : 'has not'} been started`, () => {
    assert.equal(hasActiveMain(view(sandbox, records), shapeOf(spec('i|m')).mains), active);
  });
}

const rulesAnywhere: readonly (readonly [id: string, pod: string, could: boolean])[] = [
  ['RD-R/R1', 'x:Never!42|a', true],
  ['RD-R/R2', 's*!42|a', true],
  ['RD-R/R3', 'a:Never!42', true],
  ['RD-R/R4', 's* x|a', false],
];

for (const [id, pod, could] of rulesAnywhere) {
  test(`${id}: all containers of "${pod}" ${could ? 'could' : 'can never'} restart together`, () => {
    assert.equal(shapeOf(spec(pod)).hasRestartAllRule, could);
  });
}
