// How fast the Pod lifecycle machine is: pods of three containers, one with a readiness probe of 10 s, started, served for 60
// virtual seconds, deleted, with a kubelet's timing. `node bench/pod.ts [pods…]`; the goal is 10,000 pods in 2 s on one core,
// and a cost that grows with the number of pods and no faster.
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

const spec = {
  containers: [
    { name: 'web', image: 'web:1', readinessProbe: { httpGet: { port: 80 }, periodSeconds: 10 } },
    { name: 'log', image: 'log:1' },
    { name: 'aux', image: 'aux:1' },
  ],
};
const costsMs = { createSandbox: 600, startContainer: 120, stopContainer: 300, stopSandbox: 80, other: 5 };

interface World {
  readonly queue: Queue;
  readonly states: PodState[];
  readonly wakes: Float64Array;
  transitions: number;
}

/** A binary heap by time, then by order of arrival. */
class Queue {
  private readonly atMs: number[] = [];
  private readonly order: number[] = [];
  private readonly pods: number[] = [];
  private readonly inputs: Input[] = [];
  private count = 0;

  get size(): number {
    return this.atMs.length;
  }

  push(atMs: number, pod: number, input: Input): void {
    let at = this.atMs.length;
    this.place(at, { atMs, order: this.count++, pod, input });
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.before(at, parent)) break;
      this.swap(at, parent);
      at = parent;
    }
  }

  pop(): { readonly atMs: number; readonly pod: number; readonly input: Input } {
    const first = { atMs: this.atMs[0]!, pod: this.pods[0]!, input: this.inputs[0]! };
    const last = this.atMs.length - 1;
    this.swap(0, last);
    this.atMs.pop();
    this.order.pop();
    this.pods.pop();
    this.inputs.pop();
    let at = 0;
    for (;;) {
      let least = at;
      const left = 2 * at + 1;
      if (left < last && this.before(left, least)) least = left;
      if (left + 1 < last && this.before(left + 1, least)) least = left + 1;
      if (least === at) return first;
      this.swap(at, least);
      at = least;
    }
  }

  private place(at: number, item: { atMs: number; order: number; pod: number; input: Input }): void {
    this.atMs[at] = item.atMs;
    this.order[at] = item.order;
    this.pods[at] = item.pod;
    this.inputs[at] = item.input;
  }

  private before(a: number, b: number): boolean {
    return this.atMs[a]! < this.atMs[b]! || (this.atMs[a] === this.atMs[b] && this.order[a]! < this.order[b]!);
  }

  private swap(a: number, b: number): void {
    for (const column of [this.atMs, this.order, this.pods, this.inputs] as unknown[][]) {
      const kept = column[a];
      column[a] = column[b];
      column[b] = kept;
    }
  }
}

function run(pods: number): { readonly ms: number; readonly transitions: number } {
  const policy = policyOf({ timing: 'kubelet', seed: 1 });
  const world: World = { queue: new Queue(), states: [], wakes: new Float64Array(pods).fill(-1), transitions: 0 };
  const began = performance.now();
  for (let pod = 0; pod < pods; pod++) begin(world, policy, pod);
  while (world.queue.size > 0) {
    const { atMs, pod, input } = world.queue.pop();
    if (input.kind === 'tick' && world.wakes[pod] !== atMs) continue;
    world.transitions++;
    keep(world, pod, transition(policy, world.states[pod]!, input, atMs), atMs);
  }
  if (!world.states.every(isOver)) throw new Error('a pod has not ended');
  return { ms: performance.now() - began, transitions: world.transitions };
}

function begin(world: World, policy: Policy, pod: number): void {
  const atMs = pod % 1000;
  keep(world, pod, createPod(policy, { metadata: { name: `p${pod}`, uid: `u${pod}` }, spec }, atMs), atMs);
  world.queue.push(atMs + 63_000, pod, { kind: 'delete' });
}

function keep(world: World, pod: number, [state, effects]: Transition, nowMs: number): void {
  world.states[pod] = state;
  for (const effect of effects) perform(world, pod, effect, nowMs);
  const wakeMs = Math.max(wakeAtMs(state), nowMs);
  if (wakeMs !== world.wakes[pod] && wakeMs !== Number.POSITIVE_INFINITY) {
    world.queue.push(wakeMs, pod, { kind: 'tick' });
  }
  world.wakes[pod] = wakeMs;
}

function perform({ queue }: World, pod: number, effect: Effect, nowMs: number): void {
  switch (effect.kind) {
    case 'pod':
    case 'event':
    case 'cancelHook':
      return;
    case 'createSandbox':
      return queue.push(nowMs + costsMs.createSandbox, pod, {
        kind: 'sandboxCreated',
        call: effect.call,
        ip: '10.0.0.1',
      });
    case 'pullImage':
      return queue.push(nowMs + costsMs.other, pod, { kind: 'pulled', call: effect.call });
    case 'startContainer':
      return queue.push(nowMs + costsMs.startContainer, pod, { kind: 'started', call: effect.call });
    case 'probe':
      return queue.push(nowMs + costsMs.other, pod, { kind: 'probed', call: effect.call, result: 'success' });
    case 'stopContainer':
      return queue.push(nowMs + costsMs.stopContainer, pod, { kind: 'exited', instance: effect.instance, exitCode: 0 });
    default:
      return queue.push(nowMs + costsMs.stopSandbox, pod, { kind: 'done', call: effect.call });
  }
}

const sizes = process.argv.slice(2).map(Number);
run(500);
for (const pods of sizes.length > 0 ? sizes : [1000, 10_000]) {
  const { ms, transitions } = run(pods);
  const each = ((1000 * ms) / pods).toFixed(1);
  process.stdout.write(`${pods} pods: ${ms.toFixed(0)} ms, ${each} µs a pod, ${transitions} transitions\n`);
}
