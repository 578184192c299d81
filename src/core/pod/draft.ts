// One transition at work: the next state while it is being made, the effects so far, and the few things that every part of the
// machine needs: a number for a call, a draw from the seed, the next relist. Records of the state are replaced, never changed.
import type { Effect, InstanceId, PodEvent } from './effect.ts';
import type { Policy } from './policy.ts';
import { type PodShape, shapeOf } from './shape.ts';
import type { Instance, PodState, WorkerClock } from './state.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface Draft {
  readonly policy: Policy;
  readonly nowMs: number;
  readonly state: Mutable<PodState>;
  readonly effects: Effect[];
}

export const never = Number.POSITIVE_INFINITY;
const second = 1000;

export function shape(draft: Draft): PodShape {
  return shapeOf(draft.state.api.spec);
}

export function nextId(draft: Draft): number {
  draft.state.nextId += 1;
  return draft.state.nextId;
}

export function event(draft: Draft, about: Omit<PodEvent, 'kind'>): void {
  draft.effects.push({ kind: 'event', ...about });
}

export function setClock(draft: Draft, change: Partial<WorkerClock>): void {
  draft.state.clock = { ...draft.state.clock, ...change };
}

/** The pod's worker is to look at it at `atMs`, or earlier where that was already due. */
export function enqueue(draft: Draft, atMs: number): void {
  if (atMs < draft.state.clock.queueMs) setClock(draft, { queueMs: atMs });
}

/**
 * A run or sandbox changed in the runtime: the next relist will show it. What an earlier relist has shown meanwhile waits in the
 * worker's queue.
 */
export function changed(draft: Draft): void {
  const { changeMs } = draft.state.clock;
  if (changeMs <= draft.nowMs) enqueue(draft, changeMs);
  else if (changeMs !== never) return;
  setClock(draft, { changeMs: nextRelistMs(draft) });
}

/** A change that relists tell in two parts: one more pass follows the one that acts on it. */
export function changedTwice(draft: Draft): void {
  changed(draft);
  enqueue(draft, nextRelistMs(draft));
}

export function replaceInstance(draft: Draft, id: InstanceId, change: Partial<Instance>): void {
  const { runtime } = draft.state;
  const instances = runtime.instances.map((each) => (each.id === id ? { ...each, ...change } : each));
  draft.state.runtime = { ...runtime, instances };
}

/** A free choice of the kubelet between two bounds. */
export function choose(draft: Draft, shortest: number, longest: number): number {
  const { timing } = draft.policy;
  if (timing.kind === 'ideal' || timing.draw === 'shortest') return shortest;
  if (timing.draw === 'longest') return longest;
  draft.state.random = (Math.imul(draft.state.random ^ (draft.state.random >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
  return shortest + (draft.state.random / 2 ** 32) * (longest - shortest);
}

/** A delay times 1 … 1.5, as the worker queue spreads them; whole milliseconds. */
export function jittered(draft: Draft, delayMs: number): number {
  return Math.round(choose(draft, delayMs, delayMs * 1.5));
}

/** When the runtime's records are read next: every second, at a phase that the node's seed decides. */
export function nextRelistMs({ policy, nowMs }: Draft): number {
  return nextTickOf(policy, nowMs, 0);
}

/** When the worker queue is looked at next, not before `atMs`. */
export function queueTickMs({ policy, nowMs }: Draft, atMs: number): number {
  if (atMs <= nowMs) return nowMs;
  return policy.timing.kind === 'ideal' ? atMs : nextTickOf(policy, atMs - 1, 1);
}

function nextTickOf({ timing }: Policy, afterMs: number, stream: number): number {
  if (timing.kind === 'ideal' || timing.draw === 'shortest') return afterMs + (stream === 1 ? 1 : 0);
  if (timing.draw === 'longest') return afterMs + second;
  const phase = (Math.imul(timing.seed + 1 + stream * 7919, 0x9e3779b1) >>> 0) % second;
  return Math.floor((afterMs - phase) / second + 1) * second + phase;
}
