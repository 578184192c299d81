// One pod's life in virtual time: the engine, the simulated runtime, and the scenario's events, driven by one clock.
//
//   effects ──▶ runtime ──(later)──▶ inputs ──▶ transition ──▶ effects …        ticks come last of what is due at an instant
//
// While no kubelet listens (node lost, kubelet down) its inputs wait, and so does what it would do; the API goes on.
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
import { type Behaviour, behaviourOf } from './behaviour.ts';
import type { Clock } from './clock.ts';
import { costsOf } from './costs.ts';
import { consequenceOf, type NodeEvent } from './events.ts';
import type { NodeHappening, Observe } from './happening.ts';
import { createRuntime, type SimulatedRuntime } from './runtime.ts';
import { spanMs } from './scenario/duration.ts';
import type { Scenario, ScenarioEvent } from './scenario/format.ts';

export interface LifeOptions {
  readonly clock: Clock;
  readonly policy: Policy;
  readonly manifest: Manifest;
  readonly scenario: Scenario;
  readonly observe: Observe;
}

export interface Life {
  readonly state: PodState;
  readonly pod: Pod;
  readonly isOver: () => boolean;
  /** What the API or the node does beyond the scenario. */
  readonly feed: (input: Input) => void;
}

/** Creates the pod now; its life goes on as the clock runs. */
export function livePod(options: LifeOptions): Life {
  const { clock, policy, manifest, scenario } = options;
  const behaviour: Behaviour = behaviourOf(scenario);
  const observe = (happening: NodeHappening) => options.observe({ atMs: clock.nowMs, ...happening });
  const runtime = createRuntime({ clock, behaviour, observe, costs: costsOf(policy.timing, manifest.metadata.name) });
  const [state, effects] = createPod(policy, manifest, clock.nowMs);
  const self: Self = {
    options,
    runtime,
    state,
    tick: 0,
    tickAtMs: Number.POSITIVE_INFINITY,
    deaf: false,
    held: [],
    heldEffects: [],
  };
  const createdAtMs = clock.nowMs;
  handOut(self, effects);
  for (const event of scenario.events ?? []) clock.at(createdAtMs + spanMs(event.at), () => happen(self, event));
  return {
    get state() {
      return self.state;
    },
    get pod() {
      return self.state.api;
    },
    isOver: () => isOver(self.state),
    feed: (input) => feed(self, input),
  };
}

interface Self {
  readonly options: LifeOptions;
  readonly runtime: SimulatedRuntime;
  state: PodState;
  /** The tick that counts; older ones are stale. */
  tick: number;
  tickAtMs: number;
  /** No kubelet listens. */
  deaf: boolean;
  readonly held: Input[];
  readonly heldEffects: RuntimeWork[];
}

type RuntimeWork = Parameters<SimulatedRuntime['perform']>[0];

function feed(self: Self, input: Input): void {
  const { clock, policy } = self.options;
  const [state, effects] = transition(policy, self.state, input, clock.nowMs);
  self.state = state;
  handOut(self, effects);
}

/** An input that only a living kubelet takes. */
function feedKubelet(self: Self, input: Input): void {
  if (!self.deaf) feed(self, input);
  else if (input.kind !== 'tick') self.held.push(input);
}

function handOut(self: Self, effects: readonly Effect[]): void {
  const { clock, observe } = self.options;
  for (const effect of effects) {
    if (isForRuntime(effect)) perform(self, effect);
    else observe({ atMs: clock.nowMs, ...effect });
  }
  scheduleTick(self);
}

function perform(self: Self, effect: RuntimeWork): void {
  if (self.deaf) self.heldEffects.push(effect);
  else self.runtime.perform(effect, (input) => feedKubelet(self, input));
}

function scheduleTick(self: Self): void {
  const atMs = wakeAtMs(self.state);
  if (atMs === self.tickAtMs) return;
  self.tickAtMs = atMs;
  const tick = ++self.tick;
  self.options.clock.at(
    atMs,
    () => {
      if (tick !== self.tick) return;
      self.tickAtMs = Number.POSITIVE_INFINITY;
      feedKubelet(self, { kind: 'tick' });
    },
    true,
  );
}

function happen(self: Self, event: ScenarioEvent): void {
  const { clock, observe, policy } = self.options;
  const consequence = consequenceOf(event, self.state.api, policy.gates);
  const refusal = consequence.kind === 'refused' ? { what: `${event.do} is refused`, why: consequence.why } : undefined;
  observe({ atMs: clock.nowMs, kind: 'given', ...(refusal ?? { what: describeEvent(event), why: '' }) });
  if (consequence.kind === 'input') feed(self, consequence.input);
  if (consequence.kind === 'node') befall(self, consequence.event);
}

/** An event in a few words, for people. */
function describeEvent(event: ScenarioEvent): string {
  const { at: _at, do: verb, ...rest } = event;
  const details = Object.entries(rest).map(
    ([key, value]) => `${key} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
  );
  return [verb, ...details].join(' ');
}

function befall(self: Self, event: NodeEvent): void {
  switch (event.do) {
    case 'end-run': {
      const exit = typeof event.exit === 'number' ? { code: event.exit } : event.exit;
      if (!self.runtime.endRun(event.container, exit))
        self.options.observe({
          atMs: self.options.clock.nowMs,
          kind: 'given',
          what: 'end-run ends nothing',
          why: `${event.container} does not run`,
        });
      return;
    }
    case 'lose-record': {
      const instance = self.runtime.newestRun(event.container);
      if (instance !== undefined) feedKubelet(self, { kind: 'recordLost', instance });
      return;
    }
    case 'lose-sandbox':
      return loseSandbox(self);
    case 'kubelet-restart':
      return restartKubelet(self, spanMs(event.down ?? 0));
    case 'lose-node':
      self.deaf = true;
      return feed(self, { kind: 'nodeLost' });
    case 'node-back':
      return listenAgain(self);
  }
}

function loseSandbox(self: Self): void {
  const sandbox = self.runtime.sandbox();
  if (sandbox === undefined) return;
  self.options.observe({ atMs: self.options.clock.nowMs, kind: 'sandbox', what: 'lost', sandbox });
  feedKubelet(self, { kind: 'sandboxLost', sandbox });
}

function restartKubelet(self: Self, downMs: number): void {
  const { clock } = self.options;
  self.deaf = true;
  const back = () => {
    self.deaf = false;
    // What the old kubelet had begun is lost with it; the new one begins anew.
    self.heldEffects.length = 0;
    feed(self, { kind: 'kubeletRestart' });
    listenAgain(self);
  };
  if (downMs === 0) back();
  else clock.at(clock.nowMs + downMs, back);
}

/** What happened meanwhile is seen now; and a tick, in case one was due. */
function listenAgain(self: Self): void {
  self.deaf = false;
  for (const effect of self.heldEffects.splice(0)) perform(self, effect);
  for (const input of self.held.splice(0)) feed(self, input);
  feed(self, { kind: 'tick' });
}
