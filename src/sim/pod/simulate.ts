// `simulate`: a pod's whole life from its manifest and a scenario, as a list of happenings and the pod as it was at any time.
import { type Manifest, type Pod, type Policy, type PolicyOptions, policyOf } from '../../core/pod/index.ts';
import { createDriver } from './clock.ts';
import type { Happening } from './happening.ts';
import { livePod } from './life.ts';
import { spanMs } from './scenario/duration.ts';
import type { Scenario } from './scenario/format.ts';

/** The moment at which a simulated pod is created: a round one, so that timestamps are easy to read. */
const createdAtMs = Date.UTC(2026, 0, 1);

export interface SimulationOptions {
  readonly manifest: Manifest;
  readonly scenario: Scenario;
  readonly untilMs: number;
  readonly policy: Policy;
}

export interface Simulation {
  readonly happenings: readonly Happening[];
  /** The object as it was last written; also after it is gone. */
  readonly pod: Pod;
  readonly gone: boolean;
  /** Nothing can happen any more. */
  readonly over: boolean;
  readonly endedAtMs: number;
}

/** Lives a pod. Times of happenings count from the pod's creation. */
export function simulate({ manifest, scenario, untilMs, policy }: SimulationOptions): Simulation {
  const driver = createDriver(createdAtMs);
  const happenings: Happening[] = [];
  const life = livePod({
    clock: driver.clock,
    policy,
    manifest,
    scenario,
    observe: (happening) => happenings.push({ ...happening, atMs: happening.atMs - createdAtMs }),
  });
  driver.run(createdAtMs + untilMs, life.isOver);
  return {
    happenings,
    pod: life.pod,
    gone: life.state.gone,
    over: life.isOver(),
    endedAtMs: driver.clock.nowMs - createdAtMs,
  };
}

/** A policy from the command's options, then the scenario's, then the defaults. */
export function policyFor(scenario: Scenario, options: PolicyOptions): Policy {
  const { version, featureGates, maxContainerRestartPeriod, allocatable, restartAllCondition } = scenario.kubelet ?? {};
  return policyOf({
    ...options,
    version: options.version ?? version,
    gates: { ...featureGates, ...options.gates },
    maxContainerRestartPeriodMs:
      maxContainerRestartPeriod === undefined ? options.maxContainerRestartPeriodMs : spanMs(maxContainerRestartPeriod),
    allocatable: options.allocatable ?? allocatable,
    restartAllCondition: options.restartAllCondition ?? restartAllCondition,
  });
}
