// Envoy's life as its agent sees it. Owns which state follows which and what the agent does at each step; refuses to know
// how: no clock, no process, no request. A shell feeds inputs, performs effects with time-outs, and wakes it at `dueAtMs`.
//
//             ready           SIGTERM                      done · deadline · SIGTERM
//  starting ────────▶ serving ───────▶ draining: final ──────────────────────▶ stopping ──▶ exited
//     │                  │                  ▲                                      ▲           ▲
//     │      /drain      │  /drain          │ SIGTERM, exit on zero asked for       │           │
//     └──────────────────┴──▶ draining: pre ┴───────────────────────────────────────┤           │
//     └─ /quitquitquit, from every state before ────────────────────────────────────┘           │
//     └─ Envoy's own exit, from every state ────────────────────────────────────────────────────┘
//
// "Done" is: the traffic has ended (timer, or nothing active any more) and the application has (no process left, or its ports refuse).
// Source: istio/istio pkg/envoy/agent.go; Kubernetes may cut all of it short by SIGKILL at the end of the grace period.
import { beginFinalDrain, finalDrain, finalDrainDueMs } from './final-drain.ts';
import type { ExitStatus, Note, PreDrain, ProxyEffect, ProxyInput, ProxyState, Step, Stopping } from './life.ts';
import type { ProxyPolicy } from './policy.ts';
import { stop } from './stop.ts';

/** The first state and the effect that starts Envoy. */
export function beginProxy(policy: ProxyPolicy, nowMs: number): Step {
  const silent = policy.has['wait-for-app'] && policy.inboundOnly && policy.app.kind === 'nobody';
  const notes: ProxyEffect[] = silent ? [{ kind: 'note', note: { kind: 'no-app-ports' } }] : [];
  return [{ at: 'starting', sinceMs: nowMs }, [{ kind: 'start' }, ...notes]];
}

/** Total: every input has an answer in every state. `nowMs` never goes back. */
export function transition(policy: ProxyPolicy, state: ProxyState, input: ProxyInput, nowMs: number): Step {
  if (state.at === 'exited') return [state, []];
  if (input.kind === 'exited') return exit(policy, state, input.status);
  if (input.kind === 'drain-answered') return [state, drainProblem(input.problem)];
  switch (state.at) {
    case 'starting':
    case 'serving':
      return whileUp(policy, state, input, nowMs);
    case 'draining':
      return state.phase === 'pre' ? preDrain(policy, state, input, nowMs) : finalDrain(policy, state, input, nowMs);
    case 'stopping':
      return stopping(policy, state, input, nowMs);
  }
}

/** When the machine wants a tick, if nothing else comes before; undefined: it waits for the world. */
export function dueAtMs(policy: ProxyPolicy, state: ProxyState): number | undefined {
  if (state.at === 'stopping') return state.killAtMs;
  return state.at === 'draining' && state.phase === 'final' ? finalDrainDueMs(policy, state) : undefined;
}

/** True from SIGTERM (or the request to quit) on: whoever asks for readiness is told no. */
export function isTerminating(state: ProxyState): boolean {
  return state.at === 'stopping' || state.at === 'exited' || (state.at === 'draining' && state.phase === 'final');
}

type Up = Extract<ProxyState, { at: 'starting' | 'serving' }>;

function whileUp(policy: ProxyPolicy, state: Up, input: ProxyInput, nowMs: number): Step {
  switch (input.kind) {
    case 'ready':
      if (state.at === 'serving') return [state, []];
      return [{ at: 'serving', sinceMs: nowMs }, [note({ kind: 'ready', afterMs: nowMs - state.sinceMs })]];
    case 'drain':
      return [
        { at: 'draining', phase: 'pre', clockMs: nowMs },
        [note({ kind: 'pre-drain' }), { kind: 'drain', path: `${drainPath(policy)}&skip_exit` }],
      ];
    case 'terminate':
      return withClosedStatus(policy, beginFinalDrain(policy, { clockMs: nowMs, nowMs, request: drainPath(policy) }));
    case 'quit':
      return withClosedStatus(policy, stop(policy, 'quit', nowMs));
    default:
      return [state, []];
  }
}

function preDrain(policy: ProxyPolicy, state: PreDrain, input: ProxyInput, nowMs: number): Step {
  if (input.kind === 'quit') return withClosedStatus(policy, stop(policy, 'quit', nowMs));
  if (input.kind !== 'terminate') return [state, []];
  const finish = policy.exitOnZero !== 'off' && policy.has['finish-after-drain'];
  if (!finish) return withClosedStatus(policy, stop(policy, 'drained-before', nowMs));
  return withClosedStatus(policy, beginFinalDrain(policy, { clockMs: state.clockMs, nowMs, request: undefined }));
}

function stopping(policy: ProxyPolicy, state: Stopping, input: ProxyInput, nowMs: number): Step {
  if (state.killAtMs === undefined) return [state, []];
  const hastened = input.kind === 'terminate' && policy.has.hasten;
  if (!hastened && nowMs < state.killAtMs) return [state, []];
  return [{ ...state, killAtMs: undefined }, [note({ kind: 'killed' }), { kind: 'signal', signal: 'SIGKILL' }]];
}

/** Envoy that the agent ended is a success whatever its status; otherwise its status is the agent's. */
function exit(policy: ProxyPolicy, state: ProxyState, status: ExitStatus): Step {
  const asked = state.at === 'stopping';
  const code = asked || !policy.has['exit-code'] ? 0 : exitCode(status);
  const told: Note = asked ? { kind: 'stopped', because: state.because } : { kind: 'died', status, during: state.at };
  return [{ at: 'exited', code }, [note(told), { kind: 'exit', code }]];
}

/** As a shell tells it: 128+n for a signal; 127 for a program that cannot be started. */
function exitCode(status: ExitStatus): number {
  switch (status.kind) {
    case 'code':
      return status.code;
    case 'signal':
      return 128 + status.number;
    case 'not-started':
      return 127;
  }
}

function drainPath({ inboundOnly }: ProxyPolicy): string {
  return inboundOnly ? '/drain_listeners?inboundonly&graceful' : '/drain_listeners?graceful';
}

function drainProblem(problem: string | undefined): ProxyEffect[] {
  return problem === undefined ? [] : [note({ kind: 'drain-failed', problem })];
}

function withClosedStatus(policy: ProxyPolicy, [state, effects]: Step): Step {
  return [state, policy.has['status-until-exit'] ? effects : [...effects, { kind: 'close-status' }]];
}

function note(told: Note): ProxyEffect {
  return { kind: 'note', note: told };
}
