// What a mutator sees: a workload's facts, and by pointer the plain values of its pod template and of itself. The same shape is
// made from a manifest's text and from an object that an API server sent.
import type { Plain, Workload } from '../manifest/index.ts';

/** Where a mutator works: on the pod template (or the pod), or on the workload that holds it. */
export type Target = 'template' | 'workload';

export interface Subject extends Workload {
  /** The value at a JSON pointer below the target; undefined where there is nothing. */
  readonly at: (target: Target, pointer: string) => Plain | undefined;
}

/** A subject from a parsed object, for callers that have no text. */
export function subjectOf(workload: Workload, object: Plain): Subject {
  return {
    ...workload,
    at: (target, pointer) => valueAt(object, target === 'template' ? `${workload.template}${pointer}` : pointer),
  };
}

/** The value at a JSON pointer (RFC 6901), or undefined. */
export function valueAt(value: Plain | undefined, pointer: string): Plain | undefined {
  let at = value;
  for (const segment of pointer === '' ? [] : pointer.slice(1).split('/')) {
    if (typeof at !== 'object' || at === null) return undefined;
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string, Plain>>)[key];
  }
  return at;
}
