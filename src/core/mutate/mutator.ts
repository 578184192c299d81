// A mutator: a pure, named function over a workload, with the places that it may touch. Owns the type, the JSON patch (RFC 6902)
// that it answers with, and the one patch that nearly every mutator wants: a member of a map that may not be there yet.
import { type Plain, pointerSegments } from '../manifest/index.ts';
import type { Subject, Target } from './subject.ts';

/** RFC 6902 without `move` and `copy`: an edit by position can neither. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: Plain }
  | { readonly op: 'remove'; readonly path: string };

/** Something to tell about a workload. Warnings fail a strict run; notes never do. */
export interface Remark {
  readonly severity: 'note' | 'warning';
  readonly code: string;
  readonly message: string;
}

/** Whether a mutator does its work here, and why not. */
export type Verdict =
  | { readonly kind: 'applies'; readonly remarks: readonly Remark[] }
  | { readonly kind: 'skips'; readonly remark: Remark }
  /** The workload cannot be decided: the run fails. */
  | { readonly kind: 'fails'; readonly code: string; readonly message: string; readonly hint?: string };

export interface Mutator {
  readonly name: string;
  readonly target: Target;
  /** The file of a user's mutator: what it does wrong is the user's error. Absent: built in, and a bug of this program. */
  readonly origin?: string;
  /** JSON pointers below the target: a patch outside of all of them is a bug of the mutator. */
  readonly scope: readonly string[];
  readonly applies: (subject: Subject) => Verdict;
  /** Asked only where it applies. Paths are below the target. Of a subject that has what it wants: no operations. */
  readonly mutate: (subject: Subject) => readonly PatchOperation[];
}

export const applies: Verdict = { kind: 'applies', remarks: [] };

/** A note why a mutator leaves a workload as it is. */
export function skips(code: string, message: string): Verdict {
  return { kind: 'skips', remark: { severity: 'note', code, message } };
}

/** The operations that set a member of a map, with the parents that are missing or null. `path` are its keys. */
export function setMember(
  subject: Subject,
  target: Target,
  path: readonly string[],
  value: Plain,
): readonly PatchOperation[] {
  for (let depth = 1; depth < path.length; depth++) {
    const state = subject.stateAt(target, path.slice(0, depth));
    if (state !== 'absent' && state !== 'null') continue;
    const rest = path.slice(depth).reduceRight<Plain>((inner, segment) => ({ [segment]: inner }), value);
    return [{ op: state === 'absent' ? 'add' : 'replace', path: pointerOf(path.slice(0, depth)), value: rest }];
  }
  const present = subject.at(target, path);
  if (present === value) return [];
  return [{ op: present === undefined ? 'add' : 'replace', path: pointerOf(path), value }];
}

const knownPaths = new WeakMap<readonly string[], string>();

/** A JSON pointer of plain segments. Kept with the path, because a mutator asks with the same one for every workload. */
export function pointerOf(path: readonly string[]): string {
  const known = knownPaths.get(path);
  if (known !== undefined) return known;
  const pointer = path.map((segment) => `/${escapeSegment(segment)}`).join('');
  knownPaths.set(path, pointer);
  return pointer;
}

function escapeSegment(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The names of the members that a mutator may write: the last segments of its scope. */
export function namesOf({ scope }: Mutator): readonly string[] {
  return scope.map((pointer) => pointerSegments(pointer).at(-1) ?? '');
}
