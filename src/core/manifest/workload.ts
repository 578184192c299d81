// Workloads: which kinds own a pod template and where, who a workload is, and the facts about it that mutators and plan ask
// for. Reads a tape; writes nothing.

import { items, locate, member, none, pointerSegments, readPlain } from './node.ts';
import { scalarText, scalarValue } from './scalar.ts';
import type { OutlinedDocument } from './stream.ts';
import { isMap, isSeq, kindOf, kinds, startOf, type Tape } from './tape.ts';

/** A kind whose objects hold a pod template. `group` is the API group ('' for core), `template` a JSON pointer. */
export interface KindRule {
  readonly group: string;
  readonly kind: string;
  /** '' means that the object is the pod itself. */
  readonly template: string;
}

/** The kinds that every cluster has, and Argo's Rollout. */
export const builtInKinds: readonly KindRule[] = [
  ...['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'].map((kind) => ({
    group: 'apps',
    kind,
    template: '/spec/template',
  })),
  ...['Deployment', 'DaemonSet', 'ReplicaSet'].map((kind) => ({
    group: 'extensions',
    kind,
    template: '/spec/template',
  })),
  { group: '', kind: 'ReplicationController', template: '/spec/template' },
  { group: '', kind: 'Pod', template: '' },
  { group: '', kind: 'PodTemplate', template: '/template' },
  { group: 'batch', kind: 'Job', template: '/spec/template' },
  { group: 'batch', kind: 'CronJob', template: '/spec/jobTemplate/spec/template' },
  { group: 'argoproj.io', kind: 'Rollout', template: '/spec/template' },
];

/** An object of a document: the document itself, or an item of a List. */
export interface ManifestObject {
  readonly root: number;
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
}

/** Labels or annotations: what is no string is its text, null the empty string, as the API server reads them. */
export type StringMap = Readonly<Record<string, string>>;

/** Who a workload is, and what is known of it without looking into its pod spec. Absent namespaces are undefined. */
export interface Workload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
  /** True where `metadata.name` is missing and `generateName` stands in. */
  readonly generated: boolean;
  readonly labels: StringMap;
  readonly annotations: StringMap;
  /** The pod template's, or the pod's own; undefined where there is no template. */
  readonly pod: PodFacts | undefined;
  /** JSON pointer to the pod template. */
  readonly template: string;
  /** matchLabels and the keys of matchExpressions. */
  readonly selector: { readonly matchLabels: StringMap; readonly keys: readonly string[] } | undefined;
  /** spec.replicas where it is a number. */
  readonly replicas: number | undefined;
  /** spec.strategy.type or spec.updateStrategy.type. */
  readonly strategy: string | undefined;
  /** A Rollout's workloadRef, as kind/name. */
  readonly workloadRef: string | undefined;
  /** Traces of a cluster in the object: resourceVersion, managedFields, status. */
  readonly exported: readonly string[];
  /** Offset of the object in the stream; `placeOf` makes a line of it. */
  readonly offset: number;
  readonly document: number;
}

export interface PodFacts {
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly hostNetwork: boolean;
}

/** `namespace/kind/name`; an unknown namespace is left empty. */
export function workloadKey(workload: Pick<Workload, 'namespace' | 'kind' | 'name'>): string {
  return `${workload.namespace ?? ''}/${workload.kind}/${workload.name}`;
}

/** Finds the rule for an object's kind; own rules come before the built-in ones. */
export function kindTable(extra: readonly KindRule[] = []): ReadonlyMap<string, KindRule> {
  return new Map([...builtInKinds, ...extra].map((rule) => [`${rule.group}/${rule.kind}`, rule]));
}

/** The rule for an apiVersion and kind, or undefined. */
export function ruleFor(table: ReadonlyMap<string, KindRule>, object: ManifestObject): KindRule | undefined {
  const { apiVersion, kind } = object;
  if (apiVersion === undefined || kind === undefined) return undefined;
  const slash = apiVersion.indexOf('/');
  return table.get(`${slash === -1 ? '' : apiVersion.slice(0, slash)}/${kind}`);
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

/** The facts about a workload. */
export function readWorkload({ tape, number }: OutlinedDocument, object: ManifestObject, rule: KindRule): Workload {
  const { root } = object;
  const at = (pointer: string) => locate(tape, root, pointerSegments(pointer));
  const metadata = at('/metadata');
  const spec = at('/spec');
  const name = textAt(tape, metadata, 'name');
  return {
    apiVersion: object.apiVersion ?? '',
    kind: object.kind ?? '',
    namespace: textAt(tape, metadata, 'namespace'),
    name: name ?? textAt(tape, metadata, 'generateName') ?? '',
    generated: name === undefined,
    labels: stringMap(tape, childOf(tape, metadata, 'labels')),
    annotations: stringMap(tape, childOf(tape, metadata, 'annotations')),
    pod: podFacts(tape, at(rule.template)),
    template: rule.template,
    selector: rule.template === '' ? undefined : readSelector(tape, spec),
    replicas: numberAt(tape, spec, 'replicas'),
    strategy:
      textAt(tape, childOf(tape, spec, 'updateStrategy'), 'type') ??
      textAt(tape, childOf(tape, spec, 'strategy'), 'type'),
    workloadRef: readReference(tape, childOf(tape, spec, 'workloadRef')),
    exported: tracesOf(tape, root, metadata),
    offset: startOf(tape, root),
    document: number,
  };
}

/** The strings of a mapping, or nothing where there is no mapping. */
export function stringMap(tape: Tape, node: number): StringMap {
  if (node === none || !isMap(tape, node)) return {};
  const keys = Object.keys(readPlain(tape, node) ?? {});
  return Object.fromEntries(keys.map((key) => [key, textAt(tape, node, key) ?? '']));
}

/** The text of a scalar member, undefined where it is missing, null or no scalar. */
export function textAt(tape: Tape, map: number, key: string): string | undefined {
  const node = childOf(tape, map, key);
  if (node === none || isMap(tape, node) || isSeq(tape, node)) return undefined;
  return scalarValue(tape, node) === null ? undefined : scalarText(tape, node);
}

function podFacts(tape: Tape, template: number): PodFacts | undefined {
  if (template === none || !isMap(tape, template)) return undefined;
  const metadata = childOf(tape, template, 'metadata');
  const hostNetwork = childOf(tape, childOf(tape, template, 'spec'), 'hostNetwork');
  return {
    labels: stringMap(tape, childOf(tape, metadata, 'labels')),
    annotations: stringMap(tape, childOf(tape, metadata, 'annotations')),
    hostNetwork: hostNetwork !== none && readPlain(tape, hostNetwork) === true,
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

function tracesOf(tape: Tape, root: number, metadata: number): readonly string[] {
  const status = childOf(tape, root, 'status');
  const traces = ['resourceVersion', 'managedFields'].filter((key) => childOf(tape, metadata, key) !== none);
  return status !== none && isMap(tape, status) && Object.keys(readPlain(tape, status) ?? {}).length > 0
    ? [...traces, 'status']
    : traces;
}

function numberAt(tape: Tape, map: number, key: string): number | undefined {
  const node = childOf(tape, map, key);
  const value = node === none ? undefined : readPlain(tape, node);
  return typeof value === 'number' ? value : undefined;
}

function childOf(tape: Tape, node: number, key: string): number {
  return node === none || !isMap(tape, node) ? none : member(tape, node, key);
}
