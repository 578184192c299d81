// Compares a recorded life with the engine's: its statuses must be a subsequence of the engine's, with the same values; each interval
// must lie between the engine's shortest and longest, widened; and each container's events must come in the same order.
import type { Happening, Scenario } from '../../src/sim/pod/index.ts';
import { policyFor, simulate, spanMs } from '../../src/sim/pod/index.ts';
import { comparable, eventsOf, type RecordedLife, statusesOf, summaryOf } from './recorded.ts';

/** What a watch, a busy machine and the recorder's clock may add to an interval. */
const widenedByMs = 1500;
/** The engine may need longer than the recording lasted: a back-off has jitter of half its length. */
const longerRun = 1.6;
const manySeeds = 24;

export interface Verdict {
  /** What differs, a sentence each. */
  readonly differences: readonly string[];
  readonly statuses: number;
  readonly intervals: number;
}

/** The verdict over a life; `name` is the pod's. The engine lives it with so many seeds, and with each choice at its shortest and longest. */
export function compareLife(name: string, life: RecordedLife, scenario: Scenario, seeds: number = manySeeds): Verdict {
  const recorded = withoutRepeats(statusesOf(life));
  const startMs = recorded[0]?.ms ?? 0;
  const endMs = Math.max(...life.timeline.map(({ ms }) => ms), ...life.events.map(({ ms }) => ms)) - startMs;
  const shifted = { ...scenario, events: shiftedEvents(scenario.events ?? eventsOf(life), startMs) };
  const runs = timings(seeds).map((timing) => {
    const policy = policyFor(shifted, { timing });
    return simulate({
      manifest: { metadata: { name, namespace: 'recorder' }, spec: life.pod.spec },
      scenario: shifted,
      policy,
      untilMs: endMs * longerRun + 5000,
    }).happenings;
  });
  const wanted = recorded.map((status) => comparable(status));
  const matches = runs.map((happenings) => matchStatuses(wanted, happenings));
  const whole = matches.flatMap((match) => (match.kind === 'whole' ? [match.atMs] : []));
  const statusTrouble =
    whole.length === 0
      ? [
          missing(
            matches,
            recorded.map(({ ms }) => ms),
            wanted,
          ),
        ]
      : [];
  const differences = [
    ...statusTrouble,
    ...intervalTrouble(
      whole,
      recorded.map(({ ms }) => ms),
      wanted,
    ),
    ...eventTrouble(life, runs),
  ];
  return { differences, statuses: wanted.length, intervals: Math.max(0, wanted.length - 1) };
}

function timings(seeds: number): readonly {
  readonly kind: 'kubelet';
  readonly seed: number;
  readonly draw: 'seed' | 'shortest' | 'longest';
}[] {
  return [
    { kind: 'kubelet', seed: 1, draw: 'shortest' },
    { kind: 'kubelet', seed: 1, draw: 'longest' },
    ...Array.from({ length: seeds }, (_, index) => ({
      kind: 'kubelet' as const,
      seed: index + 1,
      draw: 'seed' as const,
    })),
  ];
}

/** The recorder's clock starts with the client, some 100 ms before the object exists; the scenario's starts with the object. */
/** Statuses that differ from the one before: an action between two equal ones makes the recorder write both. */
function withoutRepeats(statuses: ReturnType<typeof statusesOf>): ReturnType<typeof statusesOf> {
  const texts = statuses.map((status) => comparable(status));
  return statuses.filter((_, index) => texts[index] !== texts[index - 1]);
}

type Event = NonNullable<Scenario['events']>[number];

function shiftedEvents(events: readonly Event[], startMs: number): Event[] {
  return events.map((event) => ({ ...event, at: `${Math.max(0, spanMs(event.at) - startMs)}ms` }));
}

type Match =
  | { readonly kind: 'whole'; readonly atMs: readonly number[] }
  | { readonly kind: 'broken'; readonly at: number; readonly after: readonly string[] };

