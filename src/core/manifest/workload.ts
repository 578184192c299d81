// Workloads: which kinds own a pod template and where, who a workload is, and the facts about it that mutators and plan ask
// for. Reads a tape; writes nothing.

import { follow, hasMerge, items, locate, member, none, pointerSegments, readPlain } from './node.ts';
import { isNull, scalarText } from './scalar.ts';
import type { OutlinedDocument } from './stream.ts';
import { isMap, isSeq, kindOf, kinds, nextOf, startOf, type Tape } from './tape.ts';

/** A kind whose objects hold a pod template. */
export interface KindRule {
  /** As in the objects (`argoproj.io/v1alpha1`), or the API group alone for every version ('' for core). */
  readonly apiVersion: string;
  readonly kind: string;
  /** JSON pointer to the template; '' means that the object is the pod itself. */
  readonly template: string;
}

/** The kinds that every cluster has, and Argo's Rollout. */
const builtInKinds: readonly KindRule[] = [
  ...['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'].map((kind) => ({
    apiVersion: 'apps',
    kind,
    template: '/spec/template',
  })),
  ...['Deployment', 'DaemonSet', 'ReplicaSet'].map((kind) => ({
    apiVersion: 'extensions',
    kind,
    template: '/spec/template',
  })),
  { apiVersion: '', kind: 'ReplicationController', template: '/spec/template' },
  { apiVersion: '', kind: 'Pod', template: '' },
  { apiVersion: '', kind: 'PodTemplate', template: '/template' },
  { apiVersion: 'batch', kind: 'Job', template: '/spec/template' },
  { apiVersion: 'batch', kind: 'CronJob', template: '/spec/jobTemplate/spec/template' },
  { apiVersion: 'argoproj.io', kind: 'Rollout', template: '/spec/template' },
];

/** An object of a document: the document itself, or an item of a List. */
export interface ManifestObject {
  readonly root: number;
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
}

/** Labels or annotations: what is no string is its text, null the empty string, as the API server reads them. */
export type StringMap = Readonly<Record<string, string>>;

/** Who a workload is. Absent namespaces are undefined. */
export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
  /** True where `metadata.name` is missing and `generateName` stands in. */
  readonly generated: boolean;
  /** JSON pointer to the pod template; '' for a pod. */
  readonly template: string;
  /** Offset of the object in the stream; `placeOf` makes a line of it. */
  readonly offset: number;
  readonly document: number;
}

/** What is known of a workload without looking into its pod spec. */
export interface Workload extends Identity {
  readonly labels: StringMap;
  readonly annotations: StringMap;
  /** The pod template's, or the pod's own; undefined where there is no template. */
  readonly pod: PodFacts | undefined;
  /** matchLabels and the keys of matchExpressions. */
  readonly selector: { readonly matchLabels: StringMap; readonly keys: readonly string[] } | undefined;
  /** spec.replicas where it is a number. */
  readonly replicas: number | undefined;
  /** spec.strategy.type or spec.updateStrategy.type. */
  readonly strategy: string | undefined;
  /** spec.paused is true. */
  readonly isPaused: boolean;
  /** A Rollout's workloadRef, as kind/name. */
  readonly workloadRef: string | undefined;
}

export interface PodFacts {
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly hostNetwork: boolean;
  /** spec.terminationGracePeriodSeconds where it is a number. */
  readonly graceSeconds: number | undefined;
}

/** `namespace/kind/name`; an unknown namespace is left empty. */
export function workloadKey(workload: Pick<Workload, 'namespace' | 'kind' | 'name'>): string {
  return `${workload.namespace ?? ''}/${workload.kind}/${workload.name}`;
}

/** Rules by kind; own rules come before the built-in ones. */
export type KindTable = ReadonlyMap<string, readonly KindRule[]>;

export function kindTable(extra: readonly KindRule[] = []): KindTable {
  return Map.groupBy([...extra.toReversed(), ...builtInKinds], ({ kind }) => kind);
}

/** The rule for an apiVersion and kind, or undefined; one for the version wins over one for its group. */
export function ruleFor(table: KindTable, { apiVersion, kind }: ManifestObject): KindRule | undefined {
  const rules = kind === undefined || apiVersion === undefined ? undefined : table.get(kind);
  if (rules === undefined || apiVersion === undefined) return undefined;
  const group = apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
  return rules.find((rule) => rule.apiVersion === apiVersion) ?? rules.find((rule) => rule.apiVersion === group);
}

/** The objects of a document, those inside a List instead of the List. */
export function objectsOf({ tape }: OutlinedDocument): readonly ManifestObject[] {
  if (!isMap(tape, 0)) return [{ root: 0, apiVersion: undefined, kind: undefined }];
  return objectsBelow(tape, { root: 0, apiVersion: textAt(tape, 0, 'apiVersion'), kind: textAt(tape, 0, 'kind') }, 0);
}

function objectsBelow(tape: Tape, object: ManifestObject, depth: number): readonly ManifestObject[] {
  const list = object.kind?.endsWith('List') === true ? member(tape, object.root, 'items') : none;
  if (list === none || !isSeq(tape, list) || depth > 4) return [object];
  const typed = object.kind === 'List' || object.kind === 'ResourceList' ? undefined : object.kind?.slice(0, -4);
  return [...items(tape, list)]
    .filter((item) => isMap(tape, item) || kindOf(tape, item) === kinds.alias)
    .flatMap((item) => objectsBelow(tape, itemObject(tape, item, { ...object, kind: typed }), depth + 1));
}

