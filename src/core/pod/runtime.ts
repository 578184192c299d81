// The port behind which every container runtime stands: simulated, processes of this machine, CRI. Pure types.
//
// How a shell drives the machine
// ------------------------------
//   let [state, effects] = createPod(policy, { metadata, spec }, nowMs);   // the API object is created
//   loop:
//     for each effect, in order:
//       'pod'    show or store the API object (a watch event); the machine has applied it already
//       'event'  show or store it
//       else     runtime.perform(effect, deliver)        // must not call deliver before perform returns
//     next input = the earliest of: a delivered answer, an API or node input, { kind: 'tick' } at wakeAtMs(state)
//     [state, effects] = transition(policy, state, input, nowMs)
//   until isOver(state)
//
// Order. Inputs are fed one at a time, with nowMs never going back. All effects of one transition are handed out before the next
// input. Deliveries at the same instant are fed in the order in which they were delivered, `tick` last. Every effect with a
// `call` gets exactly one answer, except stopContainer (its answer is the run's `exited`) and a cancelled hook (none needed).
// A run gets `started` at most once and `exited` exactly once after it, whatever ended it: itself, a signal, the sandbox.
//
// Time. The machine has no cost of its own under `ideal`; under `kubelet` it adds the ticks and jitter of a kubelet. What
// sandboxes, pulls, starts, hooks and stops cost is the runtime's, real or simulated.
//
// Replay. Same policy, same createPod, same inputs with the same nowMs: same states and effects, byte for byte. So a log of
// inputs is a complete record of a pod's life.
import type { Effect, RuntimeEffect } from './effect.ts';
import type { RuntimeInput } from './input.ts';

export type CancelHook = Extract<Effect, { kind: 'cancelHook' }>;

export interface ContainerRuntime {
  /** Begins the effect; `deliver` is called later, never before perform has returned, and once a call (see above). */
  perform(effect: RuntimeEffect | CancelHook, deliver: (input: RuntimeInput) => void): void;
}

/** Whether an effect is for the runtime; the others are for whoever watches. */
export function isForRuntime(effect: Effect): effect is RuntimeEffect | CancelHook {
  return effect.kind !== 'pod' && effect.kind !== 'event';
}