/** The earliest places of the recorded statuses among the engine's. */
function matchStatuses(wanted: readonly string[], happenings: readonly Happening[]): Match {
  const given = happenings.flatMap((happening) =>
    happening.kind === 'pod'
      ? [{ atMs: happening.atMs, text: comparable(summaryOf(happening.pod, happening.type)) }]
      : [],
  );
  const atMs: number[] = [];
  let from = 0;
  for (const text of wanted) {
    const index = given.findIndex((status, position) => position >= from && status.text === text);
    if (index === -1)
      return {
        kind: 'broken',
        at: atMs.length,
        after: given.slice(from).map((status) => `${status.atMs} ${status.text}`),
      };
    atMs.push(given[index]?.atMs ?? 0);
    from = index + 1;
  }
  return { kind: 'whole', atMs };
}

function missing(matches: readonly Match[], recordedMs: readonly number[], wanted: readonly string[]): string {
  const broken = matches.flatMap((match) => (match.kind === 'broken' ? [match] : [])).sort((a, b) => b.at - a.at)[0];
  const at = broken?.at ?? 0;
  const next = (broken?.after ?? []).slice(0, 4).map((text) => `\n      ${text}`);
  return `status ${at + 1} of ${wanted.length} (at ${recordedMs[at]} ms) is not among the engine's:\n      ${wanted[at]}\n    the engine goes on with:${next.join('')}`;
}

function intervalTrouble(
  whole: readonly (readonly number[])[],
  recordedMs: readonly number[],
  wanted: readonly string[],
): readonly string[] {
  if (whole.length === 0) return [];
  return recordedMs.slice(1).flatMap((ms, index) => {
    const interval = ms - (recordedMs[index] ?? 0);
    const lengths = whole.map((atMs) => (atMs[index + 1] ?? 0) - (atMs[index] ?? 0));
    const shortest = Math.min(...lengths);
    const longest = Math.max(...lengths);
    if (interval >= shortest - widenedByMs && interval <= longest + widenedByMs) return [];
    return [
      `the interval before status ${index + 2} (at ${ms} ms) is ${interval} ms, the engine's lies in [${shortest}, ${longest}]:\n      ${wanted[index + 1]}`,
    ];
  });
}

function eventTrouble(life: RecordedLife, runs: readonly (readonly Happening[])[]): readonly string[] {
  const recorded = byContainer(
    life.events.map(({ reason, container }) => ({ reason, container })),
    life,
  );
  const simulated = runs.map((happenings) =>
    byContainer(
      happenings.flatMap((happening) =>
        happening.kind === 'event' ? [{ reason: happening.reason, container: happening.container ?? null }] : [],
      ),
      life,
    ),
  );
  return [...recorded].flatMap(([container, reasons]) => {
    const found = simulated.some((run) => isSubsequence(reasons, run.get(container) ?? []));
    const example = simulated[2]?.get(container) ?? [];
    return found
      ? []
      : [`events of ${container}: recorded ${reasons.join(' ')}\n    the engine's: ${example.join(' ')}`];
  });
}

/** Reasons of each container in order, repeats collapsed; ephemeral containers by their role, for kubectl invents their names. */
function byContainer(
  events: readonly { readonly reason: string; readonly container: string | null }[],
  life: RecordedLife,
): ReadonlyMap<string, readonly string[]> {
  const { spec } = life.pod;
  const known = new Set([...(spec.initContainers ?? []), ...spec.containers].map(({ name }) => name));
  const result = new Map<string, string[]>();
  for (const { reason, container } of events) {
    const key = container === null ? 'the pod' : known.has(container) ? container : 'ephemeral';
    const reasons = result.get(key) ?? [];
    if (reasons.at(-1) !== reason) reasons.push(reason);
    result.set(key, reasons);
  }
  return result;
}

function isSubsequence(part: readonly string[], whole: readonly string[]): boolean {
  let from = 0;
  for (const item of part) {
    const index = whole.indexOf(item, from);
    if (index === -1) return false;
    from = index + 1;
  }
  return true;
}
