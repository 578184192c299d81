// The envelope of admission.k8s.io/v1: reads a review into a pod to look at, a request that is none of our business, or a
// malformed one, and writes the answer. It never decides about the pod. Version v1 only: every API server since 1.16 speaks it.
import { asObject, isObject, type JsonObject, textAt } from '../std/json.ts';

/** A pod about to be created. `pod.metadata`, and its labels and annotations where they are there, are maps. */
export interface PodRequest {
  readonly uid: string;
  /** The request's namespace: the object's own may be missing or wrong while it is admitted. */
  readonly namespace: string;
  readonly pod: JsonObject;
  readonly dryRun: boolean;
}

export type Incoming =
  /** Not a review that can be answered: there is no uid to echo. HTTP 400. */
  | { readonly kind: 'malformed'; readonly message: string }
  /** Allowed without a look. */
  | { readonly kind: 'pass'; readonly uid: string; readonly because: PassReason }
  | { readonly kind: 'pod'; readonly request: PodRequest };

export type PassReason = 'operation' | 'resource' | 'subresource' | 'object';

export interface Answer {
  readonly uid: string;
  /** RFC 6902; empty for no change. */
  readonly patch: readonly { readonly op: string; readonly path: string; readonly value?: unknown }[];
  readonly warnings: readonly string[];
  /** Keys without the webhook's name: the API server puts it in front. */
  readonly audit: Readonly<Record<string, string>>;
  /** The pod is not allowed, and why; shown to whoever creates it. */
  readonly refused?: string;
}

const version = 'admission.k8s.io/v1';
/** A client prints a warning in full up to here (the API's own advice). */
const longestWarning = 120;

/** Takes a parsed body apart. Total: any value has a result. */
export function readReview(body: unknown): Incoming {
  if (!isObject(body) || body['kind'] !== 'AdmissionReview') return malformed('not an AdmissionReview');
  if (body['apiVersion'] !== version) return malformed(`apiVersion is not ${version}`);
  const request = body['request'];
  if (!isObject(request)) return malformed('no request');
  const uid = textAt(request, 'uid');
  if (uid === undefined || uid === '') return malformed('request.uid is missing');
  const skipped = passReason(request);
  if (skipped !== undefined) return { kind: 'pass', uid, because: skipped };
  const pod = podOf(request['object']);
  const namespace = textAt(request, 'namespace');
  if (pod === undefined || namespace === undefined || namespace === '') return { kind: 'pass', uid, because: 'object' };
  return { kind: 'pod', request: { uid, namespace, pod, dryRun: request['dryRun'] === true } };
}

/** The review to send back; `base64` encodes a text as UTF-8, since core has no encoder of its own. */
export function writeReview(answer: Answer, base64: (text: string) => string): JsonObject {
  const { uid, patch, warnings, audit, refused } = answer;
  const changed = patch.length > 0 ? { patchType: 'JSONPatch', patch: base64(JSON.stringify(patch)) } : {};
  return {
    apiVersion: version,
    kind: 'AdmissionReview',
    response: {
      uid,
      allowed: refused === undefined,
      ...(refused === undefined ? {} : { status: { message: refused } }),
      ...changed,
      ...(warnings.length > 0 ? { warnings: warnings.map(shortWarning) } : {}),
      ...(Object.keys(audit).length > 0 ? { auditAnnotations: audit } : {}),
    },
  };
}

function malformed(message: string): Incoming {
  return { kind: 'malformed', message };
}

function passReason(request: JsonObject): PassReason | undefined {
  if (request['operation'] !== 'CREATE') return 'operation';
  const subResource = request['subResource'];
  if (subResource !== undefined && subResource !== '') return 'subresource';
  const resource = asObject(request['resource']);
  const core = resource['group'] === undefined || resource['group'] === '';
  return core && resource['resource'] === 'pods' ? undefined : 'resource';
}

/** The pod, where the parts that a mutation touches are what the API says they are. A null map counts as absent. */
function podOf(object: unknown): JsonObject | undefined {
  if (!isObject(object)) return undefined;
  const metadata = object['metadata'];
  if (!isObject(metadata)) return undefined;
  return ['labels', 'annotations'].every((key) => isMapOrNothing(metadata[key])) ? object : undefined;
}

function isMapOrNothing(value: unknown): boolean {
  return value === undefined || value === null || isObject(value);
}

function shortWarning(text: string): string {
  const line = text.replace(/[\p{Cc}]+/gu, ' ');
  return line.length <= longestWarning ? line : `${line.slice(0, longestWarning - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
