// One pod alive on this machine: feeds the lifecycle engine with the runtime's answers, the API's changes and the time, and hands out what
// it wants done. Decides nothing itself.
import { randomUUID } from 'node:crypto';
import {
  createPod,
  type Effect,
  type Input,
  isForRuntime,
  isOver,
  type Manifest,
  type Pod,
  type PodState,
  type Policy,
  transition,
  wakeAtMs,
} from '../../core/pod/index.ts';
import type { PodNode, PodRuntime } from '../../ports/pod-node.ts';
import type { ObjectStore } from './objects.ts';
import type { Observer } from './observer.ts';
import { podOnNode } from './pod-on-node.ts';

export interface LivePodOptions {
  readonly policy: Policy;
  readonly node: PodNode;
  readonly objects: ObjectStore;
  readonly observer: Observer;
  readonly nowMs: () => number;
}

/** Node's timers turn longer waits into none. */
const longestWaitMs = 2 ** 31 - 1;

export class LivePod {
  readonly runtime: PodRuntime;
  /** Settles when nothing can happen to the pod any more and nothing of it is left but its logs. */
  readonly ended: Promise<void>;
  readonly #options: LivePodOptions;
  readonly #end: () => void;
  #state: PodState;
  #nowMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #over = false;

  constructor(manifest: Manifest, options: LivePodOptions) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = resolve;
    this.#options = options;
    const named = { ...manifest, metadata: { namespace: 'default', uid: randomUUID(), ...manifest.metadata } };
    const [state, effects] = createPod(options.policy, named, this.#now());
    this.#state = state;
    this.runtime = options.node.open(podOnNode(() => this.#state.api, options));
    this.#handOut(effects);
  }

  get pod(): Pod {
    return this.#state.api;
  }

  /** The API object is deleted. */
  get isGone(): boolean {
    return this.#state.gone;
  }

  get isOver(): boolean {
    return this.#over;
  }

  feed(input: Input): void {
    if (this.#over && input.kind !== 'delete') return;
    const [state, effects] = transition(this.#options.policy, this.#state, input, this.#now());
    this.#state = state;
    this.#handOut(effects);
  }

  /** Time as the engine wants it: never back, whatever the machine's clock does. */
  #now(): number {
    this.#nowMs = Math.max(this.#nowMs, this.#options.nowMs());
    return this.#nowMs;
  }

  #handOut(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (isForRuntime(effect)) this.runtime.perform(effect, (input) => this.feed(input));
      else this.#options.observer.onEffect(this.pod, effect);
    }
    clearTimeout(this.#timer);
    if (isOver(this.#state)) void this.#finish();
    else this.#scheduleTick();
  }

  #scheduleTick(): void {
    const atMs = wakeAtMs(this.#state);
    if (atMs === Number.POSITIVE_INFINITY) return;
    const waitMs = Math.min(longestWaitMs, Math.max(0, atMs - this.#options.nowMs()));
    this.#timer = setTimeout(() => this.feed({ kind: 'tick' }), waitMs);
  }

  async #finish(): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    await this.runtime.close();
    this.#end();
  }
}
