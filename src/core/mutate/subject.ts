// What a mutator sees: who the workload is, and by path the plain values of its pod template and of itself. The same shape is made
// from a manifest's text and from an object that an API server sent. Values are read when they are asked for.
import type { Identity, Plain } from '../manifest/index.ts';

/** Where a mutator works: on the pod template (or the pod), or on the workload that holds it. */
export type Target = 'template' | 'workload';

/** What stands at a place. */
export type State = 'absent' | 'null' | 'scalar' | 'list' | 'map';

export interface Subject extends Identity {
  /** The value at a path of keys below the target; undefined where there is nothing. */
  readonly at: (target: Target, path: readonly string[]) => Plain | undefined;
  /** What stands there: cheaper than its value. */
  readonly stateAt: (target: Target, path: readonly string[]) => State;
}

/** A subject from a parsed object, for callers that have no text. */
export function subjectOf(identity: Identity, object: Plain): Subject {
  const base = identity.template === '' ? [] : identity.template.slice(1).split('/');
  const at: Subject['at'] = (target, path) => valueAt(object, target === 'template' ? [...base, ...path] : path);
  return { ...identity, at, stateAt: (target, path) => stateOf(at(target, path)) };
}

/** The value at a path of keys, or undefined. */
export function valueAt(value: Plain | undefined, path: readonly string[]): Plain | undefined {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string, Plain>>)[key];
  }
  return at;
}

/** The text of a scalar, undefined of everything else. */
export function textOf(value: Plain | undefined): string | undefined {
  return value === undefined || value === null || typeof value === 'object' ? undefined : String(value);
}

/** The members of a map, none of everything else. */
export function membersOf(value: Plain | undefined): Readonly<Record<string, Plain>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Plain>>)
    : {};
}

function stateOf(value: Plain | undefined): State {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  return typeof value !== 'object' ? 'scalar' : Array.isArray(value) ? 'list' : 'map';
}
