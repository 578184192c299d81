// A life as rows: when, who, what, why. Each change of the API object, each Event, and what the node did in between.
import type { Pod } from '../../../core/pod/index.ts';
import { formatDuration } from '../../../core/std/duration.ts';
import type { Happening } from '../happening.ts';
import { changesBetween } from './changes.ts';

/** time, container (`pod` for the pod itself), what, why */
export type Row = readonly [time: string, who: string, what: string, why: string];

export const timelineHead: Row = ['TIME', 'WHO', 'WHAT', 'WHY'];

/** The rows of a life. Probes that answer as before are left out. */
export function timelineOf(happenings: readonly Happening[]): readonly Row[] {
  const memory: Memory = { pod: undefined, probes: new Map() };
  return happenings.flatMap((happening) =>
    rowsOf(memory, happening).map(
      ({ who, what, why }): Row => [timeText(happening.atMs), who, what, why.replace(/\s*\n\s*/g, ' ')],
    ),
  );
}

/** Milliseconds only where there are any. */
export function timeText(ms: number): string {
  return formatDuration(Math.round(ms));
}

interface Memory {
  pod: Pod | undefined;
  readonly probes: Map<string, string>;
}

interface Told {
  readonly who: string;
  readonly what: string;
  readonly why: string;
}

function rowsOf(memory: Memory, happening: Happening): readonly Told[] {
  switch (happening.kind) {
    case 'pod':
      return podRows(memory, happening.pod, happening.type, happening.why);
    case 'event':
      return [{ who: happening.container ?? 'pod', what: `event ${happening.reason}`, why: happening.message }];
    case 'given':
      return [{ who: 'scenario', what: happening.what, why: happening.why }];
    case 'sandbox':
      return [{ who: 'pod', what: `sandbox ${happening.what}`, why: happening.sandbox }];
    case 'pull':
      return happening.outcome === 'present'
        ? []
        : [{ who: happening.container, what: `image ${happening.outcome}`, why: happening.image }];
    case 'run':
      return happening.what === 'started'
        ? [{ who: happening.container, what: 'process begins', why: `run ${happening.run + 1}` }]
        : [{ who: happening.container, what: `process ends with ${happening.exitCode}`, why: happening.reason ?? '' }];
    case 'signal':
      return [{ who: happening.container, what: `gets SIG${happening.signal}`, why: '' }];
    case 'hook':
      return [{ who: happening.container, what: `${happening.hook} ${happening.what}`, why: '' }];
    default:
      return probeRows(memory, happening);
  }
}

function podRows(memory: Memory, pod: Pod, type: string, why: string): readonly Told[] {
  const changes = changesBetween(memory.pod, pod);
  memory.pod = pod;
  const rows = changes.map((change) => ({ who: change.container ?? 'pod', what: change.what, why: change.why }));
  if (type === 'ADDED') return [{ who: 'pod', what: 'created', why: '' }, ...rows];
  return type === 'DELETED' ? [...rows, { who: 'pod', what: 'object gone', why }] : rows;
}

function probeRows(memory: Memory, probe: Happening & { readonly kind: 'probe' }): readonly Told[] {
  const key = `${probe.container}/${probe.probe}`;
  if (memory.probes.get(key) === probe.answer) return [];
  memory.probes.set(key, probe.answer);
  return [{ who: probe.container, what: `${probe.probe} probe: ${probe.answer}`, why: '' }];
}
