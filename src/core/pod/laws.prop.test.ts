// Laws of the machine over random pods, behaviours and orders of events (what a user may count on).
// A life is lived in the laboratory; each law then reads it. A counterexample belongs into a table as a row.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Input } from './input.ts';
import { c, type Life, live, nameOf, type Run, type Scenario, writes } from './lab.ts';
import { createPod, isOver, transition } from './machine.ts';
import { type Policy, policyOf } from './policy.ts';
import { runOf } from './records.ts';
import { restartsAfterExit } from './restart.ts';
import { type PodShape, shapeOf } from './shape.ts';
import type { Container, PodSpec } from './spec.ts';
import type { PodState } from './state.ts';
import type { ContainerStatus, PodStatus } from './status.ts';

interface Plan {
  readonly policy: Policy;
  readonly spec: PodSpec;
  readonly scenario: Scenario;
  /** Extra time that each answer takes in turn, so that events come in other orders. */
  readonly delays: readonly number[];
}

const policyNames = ['Always', 'OnFailure', 'Never'] as const;
const seconds = (max: number) => fc.integer({ min: 0, max: max * 4 }).map((quarters) => quarters / 4);
const exitCode = fc.constantFrom(0, 0, 1, 42, 137);

const probe = fc.record({
  periodSeconds: fc.integer({ min: 1, max: 7 }),
  failureThreshold: fc.integer({ min: 1, max: 3 }),
  initialDelaySeconds: fc.constantFrom(0, 0, 3),
});
const maybeProbe = fc.option(probe, { nil: undefined, freq: 3 });
const hook = fc.option(fc.constant({ exec: { command: ['x'] } }), { nil: undefined, freq: 4 });
const rules = fc.constantFrom(undefined, undefined, 'Restart' as const, 'RestartAllContainers' as const);

function container(name: string, role: 'init' | 'sidecar' | 'main'): fc.Arbitrary<Container> {
  const own =
    role === 'sidecar'
      ? fc.constant('Always' as const)
      : fc.constantFrom(undefined, undefined, 'Never' as const, 'OnFailure' as const);
  return fc
    .record({
      own,
      rule: rules,
      startup: maybeProbe,
      liveness: maybeProbe,
      readiness: maybeProbe,
      preStop: hook,
      postStart: hook,
    })
    .map((drawn) => {
      const restarting = drawn.own === undefined ? {} : { restartPolicy: drawn.own, ...ruleOf(drawn.rule) };
      if (role === 'init') return c(name, restarting);
      const { preStop, postStart } = drawn;
      const probes = { startupProbe: drawn.startup, livenessProbe: drawn.liveness, readinessProbe: drawn.readiness };
      return c(name, { ...restarting, ...probes, lifecycle: { preStop, postStart } });
    });
}

function ruleOf(action: 'Restart' | 'RestartAllContainers' | undefined): Partial<Container> {
  if (action === undefined) return {};
  return { restartPolicyRules: [{ action, exitCodes: { operator: 'In', values: [42] } }] };
}

const podSpec: fc.Arbitrary<PodSpec> = fc
  .record({
    roles: fc.array(fc.constantFrom('init' as const, 'sidecar' as const), { maxLength: 3 }),
    mains: fc.integer({ min: 1, max: 2 }),
    restartPolicy: fc.constantFrom(...policyNames),
    terminationGracePeriodSeconds: fc.integer({ min: 0, max: 12 }),
    activeDeadlineSeconds: fc.option(fc.integer({ min: 5, max: 60 }), { nil: undefined, freq: 5 }),
  })
  .chain(({ roles, mains, ...rest }) =>
    fc
      .tuple(
        fc.tuple(...roles.map((role, index) => container(`${role[0]}${index}`, role))),
        fc.tuple(...Array.from({ length: mains }, (_, index) => container(`m${index}`, 'main'))),
      )
      .map(([initContainers, containers]) => ({ ...rest, initContainers, containers })),
  );

