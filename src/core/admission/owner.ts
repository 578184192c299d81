// What is known of a pod's owners: the few facts that the age rule needs, taken from an object's metadata alone, so that a
// cache of them stays small. Whoever watches the cluster feeds records in; nothing here asks an API server.
import { revisionLabelKey, stampAnnotation } from '../mutate/index.ts';
import { asList, asObject, isObject, type JsonObject, textAt } from '../std/json.ts';

/** A controller reference. `group` is the API group without version, "" for core. */
export interface OwnerReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** When CI says that the workload was deployed. */
export interface Stamp {
  readonly atMs: number;
  /** When the annotation was last written, by managedFields. */
  readonly writtenMs?: number;
}

export interface OwnerRecord {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly createdMs: number;
  readonly controller?: OwnerReference;
  readonly stamp?: Stamp;
  /** The newest write of the object's spec itself (no subresource), by managedFields. */
  readonly specWrittenMs?: number;
  /** Its selector asks for the revision label: a pod with another one would leave it, and it would make pods without end. */
  readonly selectsRevision?: boolean;
}

/** The record of a Kubernetes object, whole or its metadata alone; undefined where it lacks what every stored object has. */
export function ownerRecord(
  type: { readonly group: string; readonly kind: string },
  object: unknown,
): OwnerRecord | undefined {
  const metadata = asObject(asObject(object)['metadata']);
  const [name, uid, namespace] = ['name', 'uid', 'namespace'].map((key) => textAt(metadata, key));
  const createdMs = parseTimeMs(metadata['creationTimestamp']);
  if (name === undefined || uid === undefined || createdMs === undefined) return undefined;
  const controller = controllerOf(metadata);
  const stamp = stampOf(metadata);
  const specWrittenMs = newestWriteMs(metadata, ['f:spec']);
  return {
    ...type,
    namespace: namespace ?? '',
    name,
    uid,
    createdMs,
    ...(controller === undefined ? {} : { controller }),
    ...(stamp === undefined ? {} : { stamp }),
    ...(specWrittenMs === undefined ? {} : { specWrittenMs }),
    ...(selectsRevision(object) ? { selectsRevision: true } : {}),
  };
}

/** The reference that is marked as the controller; an object has one at most. */
export function controllerOf(metadata: JsonObject): OwnerReference | undefined {
  const found = asList(metadata['ownerReferences']).find((each) => isObject(each) && each['controller'] === true);
  if (found === undefined) return undefined;
  const reference = asObject(found);
  const [apiVersion = '', kind, name, uid] = ['apiVersion', 'kind', 'name', 'uid'].map((key) => textAt(reference, key));
  if (kind === undefined || name === undefined || uid === undefined) return undefined;
  return { group: groupOf(apiVersion), kind, name, uid };
}

/** "apps/v1" → "apps", "v1" → "". */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Milliseconds since 1970 of an RFC 3339 time, else undefined. */
export function parseTimeMs(value: unknown): number | undefined {
  if (typeof value !== 'string' || !rfc3339.test(value)) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Both forms of selector: a LabelSelector, and the bare map of a ReplicationController. Of metadata alone nothing can be told. */
function selectsRevision(object: unknown): boolean {
  const selector = asObject(asObject(asObject(object)['spec'])['selector']);
  const keys = [...Object.keys(selector), ...Object.keys(asObject(selector['matchLabels']))];
  const asked = asList(selector['matchExpressions']).map((each) => asObject(each)['key']);
  return keys.includes(revisionLabelKey) || asked.includes(revisionLabelKey);
}

function stampOf(metadata: JsonObject): Stamp | undefined {
  const atMs = parseTimeMs(textAt(asObject(metadata['annotations']), stampAnnotation));
  if (atMs === undefined) return undefined;
  const writtenMs = newestWriteMs(metadata, ['f:metadata', 'f:annotations', `f:${stampAnnotation}`]);
  return writtenMs === undefined ? { atMs } : { atMs, writtenMs };
}

/** The newest `time` of the managedFields entries that own a field; writes through a subresource (status, scale) are no deploys. */
function newestWriteMs(metadata: JsonObject, path: readonly string[]): number | undefined {
  const times = asList(metadata['managedFields'])
    .map(asObject)
    .filter((entry) => (entry['subresource'] ?? '') === '' && owns(entry['fieldsV1'], path))
    .map((entry) => parseTimeMs(entry['time']))
    .filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.max(...times);
}

function owns(fields: unknown, path: readonly string[]): boolean {
  let at: unknown = fields;
  for (const key of path) {
    if (!isObject(at) || !Object.hasOwn(at, key)) return false;
    at = at[key];
  }
  return true;
}
