// The step into stopping, from wherever: by SIGTERM, which lets Envoy write out its access logs, then SIGKILL; or, as
// upstream does, by SIGKILL at once.
import type { Step, StopReason } from './life.ts';
import type { ProxyPolicy } from './policy.ts';

/** Envoy ends within milliseconds of SIGTERM; the 2 s that a deadline keeps back hold this second. */
const softStopMs = 1000;

/** Ends Envoy; `cut` is how much was still active when that is known. */
export function stop(policy: ProxyPolicy, because: StopReason, nowMs: number, cut?: number): Step {
  const soft = policy.has['soft-stop'];
  return [
    { at: 'stopping', because, killAtMs: soft ? nowMs + softStopMs : undefined },
    [
      { kind: 'note', note: { kind: 'stopping', because, ...(cut === undefined ? {} : { cut }) } },
      { kind: 'signal', signal: soft ? 'SIGTERM' : 'SIGKILL' },
    ],
  ];
}
