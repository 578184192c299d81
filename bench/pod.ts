// The Pod lifecycle machine: pods of three containers, one with a readiness probe of 10 s, started, served for 60 virtual seconds,
// deleted, with a kubelet's timing. A row a size: cost must grow with the number of pods and no faster.
import {
  createPod,
  type Effect,
  type Input,
  isOver,
  type PodState,
  type Policy,
  policyOf,
  type Transition,
  transition,
  wakeAtMs,
} from '../src/core/pod/index.ts';
import { type EventQueue, eventQueue } from '../src/sim/queue.ts';
import { type Row, stopwatch } from './measure.ts';

export const title = 'Pod lifecycle: start, 60 s of service, deletion';

const spec = {
  containers: [
    { name: 'web', image: 'web:1', readinessProbe: { httpGet: { port: 80 }, periodSeconds: 10 } },
    { name: 'log', image: 'log:1' },
    { name: 'aux', image: 'aux:1' },
  ],
};
const servedMs = 63_000;
const costsMs = { createSandbox: 600, startContainer: 120, stopContainer: 300, stopSandbox: 80, other: 5 };

interface Due {
  readonly atMs: number;
  readonly pod: number;
  readonly input: Input;
}

interface World {
  readonly policy: Policy;
  readonly queue: EventQueue<Due>;
  readonly states: PodState[];
  readonly wakes: number[];
}

const tick: Input = { kind: 'tick' };

export function run(): Row[] {
  return [
    { name: '2,500 pods', ...stopwatch(() => livePods(2500), 3) },
    { name: '10,000 pods', ...stopwatch(() => livePods(10_000), 3), goalMs: 2000 },
  ];
}

/** Lives that many pods to their end; answers how many transitions that took. */
function livePods(pods: number): number {
  const world: World = { policy: policyOf({ timing: 'kubelet', seed: 1 }), queue: eventQueue(), states: [], wakes: [] };
  for (let pod = 0; pod < pods; pod++) begin(world, pod);
  let transitions = 0;
  for (let due = world.queue.take(); due !== undefined; due = world.queue.take()) {
    const { atMs, pod, input } = due;
    if (input === tick && world.wakes[pod] !== atMs) continue;
    transitions++;
    keep(world, pod, transition(world.policy, world.states[pod]!, input, atMs), atMs);
  }
  if (!world.states.every(isOver)) throw new Error('a pod has not ended');
  return transitions;
}

function begin(world: World, pod: number): void {
  const atMs = pod % 1000;
  keep(world, pod, createPod(world.policy, { metadata: { name: `p${pod}`, uid: `u${pod}` }, spec }, atMs), atMs);
  put(world, { atMs: atMs + servedMs, pod, input: { kind: 'delete' } });
}

function put({ queue }: World, due: Due): void {
  queue.put(due.atMs, due);
}

function keep(world: World, pod: number, [state, effects]: Transition, nowMs: number): void {
  world.states[pod] = state;
  for (const effect of effects) perform(world, pod, effect, nowMs);
  const wakeMs = Math.max(wakeAtMs(state), nowMs);
  if (wakeMs !== world.wakes[pod] && wakeMs !== Number.POSITIVE_INFINITY)
    put(world, { atMs: wakeMs, pod, input: tick });
  world.wakes[pod] = wakeMs;
}

function perform(world: World, pod: number, effect: Effect, nowMs: number): void {
  switch (effect.kind) {
    case 'pod':
    case 'event':
    case 'cancelHook':
      return;
    case 'createSandbox': {
      const input = { kind: 'sandboxCreated', call: effect.call, ip: '10.0.0.1' } as const;
      return put(world, { atMs: nowMs + costsMs.createSandbox, pod, input });
    }
    case 'pullImage':
      return put(world, { atMs: nowMs + costsMs.other, pod, input: { kind: 'pulled', call: effect.call } });
    case 'startContainer':
      return put(world, { atMs: nowMs + costsMs.startContainer, pod, input: { kind: 'started', call: effect.call } });
    case 'probe': {
      const input = { kind: 'probed', call: effect.call, result: 'success' } as const;
      return put(world, { atMs: nowMs + costsMs.other, pod, input });
    }
    case 'stopContainer': {
      const input = { kind: 'exited', instance: effect.instance, exitCode: 0 } as const;
      return put(world, { atMs: nowMs + costsMs.stopContainer, pod, input });
    }
    default:
      return put(world, { atMs: nowMs + costsMs.stopSandbox, pod, input: { kind: 'done', call: effect.call } });
  }
}