const answers = fc.tuple(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 60 })).map(
  ([from, length]) =>
    (up: number) =>
      up >= from && up < from + length ? ('success' as const) : ('failure' as const),
);
const run: fc.Arbitrary<Run> = fc
  .record(
    {
      exit: fc.tuple(seconds(25), exitCode),
      term: fc.oneof(fc.tuple(seconds(6), exitCode), fc.constant('ignore' as const)),
      preStop: fc.oneof(fc.tuple(seconds(15)), fc.tuple(seconds(3), fc.constant('no'))),
      postStart: fc.oneof(fc.tuple(seconds(4)), fc.tuple(seconds(2), fc.constant('no'))),
      probes: fc.record({ startup: answers, liveness: answers, readiness: answers }, { requiredKeys: [] }),
      startError: fc.constantFrom('RunContainerError', 'CreateContainerConfigError'),
    },
    { requiredKeys: [] },
  )
  .map(({ startError, ...rest }) =>
    startError !== undefined && rest.exit?.[1] === 1 ? { ...rest, startError } : rest,
  );

const input: fc.Arbitrary<Input> = fc.oneof(
  fc.record({ kind: fc.constant('delete' as const), gracePeriodSeconds: fc.constantFrom(undefined, 0, 1, 5, 40) }),
  fc.record({ kind: fc.constant('evictByApi' as const) }),
  fc.constant({ kind: 'kubeletRestart' as const }),
  fc.constant({ kind: 'sandboxLost' as const, sandbox: 'sandbox/0' }),
  fc.constant({ kind: 'tick' as const }),
  fc.constant({ kind: 'done' as const, call: 4 }),
  fc.constant({ kind: 'exited' as const, instance: 'm0/9', exitCode: 0 }),
  fc.record({
    kind: fc.constant('setCondition' as const),
    condition: fc.constant({ type: 'foreign', status: 'True' as const }),
  }),
  fc.constant({ kind: 'addEphemeralContainer' as const, container: c('debug') }),
  fc.constant({ kind: 'updateMetadata' as const, labels: { a: 'b' } }),
  fc.record({
    kind: fc.constant('endPod' as const),
    reason: fc.constant('Evicted'),
    message: fc.constant('m'),
    graceSeconds: fc.constantFrom(undefined, 1, 5),
    disruptionTarget: fc.boolean(),
  }),
);

const policy: fc.Arbitrary<Policy> = fc.oneof(
  fc.constant(policyOf()),
  fc.integer({ min: 1, max: 50 }).map((seed) => policyOf({ timing: 'kubelet', seed })),
);

const plan: fc.Arbitrary<Plan> = fc.record({ policy, spec: podSpec }).chain(({ policy: chosen, spec }) => {
  const names = [...(spec.initContainers ?? []), ...spec.containers].map(({ name }) => name);
  return fc
    .record({
      runs: fc.tuple(...names.map(() => fc.array(run, { minLength: 1, maxLength: 3 }))),
      inputs: fc.array(fc.tuple(seconds(60), input), { maxLength: 3 }),
      sandbox: fc.constantFrom(0, 300, 2000),
      start: fc.constantFrom(0, 100, 1500),
      delays: fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 20 }),
    })
    .map(({ runs, inputs, sandbox, start, delays }) => ({
      policy: chosen,
      spec,
      scenario: {
        runs: Object.fromEntries(names.map((name, index) => [name, runs[index]!])),
        inputs,
        costsMs: { sandbox, start, stop: 50 },
      },
      delays,
    }));
});

/** A life that is deleted at 70 s if it was not before, and watched until 200 s. */
function lived({ policy: chosen, spec, scenario, delays }: Plan): Life {
  let index = 0;
  const delayMs = () => (delays.length === 0 ? 0 : delays[index++ % delays.length]!);
  const inputs: Scenario['inputs'] = [...(scenario.inputs ?? []), [70, { kind: 'delete' }]];
  return live(chosen, spec, { ...scenario, delayMs, inputs }, 200);
}

type Law = (life: Life, plan: Plan) => void;

/** Each step with the state before it. */
function walk(life: Life, look: (before: PodState, step: Life['steps'][number]) => void): void {
  for (const [index, step] of life.steps.entries()) if (index > 0) look(life.steps[index - 1]!.state, step);
}

/** Each write of the API object with the one before it. */
function consecutive(life: Life, look: (before: PodStatus, after: PodStatus) => void): void {
  const all = writes(life);
  for (const [index, { pod }] of all.entries()) if (index > 0) look(all[index - 1]!.pod.status, pod.status);
}

const containersOf = (status: PodStatus): readonly ContainerStatus[] => [
  ...(status.initContainerStatuses ?? []),
  ...(status.containerStatuses ?? []),
  ...(status.ephemeralContainerStatuses ?? []),
];
const roleOf = (shape: PodShape, instance: string) => shape.byName.get(nameOf(instance))?.role;

