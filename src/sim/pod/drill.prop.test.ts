import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { budgetOf } from '../../core/forecast/index.ts';
import { type Container, type PodSpec, policyOf } from '../../core/pod/index.ts';
import { drill } from './drill.ts';
import { hookTimeOf } from './known.ts';
import type { Scenario } from './scenario/format.ts';

interface Ending {
  /** Seconds of the preStop hook; undefined: none. */
  readonly hook: number | undefined;
  /** Seconds after TERM; undefined: it ignores it. */
  readonly stop: number | undefined;
}

const ending: fc.Arbitrary<Ending> = fc.record({
  hook: fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined }),
  stop: fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined }),
});

function pod(
  grace: number,
  mains: readonly Ending[],
  sidecars: readonly Ending[],
): { readonly spec: PodSpec; readonly scenario: Scenario } {
  const container = (prefix: string) => (_: Ending, index: number) => `${prefix}${index}`;
  const made = (prefix: string, endings: readonly Ending[], rest: Partial<Container>): Container[] =>
    endings.map((end, index) => ({
      ...rest,
      name: container(prefix)(end, index),
      image: 'x:1',
      ...(end.hook === undefined ? {} : { lifecycle: { preStop: { exec: { command: ['sleep', String(end.hook)] } } } }),
    }));
  const told = (prefix: string, endings: readonly Ending[]) =>
    endings.map((end, index) => [container(prefix)(end, index), runOf(end)] as const);
  return {
    spec: {
      terminationGracePeriodSeconds: grace,
      containers: made('m', mains, {}),
      initContainers: made('s', sidecars, { restartPolicy: 'Always' }),
    },
    scenario: { containers: Object.fromEntries([...told('m', mains), ...told('s', sidecars)]) },
  };
}

function runOf({ stop }: Ending): NonNullable<Scenario['containers']>[string] {
  return stop === undefined
    ? { run: 'deaf' }
    : { run: [{ trap: { TERM: [{ sleep: stop }, { exit: 0 }] } }, { sleep: 'forever' }] };
}

test('no life ends outside its forecast: signals, kills and the whole termination lie within the budget', () => {
  const endings = (min: number) => fc.array(ending, { minLength: min, maxLength: 3 });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 15 }), endings(1), endings(0), (grace, mains, sidecars) => {
      const { spec, scenario } = pod(grace, mains, sidecars);
      const budget = budgetOf(spec, hookTimeOf(scenario));
      const drilled = drill({ manifest: { metadata: { name: 'p' }, spec }, scenario, policy: policyOf() });
      assert.equal(drilled.kind, 'drilled');
      if (drilled.kind !== 'drilled') return;
      assert.equal(drilled.ends.length, mains.length + sidecars.length);
      for (const step of budget.steps) {
        const end = drilled.ends.find(({ container }) => container === step.container);
        const termMs = end?.signal?.atMs ?? Number.NaN;
        assert.ok(
          termMs >= step.termMs[0] && termMs <= step.termMs[1],
          `${step.container}: SIGTERM at ${termMs}, not in ${step.termMs}`,
        );
        assert.ok(
          (end?.exit?.atMs ?? Number.NaN) <= step.killMs,
          `${step.container}: ended at ${end?.exit?.atMs}, after ${step.killMs}`,
        );
      }
    }),
    { numRuns: 150 },
  );
});
