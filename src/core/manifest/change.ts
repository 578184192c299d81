// What shall become of an object, said without positions: a tree of members to set, to remove, or to go into. Parents that
// are missing or null are made on the way. Owns the type and the joining of single changes to one tree.
import type { Plain } from './scalar.ts';

/** One node of the tree. `append` needs a sequence or nothing; `within` a mapping, or a sequence whose members are named by index. */
export type Change =
  | { readonly kind: 'set'; readonly value: Plain }
  | { readonly kind: 'remove' }
  | { readonly kind: 'append'; readonly items: readonly Plain[] }
  | { readonly kind: 'within'; readonly members: Map<string, Change> };

export type ChangeWithin = Extract<Change, { kind: 'within' }>;

/** A tree that changes nothing yet. */
export function noChange(): ChangeWithin {
  return { kind: 'within', members: new Map() };
}

/** Adds a change at a path; false if another change already stands there, above it or below it. */
export function addChange(tree: ChangeWithin, path: readonly string[], change: Change): boolean {
  let at = tree;
  for (const segment of path.slice(0, -1)) {
    const next = at.members.get(segment) ?? noChange();
    if (next.kind !== 'within') return false;
    at.members.set(segment, next);
    at = next;
  }
  const last = path.at(-1);
  if (last === undefined) return false;
  const present = at.members.get(last);
  const joined = present === undefined ? change : bothAppend(present, change);
  if (joined !== undefined) at.members.set(last, joined);
  return joined !== undefined;
}

function bothAppend(a: Change, b: Change): Change | undefined {
  return a.kind === 'append' && b.kind === 'append' ? { kind: 'append', items: [...a.items, ...b.items] } : undefined;
}

/** What a tree makes of nothing: the plain value of its members. */
export function plainOf(change: Change): Plain {
  if (change.kind === 'set') return change.value;
  if (change.kind === 'remove') return null;
  if (change.kind === 'append') return change.items;
  const members = [...change.members].filter(([, member]) => member.kind !== 'remove');
  return Object.fromEntries(members.map(([key, member]) => [key, plainOf(member)]));
}

/** Whether two plain values are the same; shared parts are compared once, so that aliases cost nothing. */
export function samePlain(a: unknown, b: unknown, seen = new Map<object, Set<object>>()): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const known = seen.get(a);
  if (known?.has(b) === true) return true;
  seen.set(a, (known ?? new Set()).add(b));
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every(
    (key) => Object.hasOwn(b, key) && samePlain(a[key as keyof typeof a], b[key as keyof typeof b], seen),
  );
}