const neverTwoInstances: Law = (life) => {
  const up = new Map<string, string>();
  const starting = new Map<number, string>();
  for (const { input: heard, effects } of life.steps) {
    if (heard?.kind === 'exited') up.delete(nameOf(heard.instance));
    if (heard?.kind === 'failed' && starting.has(heard.call)) up.delete(starting.get(heard.call)!);
    for (const effect of effects) {
      if (effect.kind !== 'startContainer') continue;
      const { name } = effect.container;
      assert.equal(up.get(name), undefined, `${effect.instance} starts beside ${up.get(name)}`);
      up.set(name, effect.instance);
      starting.set(effect.call, name);
    }
  }
};

const sidecarsEndLast: Law = (life, { spec }) => {
  walk(life, (before, { atMs, effects, state }) => {
    const shape = shapeOf(state.api.spec.containers === spec.containers ? spec : state.api.spec);
    if (state.job?.kind !== 'terminate') return;
    const mains = state.runtime.instances.filter(
      ({ id, state: is }) => is === 'running' && roleOf(shape, id) === 'main',
    );
    for (const effect of effects) {
      if (effect.kind !== 'stopContainer' || roleOf(shape, effect.instance) !== 'sidecar' || mains.length === 0)
        continue;
      const kill = before.kills.find(({ instance }) => instance === effect.instance);
      assert.ok(
        kill !== undefined && atMs >= kill.deadlineMs,
        `${effect.instance} is stopped while ${mains[0]!.id} runs`,
      );
    }
  });
};

const terminalIsFinal: Law = (life) => {
  consecutive(life, (before, after) => {
    if (before.phase === 'Failed' || before.phase === 'Succeeded') assert.equal(after.phase, before.phase);
  });
};

const terminalMeansEnded: Law = (life) => {
  for (const { pod } of writes(life)) {
    if (pod.status.phase !== 'Failed' && pod.status.phase !== 'Succeeded') continue;
    for (const { name, state } of containersOf(pod.status)) assert.equal(state.running, undefined, name);
    const isReady = pod.status.conditions.find(({ type }) => type === 'Ready');
    assert.notEqual(isReady?.status, 'True');
  }
};

const nothingShrinks: Law = (life) => {
  const starts = new Set(writes(life).flatMap(({ pod }) => pod.status.startTime ?? []));
  assert.ok(starts.size <= 1, 'the start time moves');
  consecutive(life, (before, after) => {
    assert.ok((after.observedGeneration ?? 0) >= (before.observedGeneration ?? 0), 'observedGeneration shrinks');
    for (const { name, restartCount } of containersOf(before)) {
      const now = containersOf(after).find((each) => each.name === name);
      assert.ok(now === undefined || now.restartCount >= restartCount, `the restart count of ${name} shrinks`);
    }
  });
};

const endsAreKept: Law = (life, { spec, policy: { gates } }) => {
  const shape = shapeOf(spec);
  if (shape.restartPolicy === 'Always' || shape.hasRestartAllRule) return;
  consecutive(life, (before, after) => {
    for (const { name, state } of containersOf(before)) {
      const slot = shape.byName.get(name);
      const now = containersOf(after).find((each) => each.name === name);
      if (state.terminated === undefined || slot === undefined || slot.role === 'sidecar' || now?.state.terminated)
        continue;
      const allowed = restartsAfterExit(slot.container, shape.restartPolicy, state.terminated.exitCode, gates);
      assert.ok(allowed, `${name} had ended with ${state.terminated.exitCode} and goes on`);
    }
  });
};

const backToPending: Law = (life, { spec }) => {
  consecutive(life, (before, after) => {
    if (before.phase !== 'Running' || after.phase !== 'Pending') return;
    const lost = life.inputs.some(([, heard]) => heard.kind === 'sandboxLost');
    assert.ok(lost || shapeOf(spec).hasRestartAllRule, 'Running turns Pending');
  });
};

const oneSandbox: Law = (life) => {
  for (const { state } of life.steps) assert.ok(state.runtime.sandboxes.filter(({ ready }) => ready).length <= 1);
};

