// Mutators over a stream of manifests: which objects are workloads, what becomes of each, and the report. Answers with proved edits;
// writes nothing.
import {
  type Bytes,
  type ByteText,
  type ChangeWithin,
  type Edit,
  editedText,
  isMap,
  isNull,
  isSeq,
  type KindRule,
  type KindTable,
  kindTable,
  locate,
  type ManifestObject,
  none,
  type ObjectChange,
  type OutlinedDocument,
  objectsOf,
  placeOf,
  pointerSegments,
  readIdentity,
  readPlain,
  repeatedIdentity,
  ruleFor,
  type Tape,
  transformStream,
} from '../manifest/index.ts';
import type { Problem } from '../std/errors.ts';
import type { Mutator, Remark } from './mutator.ts';
import { runMutators } from './pipeline.ts';
import type { State, Subject, Target } from './subject.ts';

/** A workload as reports name it. */
export interface Named {
  readonly namespace: string | undefined;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** A remark with its workload and place. */
export interface PlacedRemark extends Remark, Named {
  readonly document: number;
  /** Of the object in the stream. */
  readonly offset: number;
}

export interface MutateOptions {
  readonly mutators: readonly Mutator[];
  readonly kinds?: readonly KindRule[];
  /** For manifests that name no namespace. */
  readonly namespace?: string;
}

export interface MutateResult {
  readonly edits: readonly Edit[];
  /** With an error among them the edits are not to be used. */
  readonly problems: readonly Problem[];
  readonly remarks: readonly PlacedRemark[];
  /** The workloads that are changed. */
  readonly changed: readonly Named[];
  readonly counts: Counts;
  /** Documents that only the complete path could read, before and after. */
  readonly completeChanges: readonly { readonly document: number; readonly before: Bytes; readonly after: Bytes }[];
  readonly steps: number;
}

export interface Counts {
  readonly documents: number;
  readonly workloads: number;
  /** Objects without apiVersion or kind: passed through. */
  readonly unknown: number;
}

interface Run {
  readonly options: MutateOptions;
  readonly table: KindTable;
  readonly remarks: PlacedRemark[];
  readonly changed: Named[];
  readonly problems: Problem[];
  readonly counts: { workloads: number; unknown: number };
  readonly unknownKinds: Set<string>;
}

/** Mutates the workloads of a stream of YAML or JSON, text and bytes. */
export function mutateStream(source: ByteText, options: MutateOptions): MutateResult {
  const run: Run = {
    options,
    table: kindTable(options.kinds),
    remarks: [],
    changed: [],
    problems: [],
    counts: { workloads: 0, unknown: 0 },
    unknownKinds: new Set(),
  };
  const result = transformStream(source, (document) => {
    const changes: ObjectChange[] = [];
    for (const object of objectsOf(document)) {
      const change = mutateObject(run, document, object);
      if (change !== undefined) changes.push({ root: object.root, change });
    }
    return changes;
  });
  const { edits, completeChanges, steps, documents } = result;
  const { remarks, changed } = run;
  const problems = [...result.problems, ...run.problems];
  return { edits, problems, remarks, changed, counts: { documents, ...run.counts }, completeChanges, steps };
}

/** The mutated text, when there are no problems. */
export function mutatedText(source: ByteText, { edits }: Pick<MutateResult, 'edits'>): Bytes {
  return editedText(source, edits);
}

function mutateObject(run: Run, document: OutlinedDocument, object: ManifestObject): ChangeWithin | undefined {
  if (object.apiVersion === undefined || object.kind === undefined) run.counts.unknown++;
  const rule = ruleFor(run.table, object);
  if (rule === undefined) return noteUnknownKind(run, document, object);
  run.counts.workloads++;
  const subject = subjectFrom(document, object, { rule, namespace: run.options.namespace });
  const { change, remarks, failures } = runMutators(run.options.mutators, subject);
  for (const remark of remarks) run.remarks.push(place(remark, subject, document.number));
  for (const { code, message, hint } of failures) {
    const { line } = placeOf(document.tape.source.text, subject.offset);
    const at = { severity: 'error', document: document.number, line } as const;
    run.problems.push({
      code,
      message: `${nameOf(subject)}: ${message}`,
      ...at,
      ...(hint === undefined ? {} : { hint }),
    });
  }
  const twice = change === undefined ? undefined : repeatedIdentity(document, object.root);
  const { namespace, apiVersion, kind, name } = subject;
  if (twice !== undefined) run.problems.push(twice);
  else if (change !== undefined) run.changed.push({ namespace, apiVersion, kind, name });
  return twice === undefined ? change : undefined;
}

const usualTemplate = '/spec/template';
const usualContainers = ['spec', 'template', 'spec', 'containers'];

/** An object that looks like a workload and whose kind nobody named: told once a kind. */
function noteUnknownKind(run: Run, document: OutlinedDocument, object: ManifestObject): undefined {
  const { apiVersion, kind } = object;
  if (apiVersion === undefined || kind === undefined || run.unknownKinds.has(`${apiVersion} ${kind}`)) return;
  const containers = locate(document.tape, object.root, usualContainers);
  if (containers === none || !isSeq(document.tape, containers)) return;
  run.unknownKinds.add(`${apiVersion} ${kind}`);
  const rule = { apiVersion: apiVersion.split('/')[0] ?? apiVersion, kind, template: usualTemplate };
  const line = `kinds: [{apiVersion: ${rule.apiVersion}, kind: ${kind}, template: ${usualTemplate}}]`;
  const message = `${kind} has a pod template and is left as it is: to have it labelled, put "${line}" into fairway.yml`;
  const { namespace = run.options.namespace, name, offset } = readIdentity(document, object, rule);
  run.remarks.push({
    severity: 'note',
    code: 'unknown-kind',
    message,
    namespace,
    apiVersion,
    kind,
    name,
    document: document.number,
    offset,
  });
}

interface Found {
  readonly rule: KindRule;
  readonly namespace: string | undefined;
}

function subjectFrom(document: OutlinedDocument, object: ManifestObject, { rule, namespace }: Found): Subject {
  const { tape } = document;
  const identity = readIdentity(document, object, rule);
  const template = locate(tape, object.root, pointerSegments(rule.template));
  const find = (target: Target, path: readonly string[]): number => {
    const root = target === 'template' ? template : object.root;
    return root === none ? none : locate(tape, root, path);
  };
  return {
    ...identity,
    namespace: identity.namespace ?? namespace,
    at: (target, path) => {
      const node = find(target, path);
      return node === none ? undefined : readPlain(tape, node);
    },
    stateAt: (target, path) => {
      const node = find(target, path);
      return node === none ? 'absent' : stateOf(tape, node);
    },
  };
}

function stateOf(tape: Tape, node: number): State {
  if (isMap(tape, node)) return 'map';
  if (isSeq(tape, node)) return 'list';
  return isNull(tape, node) ? 'null' : 'scalar';
}

function place(remark: Remark, subject: Subject, document: number): PlacedRemark {
  const { namespace, apiVersion, kind, name, offset } = subject;
  return { ...remark, namespace, apiVersion, kind, name, document, offset };
}

/** Kind/namespace/name; without the namespace where the manifest names none. */
export function nameOf({ kind, namespace, name }: Named): string {
  return namespace === undefined ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}
