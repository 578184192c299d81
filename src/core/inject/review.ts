// One admission request: an AdmissionReview in, the answer out. The door of the webhook is this and a server around it.

import { clone, isObject, type JsonObject, objectAt, textAt } from '../std/json.ts';
import { decide, decideFor } from './decide.ts';
import { InjectError } from './error.ts';
import { inject } from './inject.ts';
import { dropAssignedUser } from './openshift.ts';
import { ownerOf } from './owner.ts';
import type { InjectRequest } from './params.ts';
import { diff, type PatchOperation } from './patch.ts';
import { type ProxyConfigs, podLayers } from './proxy-configs.ts';

/** What the server knows beside the review. */
export interface ReviewContext extends Omit<InjectRequest, 'pod' | 'owner' | 'namespace' | 'layers'> {
  /** The cluster's ProxyConfig resources. */
  readonly proxyConfigs?: ProxyConfigs;
  /** Refuses the user ids that the platform itself assigned. */
  readonly openshift?: boolean;
}

export type ReviewResult =
  /** Allowed; the patch may be empty. */
  | { readonly kind: 'injected'; readonly patch: readonly PatchOperation[]; readonly warnings: readonly string[] }
  | { readonly kind: 'skipped'; readonly because: string; readonly warnings: readonly string[] }
  /** Refused, whatever the failure policy says: the message goes to who creates the pod. */
  | { readonly kind: 'refused'; readonly message: string };

/** Answers for the pod of a request (`request.object`, `request.namespace`). Total. */
export function injectReview(request: JsonObject, context: ReviewContext): ReviewResult {
  const { object } = request;
  if (!isObject(object)) return { kind: 'refused', message: 'the request carries no pod' };
  try {
    return injectPod(shallow(object), textAt(request, 'namespace') ?? '', context);
  } catch (error) {
    if (error instanceof InjectError) return { kind: 'refused', message: error.message };
    throw error;
  }
}

/** A copy of what is changed here: the metadata, and on OpenShift the containers. */
function shallow(object: JsonObject): JsonObject {
  return { ...object, metadata: { ...objectAt(object, 'metadata') } };
}

function injectPod(object: JsonObject, requested: string, context: ReviewContext): ReviewResult {
  const metadata = objectAt(object, 'metadata');
  const namespace = requested || (textAt(metadata, 'namespace') ?? '');
  if (!textAt(metadata, 'namespace')) metadata['namespace'] = namespace;
  // Large, and nothing of it matters here.
  delete metadata['managedFields'];
  const pod = context.openshift === true ? clone(object) : object;
  const decision = decideFor(context.compat, pod, decide(context.config, pod, namespace));
  if (!decision.inject) return { kind: 'skipped', because: decision.because, warnings: decision.warnings };
  if (context.openshift === true) dropAssignedUser(pod);
  const layers = podLayers(context.proxyConfigs, pod, context);
  const result = inject({ ...context, pod, namespace, owner: ownerOf(pod), layers });
  const patch = diff(result.before, result.pod);
  return { kind: 'injected', patch, warnings: [...decision.warnings, ...result.warnings] };
}

/** The pod's name as far as it is known, for logs. */
export function displayName(pod: JsonObject, namespace: string): string {
  const metadata = objectAt(pod, 'metadata');
  const name = textAt(metadata, 'name') || `${textAt(metadata, 'generateName') ?? ''}*`;
  return `${namespace}/${name}`;
}