const initsInOrder: Law = (life, { spec }) => {
  const shape = shapeOf(spec);
  walk(life, (_, { effects, state }) => {
    for (const effect of effects) {
      if (effect.kind !== 'startContainer' || effect.role === 'ephemeral') continue;
      const here = state.runtime.instances.filter(
        ({ sandbox, id }) => sandbox === effect.sandbox && id !== effect.instance,
      );
      if (here.some(({ id }) => roleOf(shape, id) === 'main')) continue;
      const index = shape.inits.findIndex(({ container: each }) => each.name === effect.container.name);
      for (const { container: earlier, role } of shape.inits.slice(0, index === -1 ? undefined : index)) {
        const runs = here.filter((each) => each.container === earlier.name);
        const done =
          role === 'sidecar'
            ? runs.length > 0
            : runs.some(({ state: is, exitCode: code }) => is === 'exited' && code === 0);
        assert.ok(done, `${effect.instance} starts before ${earlier.name} is done`);
      }
    }
  });
};

const endingStartsNothing: Law = (life) => {
  walk(life, (before, { effects }) => {
    if (before.worker === 'syncing' || before.worker === 'unbound') return;
    assert.ok(!effects.some(({ kind }) => kind === 'startContainer'), `a start while ${before.worker}`);
  });
};

const killsAreShort: Law = (life) => {
  const begun = new Map<string, { readonly atMs: number; readonly graceSeconds: number }>();
  walk(life, (before, { atMs, input: heard, state }) => {
    if (heard?.kind === 'kubeletRestart') begun.clear();
    for (const { instance, graceSeconds } of state.kills)
      if (!begun.has(instance)) begun.set(instance, { atMs, graceSeconds });
    const kill = heard?.kind === 'exited' ? begun.get(heard.instance) : undefined;
    if (kill === undefined || runOf(before.runtime, (heard as { instance: string }).instance)?.state === 'exited')
      return;
    assert.ok(atMs - kill.atMs <= kill.graceSeconds * 1000 + 3000, `${atMs - kill.atMs} ms of ${kill.graceSeconds} s`);
  });
};

const thereIsAWayOn: Law = (life) => {
  assert.ok(
    isOver(life.state),
    `${life.state.worker}, ${life.state.api.status.phase}, wakes at ${life.state.wakeAtMs}`,
  );
  assert.equal(life.state.gone, true);
  assert.ok(life.steps.length < 5000, `${life.steps.length} steps`);
};

const timeGoesOn: Law = (life) => {
  for (const { state, atMs } of life.steps)
    assert.ok(state.wakeAtMs >= 0 && !Number.isNaN(state.wakeAtMs), String(atMs));
};

const replays: Law = (life, { policy: chosen, spec }) => {
  let [state, effects] = createPod(chosen, { metadata: { name: 'p', uid: 'u', annotations: undefined }, spec }, 0);
  for (const [index, step] of life.steps.entries()) {
    if (step.input !== undefined) [state, effects] = transition(chosen, state, step.input, step.atMs);
    assert.deepEqual(effects, step.effects, `step ${index}`);
  }
  assert.deepEqual(state, life.state);
};

const inputsAreNotChanged: Law = (_, { policy: chosen, spec }) => {
  const [first] = createPod(chosen, { metadata: { name: 'p' }, spec }, 0);
  const kept = JSON.stringify(first);
  transition(chosen, first, { kind: 'delete' }, 5000);
  transition(chosen, first, { kind: 'kubeletRestart' }, 5000);
  assert.equal(JSON.stringify(first), kept);
};

const laws: Readonly<Record<string, Law>> = {
  'never two instances of a container': neverTwoInstances,
  'in a termination no sidecar is told to stop before all mains have ended or the grace is over': sidecarsEndLast,
  'a terminal phase is final': terminalIsFinal,
  'a terminal phase is shown only when all containers have ended, and the pod is not ready': terminalMeansEnded,
  'the start time is fixed; restart counts and observedGeneration never shrink': nothingShrinks,
  'an ended container goes on only where policy or rules allow it': endsAreKept,
  'Running turns Pending only with a lost sandbox or a restart of all containers': backToPending,
  'at most one sandbox is ready': oneSandbox,
  'inits are done in order before anything later starts': initsInOrder,
  'a pod that ends starts nothing': endingStartsNothing,
  'nothing outlives the start of its kill by more than its grace and 3 s': killsAreShort,
  'every state has a way on: a deleted pod is gone': thereIsAWayOn,
  'virtual time never goes back': timeGoesOn,
  'the log of inputs gives the same states and effects again': replays,
  'a transition leaves the state that it was given as it was': inputsAreNotChanged,
};

for (const [name, law] of Object.entries(laws)) {
  test(`law: ${name}`, () => {
    fc.assert(
      fc.property(plan, (drawn) => law(lived(drawn), drawn)),
      { numRuns: 60 },
    );
  });
}
