// A drill in words: how each container came to its end, and of those that were killed, why.
import type { Budget } from '../../../core/forecast/index.ts';
import type { Problem } from '../../../core/std/errors.ts';
import type { Drill, DrilledEnd } from '../drill.ts';
import { timeText } from './timeline.ts';

/** A sentence a container, and how long it took altogether. */
export function drillWords(drill: Drill): readonly string[] {
  if (drill.kind === 'finished') return [`It ended by itself after ${timeText(drill.atMs)}: ${drill.phase}.`];
  const total =
    drill.goneMs === undefined
      ? 'It was not gone 15 minutes later.'
      : `Gone ${timeText(drill.goneMs)} after the deletion.`;
  return [
    drill.ready ? 'Deleted 5s after it was ready:' : 'It never got ready; deleted after 15 minutes:',
    ...drill.ends.map((end) => `${end.container}: ${endWords(end)}`),
    total,
  ];
}

function endWords({ hook, signal, killMs, exit }: DrilledEnd): string {
  const parts = [
    hook === undefined ? undefined : `preStop ${hook.what} at ${timeText(hook.atMs)}`,
    signal === undefined ? undefined : `SIG${signal.name} at ${timeText(signal.atMs)}`,
    killMs === undefined ? undefined : `SIGKILL at ${timeText(killMs)}`,
    exit === undefined ? 'still running' : `ended with ${exit.code} at ${timeText(exit.atMs)}`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

/** One finding for each container that was killed, with what took its time. */
export function drillFindings(drill: Drill, budget: Budget): readonly Problem[] {
  if (drill.kind === 'finished') return [];
  return drill.ends.flatMap((end) =>
    end.killMs === undefined || end.exit?.atMs !== end.killMs ? [] : [finding(end, end.killMs, drill, budget)],
  );
}

type Drilled = Extract<Drill, { kind: 'drilled' }>;

function finding(end: DrilledEnd, killMs: number, drill: Drilled, budget: Budget): Problem {
  const { why, hint } = reason(end, killMs, drill, budget);
  const exit = end.exit?.code ?? 137;
  return {
    code: 'killed-in-drain',
    severity: 'error',
    message: `${end.container} is killed ${timeText(killMs)} into its drain (exit code ${exit}): ${why}`,
    hint,
  };
}

interface Told {
  readonly why: string;
  readonly hint: string;
}

function reason(end: DrilledEnd, killMs: number, drill: Drilled, { graceMs, steps }: Budget): Told {
  const termMs = end.signal?.atMs ?? killMs;
  const left = timeText(killMs - termMs);
  const grace = timeText(graceMs);
  const waitsFor = steps.find(({ container }) => container === end.container)?.waitsFor ?? [];
  const slowest = drill.ends
    .filter(({ container, exit }) => waitsFor.includes(container) && (exit?.atMs ?? 0) >= termMs)
    .map(({ container }) => container)
    .join(' and ');
  if (end.hook?.what === 'cut')
    return {
      why: `its preStop hook still ran when the grace period of ${grace} was over; SIGTERM came only then, and ${left} later it was not gone`,
      hint: `shorten the preStop hook, or ${raiseTo(drill)}`,
    };
  if (slowest !== '' && termMs >= graceMs)
    return {
      why: `it is a sidecar, and gets SIGTERM only when ${slowest} ended: that took the whole grace period of ${grace}, ${left} were left`,
      hint: `let ${slowest} end sooner, or ${raiseTo(drill)}; all containers share it`,
    };
  const hook =
    end.hook === undefined || termMs === 0
      ? ''
      : `its preStop hook took ${timeText(termMs)} of the grace period of ${grace}; `;
  if (end.needsMs === undefined)
    return {
      why: `${hook}it does not end by SIGTERM, which it got at ${timeText(termMs)}`,
      hint: 'let the process handle SIGTERM: as process 1 of its container it ignores it unless it installs a handler, and a shell passes it on to nobody',
    };
  return {
    why: `${hook}after SIGTERM at ${timeText(termMs)} it needs ${timeText(end.needsMs)} and had ${left}`,
    hint: raiseTo(drill),
  };
}

function raiseTo({ neededMs }: Drilled): string {
  return neededMs === undefined
    ? 'raise terminationGracePeriodSeconds'
    : `raise terminationGracePeriodSeconds to ${Math.ceil(neededMs / 1000) + 1} or more`;
}