function itemObject(tape: Tape, root: number, list: ManifestObject): ManifestObject {
  const kind = textAt(tape, root, 'kind') ?? list.kind;
  return {
    root,
    kind,
    apiVersion: textAt(tape, root, 'apiVersion') ?? (list.kind === undefined ? undefined : list.apiVersion),
  };
}

/** Who the workload is. */
export function readIdentity({ tape, number }: OutlinedDocument, object: ManifestObject, rule: KindRule): Identity {
  const metadata = childOf(tape, object.root, 'metadata');
  const name = textAt(tape, metadata, 'name');
  return {
    apiVersion: object.apiVersion ?? '',
    kind: object.kind ?? '',
    // The API server takes an empty namespace for none.
    namespace: textAt(tape, metadata, 'namespace') || undefined,
    name: name ?? textAt(tape, metadata, 'generateName') ?? '',
    generated: name === undefined,
    template: rule.template,
    offset: startOf(tape, object.root),
    document: number,
  };
}

/** The facts about a workload. */
export function readWorkload(document: OutlinedDocument, object: ManifestObject, rule: KindRule): Workload {
  const { tape } = document;
  const metadata = childOf(tape, object.root, 'metadata');
  const spec = childOf(tape, object.root, 'spec');
  return {
    ...readIdentity(document, object, rule),
    labels: stringMap(tape, childOf(tape, metadata, 'labels')),
    annotations: stringMap(tape, childOf(tape, metadata, 'annotations')),
    pod: podFacts(tape, locate(tape, object.root, pointerSegments(rule.template))),
    selector: rule.template === '' ? undefined : readSelector(tape, spec),
    replicas: numberAt(tape, spec, 'replicas'),
    strategy: strategyOf(tape, spec),
    isPaused: isTrue(tape, childOf(tape, spec, 'paused')),
    workloadRef: readReference(tape, childOf(tape, spec, 'workloadRef')),
  };
}

/** The strings of a mapping, or nothing where there is no mapping. */
export function stringMap(tape: Tape, node: number): StringMap {
  if (node === none || !isMap(tape, node)) return {};
  if (hasMerge(tape, node)) {
    const keys = Object.keys(readPlain(tape, node) ?? {});
    return Object.fromEntries(keys.map((key) => [key, textAt(tape, node, key) ?? '']));
  }
  const strings = new Map<string, string>();
  const last = nextOf(tape, node);
  for (let key = node + 1; key < last; ) {
    const value = nextOf(tape, key);
    if (!isMap(tape, key) && !isSeq(tape, key))
      strings.set(scalarText(tape, key), textOf(tape, follow(tape, value)) ?? '');
    key = nextOf(tape, value);
  }
  return Object.fromEntries(strings);
}

function strategyOf(tape: Tape, spec: number): string | undefined {
  return (
    textAt(tape, childOf(tape, spec, 'updateStrategy'), 'type') ?? textAt(tape, childOf(tape, spec, 'strategy'), 'type')
  );
}

/** The text of a scalar member, undefined where it is missing, null or no scalar. */
export function textAt(tape: Tape, map: number, key: string): string | undefined {
  return textOf(tape, childOf(tape, map, key));
}

function textOf(tape: Tape, node: number): string | undefined {
  if (node === none || isMap(tape, node) || isSeq(tape, node) || isNull(tape, node)) return undefined;
  return scalarText(tape, node);
}

function podFacts(tape: Tape, template: number): PodFacts | undefined {
  if (template === none || !isMap(tape, template)) return undefined;
  const metadata = childOf(tape, template, 'metadata');
  const spec = childOf(tape, template, 'spec');
  return {
    labels: stringMap(tape, childOf(tape, metadata, 'labels')),
    annotations: stringMap(tape, childOf(tape, metadata, 'annotations')),
    hostNetwork: isTrue(tape, childOf(tape, spec, 'hostNetwork')),
    graceSeconds: numberAt(tape, spec, 'terminationGracePeriodSeconds'),
  };
}

function readSelector(tape: Tape, spec: number): Workload['selector'] {
  const selector = childOf(tape, spec, 'selector');
  if (selector === none || !isMap(tape, selector)) return undefined;
  const labels = childOf(tape, selector, 'matchLabels');
  const expressions = childOf(tape, selector, 'matchExpressions');
  if (labels === none && expressions === none) {
    const matchLabels = stringMap(tape, selector);
    return { matchLabels, keys: Object.keys(matchLabels) };
  }
  const matchLabels = stringMap(tape, labels);
  const found = expressions === none || !isSeq(tape, expressions) ? [] : [...items(tape, expressions)];
  const names = found.map((item) => textAt(tape, item, 'key')).filter((key) => key !== undefined);
  return { matchLabels, keys: [...Object.keys(matchLabels), ...names] };
}

function readReference(tape: Tape, node: number): string | undefined {
  const name = textAt(tape, node, 'name');
  return name === undefined ? undefined : `${textAt(tape, node, 'kind') ?? 'Deployment'}/${name}`;
}

function isTrue(tape: Tape, node: number): boolean {
  return node !== none && readPlain(tape, node) === true;
}

function numberAt(tape: Tape, map: number, key: string): number | undefined {
  const node = childOf(tape, map, key);
  const value = node === none ? undefined : readPlain(tape, node);
  return typeof value === 'number' ? value : undefined;
}

function childOf(tape: Tape, node: number, key: string): number {
  return node === none || !isMap(tape, node) ? none : member(tape, node, key);
}
