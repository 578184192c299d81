import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gates, gatesOf, type KubeletVersion, policyOf } from './policy.ts';

const defaults: readonly (readonly [gate: keyof Gates, version: KubeletVersion, on: boolean])[] = [
  ['ContainerRestartRules', '1.34', false],
  ['ContainerRestartRules', '1.35', true],
  ['RestartAllContainersOnContainerExits', '1.35', false],
  ['RestartAllContainersOnContainerExits', '1.37', true],
  ['KubeletCrashLoopBackOffMax', '1.34', false],
  ['KubeletCrashLoopBackOffMax', '1.35', true],
  ['ReduceDefaultCrashLoopBackOffDecay', '1.37', false],
  ['ContainerStopSignals', '1.37', false],
  ['ChangeContainerStatusOnKubeletRestart', '1.34', true],
  ['ChangeContainerStatusOnKubeletRestart', '1.35', false],
];

for (const [gate, version, on] of defaults) {
  test(`${gate} is ${on ? 'on' : 'off'} in ${version}`, () => assert.equal(gatesOf(version)[gate], on));
}

test('a policy is kubelet 1.37 with ideal timing unless asked otherwise; gates can be set one by one', () => {
  assert.equal(policyOf().version, '1.37');
  assert.deepEqual(policyOf().timing, { kind: 'ideal' });
  assert.deepEqual(policyOf({ timing: 'kubelet', seed: 7 }).timing, { kind: 'kubelet', seed: 7, draw: 'seed' });
  const policy = policyOf({ gates: { ContainerStopSignals: true } });
  assert.equal(policy.gates.ContainerStopSignals, true);
  assert.equal(policy.gates.ContainerRestartRules, true);
});
