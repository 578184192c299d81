// The words of the machine: its states, what goes in, what comes out, what it has to say. Types only.
import type { AppToOutlive, ProxyPolicy } from './policy.ts';
import type { Reading } from './stats.ts';

export type ProxyState =
  | { readonly at: 'starting'; readonly sinceMs: number }
  | { readonly at: 'serving'; readonly sinceMs: number }
  | PreDrain
  | FinalDrain
  | Stopping
  | { readonly at: 'exited'; readonly code: number };

/** After /drain, before SIGTERM: Envoy discourages new work but serves all; the application still runs. */
export interface PreDrain {
  readonly at: 'draining';
  readonly phase: 'pre';
  readonly clockMs: number;
}

export interface FinalDrain {
  readonly at: 'draining';
  readonly phase: 'final';
  /** SIGTERM. */
  readonly sinceMs: number;
  /** The first of /drain and SIGTERM: the deadline counts from here. */
  readonly clockMs: number;
  readonly traffic: TrafficWatch;
  readonly app: AppWatch;
}

export type TrafficWatch =
  | { readonly kind: 'timer'; readonly untilMs: number; readonly because: 'time-is-over' | 'counter-missing' }
  | (Looks & { readonly kind: 'due'; readonly atMs: number })
  | (Looks & { readonly kind: 'asked'; readonly askedMs: number })
  | { readonly kind: 'ended'; readonly because: 'time-is-over' | 'counter-missing' | 'counting-failed' };

/** What the looks at the counters have shown so far. */
interface Looks {
  /** In a row. */
  readonly errors: number;
  readonly active: number | undefined;
  /** In a row; the drain begins with those that need not be seen. */
  readonly zeros: number;
}

export type AppWatch =
  | { readonly kind: 'due'; readonly atMs: number; readonly refusals: number }
  | { readonly kind: 'asked'; readonly askedMs: number; readonly refusals: number }
  /** Who sees its processes will say `app-gone`. */
  | { readonly kind: 'watched' }
  | { readonly kind: 'gone' };

export interface Stopping {
  readonly at: 'stopping';
  readonly because: StopReason;
  /** When a soft stop turns into SIGKILL; undefined once that was sent. */
  readonly killAtMs: number | undefined;
}

export type StopReason =
  | 'quit'
  | 'drained-before'
  | 'time-is-over'
  | 'nothing-active'
  | 'counter-missing'
  | 'counting-failed'
  | 'deadline'
  | 'hastened';

export type ProxyInput =
  /** The first positive verdict on readiness. */
  | { readonly kind: 'ready' }
  /** SIGTERM or SIGINT. */
  | { readonly kind: 'terminate' }
  /** POST /drain: a native sidecar's preStop. */
  | { readonly kind: 'drain' }
  /** POST /quitquitquit: a job is done. */
  | { readonly kind: 'quit' }
  | { readonly kind: 'exited'; readonly status: ExitStatus }
  /** The answer to the effect `count`. */
  | { readonly kind: 'counted'; readonly reading: Reading }
  /** The answer to the effect `dial`: the ports that did not refuse. */
  | { readonly kind: 'dialled'; readonly open: readonly number[] }
  /** The answer to the effect `watch-app`: the last process of the application ended. */
  | { readonly kind: 'app-gone' }
  /** The answer to the effect `drain`. */
  | { readonly kind: 'drain-answered'; readonly problem: string | undefined }
  | { readonly kind: 'tick' };

export type ExitStatus =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly name: string; readonly number: number }
  | { readonly kind: 'not-started'; readonly problem: string };

export type ProxyEffect =
  | { readonly kind: 'start' }
  /** POST this path to Envoy's administration port. */
  | { readonly kind: 'drain'; readonly path: string }
  /** Ask Envoy's counters; answer with `counted`. */
  | { readonly kind: 'count'; readonly unit: 'connections' | 'requests' }
  /** Try to connect to each; answer with `dialled`. */
  | { readonly kind: 'dial'; readonly ports: readonly number[] }
  /** Answer with `app-gone` once none of these files is there. */
  | { readonly kind: 'watch-app'; readonly files: readonly string[] }
  | { readonly kind: 'signal'; readonly signal: 'SIGTERM' | 'SIGKILL' }
  /** Upstream closes its status port at SIGTERM. */
  | { readonly kind: 'close-status' }
  | { readonly kind: 'note'; readonly note: Note }
  | { readonly kind: 'exit'; readonly code: number };

export type Step = readonly [state: ProxyState, effects: readonly ProxyEffect[]];

export type Note =
  | { readonly kind: 'ready'; readonly afterMs: number }
  | { readonly kind: 'no-app-ports' }
  | { readonly kind: 'pre-drain' }
  | {
      readonly kind: 'draining';
      readonly exitOnZero: ProxyPolicy['exitOnZero'];
      readonly atLeastMs: number;
      readonly waitsFor: AppToOutlive;
      readonly deadline: ProxyPolicy['deadline'];
      readonly leftMs: number | undefined;
    }
  | { readonly kind: 'drain-failed'; readonly problem: string }
  | { readonly kind: 'active'; readonly count: number }
  | { readonly kind: 'lines-skipped'; readonly lines: readonly string[] }
  | { readonly kind: 'counter-missing'; readonly sure: boolean }
  | { readonly kind: 'count-failed'; readonly problem: string; readonly errors: number }
  | { readonly kind: 'stopping'; readonly because: StopReason; readonly cut?: number }
  | { readonly kind: 'killed' }
  | { readonly kind: 'stopped'; readonly because: StopReason }
  | { readonly kind: 'died'; readonly status: ExitStatus; readonly during: ProxyState['at'] };
