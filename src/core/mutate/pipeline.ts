// Runs mutators over one workload: asks each whether it applies, holds its patch to its scope, and joins all patches to one change
// of the object. Every mutator sees the object as it came, so their order means nothing; two that set the same place are a bug.
import {
  addChange,
  type Change,
  type ChangeWithin,
  noChange,
  type Plain,
  pointerSegments,
  samePlain,
} from '../manifest/index.ts';
import { InvariantError, UsageError } from '../std/errors.ts';
import { type Mutator, type PatchOperation, pointerOf, type Remark, type Verdict } from './mutator.ts';
import type { State, Subject } from './subject.ts';

export type Failure = Extract<Verdict, { kind: 'fails' }>;

/** What became of one workload. `change` is undefined where nothing is to do. */
export interface Mutation {
  readonly change: ChangeWithin | undefined;
  readonly remarks: readonly Remark[];
  readonly failures: readonly Failure[];
  /** Names of the mutators that skipped the workload. */
  readonly skipped: readonly string[];
}

/**
 * The joined change of all mutators, below the workload's root.
 * @throws InvariantError for a patch outside its mutator's scope, or two mutators that set one place; UsageError where the mutator is a user's
 */
export function runMutators(mutators: readonly Mutator[], subject: Subject): Mutation {
  const tree = noChange();
  const remarks: Remark[] = [];
  const failures: Failure[] = [];
  const skipped: string[] = [];
  for (const mutator of mutators) {
    const verdict = mutator.applies(subject);
    if (verdict.kind === 'applies') {
      remarks.push(...verdict.remarks);
      failures.push(...addPatch(tree, mutator, subject));
    } else if (verdict.kind === 'fails') failures.push(verdict);
    else {
      skipped.push(mutator.name);
      if (!remarks.some(({ message }) => message === verdict.remark.message)) remarks.push(verdict.remark);
    }
  }
  return { change: tree.members.size > 0 ? tree : undefined, remarks, failures, skipped };
}

/** The operations of a mutator for a workload, none where it does not apply: for callers that send patches. */
export function patchOf(mutator: Mutator, subject: Subject): readonly PatchOperation[] {
  return mutator.applies(subject).kind === 'applies' ? checkedPatch(mutator, subject) : [];
}

function checkedPatch(mutator: Mutator, subject: Subject): readonly PatchOperation[] {
  const operations = mutator.mutate(subject);
  for (const operation of operations) checkScope(mutator, operation);
  return operations;
}

/** Adds the operations to the tree; a failure for each test that does not hold. */
function addPatch(tree: ChangeWithin, mutator: Mutator, subject: Subject): readonly Failure[] {
  const failures: Failure[] = [];
  const base = mutator.target === 'template' ? pointerSegments(subject.template) : [];
  for (const operation of checkedPatch(mutator, subject)) {
    const path = pointerSegments(operation.path);
    const list = path.at(-1) === '-' ? path.slice(0, -1) : undefined;
    const present = subject.at(mutator.target, list ?? path);
    const lost = operation.op === 'add' ? itemOfNothing(mutator, path, subject) : undefined;
    if (lost !== undefined) failures.push(lost);
    else if (operation.op === 'test') failures.push(...failedTest(mutator, present, operation));
    else if (list !== undefined) addItem(tree, base.concat(list), { mutator, operation, present });
    else if (changes(operation, present)) addOperation(tree, base.concat(path), { mutator, operation, present });
  }
  return failures;
}

const nothing: readonly State[] = ['absent', 'null'];

/** A number names an item of a list, or the key of a map that is there: where nothing is, it cannot be told which is meant. */
function itemOfNothing({ name, target }: Mutator, path: readonly string[], subject: Subject): Failure | undefined {
  const depth = path.findIndex(
    (segment, at) => at > 0 && /^\d+$/.test(segment) && nothing.includes(subject.stateAt(target, path.slice(0, at))),
  );
  if (depth === -1) return undefined;
  const message = `mutator "${name}": ${pointerOf(path)} names an item, and there is no ${pointerOf(path.slice(0, depth))}`;
  return { kind: 'fails', code: 'patch-no-list', message, hint: 'add the whole list, or end the path with /-' };
}

function changes(operation: PatchOperation, present: Plain | undefined): boolean {
  if (operation.op === 'remove') return present !== undefined;
  return operation.op !== 'test' && (present === undefined || !samePlain(present, operation.value));
}

interface Wanted {
  readonly mutator: Mutator;
  readonly operation: PatchOperation;
  readonly present: Plain | undefined;
}

/** A map that is added where there is nothing becomes its single members, so that mutators can share a new parent. */
function addOperation(tree: ChangeWithin, path: readonly string[], { mutator, operation, present }: Wanted): void {
  if (operation.op === 'remove') return addLeaf(tree, path, { kind: 'remove' }, mutator);
  if (operation.op === 'test') return undefined;
  const { value } = operation;
  const isNew = present === undefined || present === null;
  if (!isNew || typeof value !== 'object') return addLeaf(tree, path, { kind: 'set', value }, mutator);
  for (const [place, leaf] of leavesOf(value, path)) addLeaf(tree, place, { kind: 'set', value: leaf }, mutator);
  return undefined;
}

/** An item goes to the end of a list that does not hold it yet: a second run finds it there. */
function addItem(tree: ChangeWithin, path: readonly string[], { mutator, operation, present }: Wanted): void {
  if (operation.op !== 'add') return;
  const holds = Array.isArray(present) && present.some((item: Plain) => samePlain(item, operation.value));
  if (!holds) addLeaf(tree, path, { kind: 'append', items: [operation.value] }, mutator);
}

function addLeaf(tree: ChangeWithin, path: readonly string[], change: Change, mutator: Mutator): void {
  if (!addChange(tree, path, change)) {
    const message = `mutator "${mutator.name}" changes /${path.join('/')}, which another mutator changes too`;
    if (mutator.origin === undefined) throw new InvariantError(message);
    throw new UsageError(`${message} (${mutator.origin})`, { hint: 'leave the place to one of them' });
  }
}

type Leaf = readonly [path: readonly string[], value: Plain];

function leavesOf(value: Plain, path: readonly string[]): readonly Leaf[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[path, value]];
  const members = Object.entries(value);
  return members.length === 0 ? [[path, value]] : members.flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}

/** Every place that an operation writes lies in the scope; an ancestor of it may only be made where nothing is. */
function checkScope(mutator: Mutator, operation: PatchOperation): void {
  const path = pointerSegments(operation.path);
  if (isInScope(mutator, path)) return;
  const written = operation.op === 'add' || operation.op === 'replace' ? leavesOf(operation.value, path) : [[path]];
  for (const [place = path] of written) {
    if (isInScope(mutator, place)) continue;
    const message = `mutator "${mutator.name}" wrote /${place.join('/')}, which is outside of its scope`;
    if (mutator.origin === undefined) throw new InvariantError(message);
    throw new UsageError(`${message} (${mutator.origin})`, { hint: `its scope is ${mutator.scope.join(', ')}` });
  }
}

function isInScope({ scope }: Mutator, path: readonly string[]): boolean {
  return scope.some((pointer) => startsWith(path, pointerSegments(pointer)));
}

function startsWith(path: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((segment, i) => path[i] === segment);
}

function failedTest(
  mutator: Mutator,
  present: Plain | undefined,
  { path, value }: { readonly path: string; readonly value: Plain },
): readonly Failure[] {
  if (present !== undefined && samePlain(present, value)) return [];
  const message = `mutator "${mutator.name}": the test of ${path} fails`;
  return [{ kind: 'fails', code: 'patch-test-failed', message }];
}
