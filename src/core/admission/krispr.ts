// Krispr at admission: a review in, its answer and what to log and count out. Fails open by construction: every review that can
// be answered is allowed.
import {
  type NamespaceLabels,
  patchOf,
  type Remark,
  revisionLabel,
  revisionLabelKey,
  type Subject,
} from '../mutate/index.ts';
import { asObject, type JsonObject, textAt } from '../std/json.ts';
import { decide, type Rules, type Verdict } from './decide.ts';
import type { OwnerFacts } from './deploy-age.ts';
import { type Answer, type PassReason, type PodRequest, readReview } from './envelope.ts';
import { type Guard, guardPod } from './guard.ts';
import { controllerOf, type OwnerReference } from './owner.ts';
import { podSubject } from './pod-subject.ts';
import type { Served } from './served.ts';

/** What the server knows, looked up in memory: nothing of it may wait. */
export interface Knowledge {
  readonly rules: Rules;
  readonly served: Served | undefined;
  /** A dry run must leave no trace: it may not note a first sight. */
  readonly facts: (controller: OwnerReference | undefined, dryRun: boolean) => OwnerFacts;
  readonly namespaceLabels: NamespaceLabels;
  /** Where fairway.yml switches the shutdown guard on. */
  readonly guard?: Guard | undefined;
}

export type Outcome =
  | { readonly kind: 'malformed'; readonly message: string }
  | { readonly kind: 'pass'; readonly because: PassReason; readonly answer: Answer }
  | { readonly kind: 'decided'; readonly verdict: Verdict; readonly answer: Answer; readonly about: About };

/** For logs and Events. */
export interface About {
  /** "namespace/name"; a generated name ends in "*". */
  readonly pod: string;
  /** "Kind/name" of the topmost known owner. */
  readonly workload: string;
  readonly dryRun: boolean;
  /** The shutdown guard changed the pod. */
  readonly guarded: boolean;
}

/** Total: any parsed body has an outcome. */
export function reviewKrispr(body: unknown, knowledge: Knowledge, nowMs: number): Outcome {
  const incoming = readReview(body);
  if (incoming.kind === 'malformed') return incoming;
  if (incoming.kind === 'pass') {
    const warnings = incoming.because === 'object' ? ['krispr: the pod could not be read; left as it is'] : [];
    const answer = { uid: incoming.uid, patch: [], warnings, audit: {} };
    return { kind: 'pass', because: incoming.because, answer };
  }
  return reviewPod(incoming.request, knowledge, nowMs);
}

function reviewPod(request: PodRequest, knowledge: Knowledge, nowMs: number): Outcome {
  const { uid, namespace, pod, dryRun } = request;
  const metadata = asObject(pod['metadata']);
  const controller = controllerOf(metadata);
  const label = textAt(asObject(metadata['labels']), revisionLabelKey);
  let found: OwnerFacts | undefined;
  const facts = (): OwnerFacts => (found ??= knowledge.facts(controller, dryRun));
  const subject = podSubject(namespace, pod);
  const outside = mutate(subject, '', knowledge).outside;
  const { rules, served } = knowledge;
  const verdict = decide(
    { namespace, label: label === '' ? undefined : label, outside, facts },
    { rules, served, nowMs },
  );
  const revision = verdict.kind === 'label' ? verdict.revision : undefined;
  const { patch, remarks } = revision === undefined ? unchanged : mutate(subject, revision, knowledge);
  const guard = guardPod(subject, revision, knowledge);
  const notes = [...(verdict.note === undefined ? [] : [verdict.note]), ...remarks, ...guard.warnings];
  const guarded = guard.patch.length > 0;
  const warnings = notes.map((text) => `krispr: ${text}`);
  const answer = { uid, patch: [...patch, ...guard.patch], warnings, audit: audit(verdict, guarded) };
  const workload = workloadName(metadata, controller, facts);
  return { kind: 'decided', verdict, answer, about: { pod: podName(namespace, metadata), workload, dryRun, guarded } };
}

const unchanged = { patch: [], remarks: [] };

/** What the mutator of CI says of the pod: why it is not in the mesh, or the patch that gives it the revision. */
function mutate(subject: Subject, revision: string, { namespaceLabels }: Knowledge) {
  const mutator = revisionLabel({ revisionOf: () => ({ kind: 'revision', revision }), labelsOf: namespaceLabels });
  const verdict = mutator.applies(subject);
  if (verdict.kind !== 'applies') return { outside: verdict.kind, patch: [], remarks: [] };
  const remarks = verdict.remarks.filter(isForOwners).map(({ message }) => message);
  return { outside: undefined, patch: patchOf(mutator, subject), remarks };
}

/** An API server's objects have managedFields: what betrays an export in a repository is no news here. */
function isForOwners({ severity, code }: Remark): boolean {
  return severity === 'warning' && code !== 'exported-object';
}

function audit(verdict: Verdict, guarded: boolean): Record<string, string> {
  const guard: Record<string, string> = guarded ? { 'shutdown-guard': 'added' } : {};
  if (verdict.kind === 'leave') return { verdict: `leave ${verdict.because}`, ...guard };
  const revision = `${verdict.from ?? '(none)'} -> ${verdict.revision}`;
  return { verdict: `label ${verdict.because}`, revision, ...guard };
}

function podName(namespace: string, metadata: JsonObject): string {
  const name = textAt(metadata, 'name');
  if (name !== undefined && name !== '') return `${namespace}/${name}`;
  return `${namespace}/${textAt(metadata, 'generateName') ?? ''}*`;
}

function workloadName(metadata: JsonObject, controller: OwnerReference | undefined, facts: () => OwnerFacts): string {
  if (controller === undefined) return `Pod/${podName('', metadata).slice(1)}`;
  const { chain, end } = facts();
  const top = end.kind === 'top' ? (chain.at(-1) ?? controller) : end.reference;
  return `${top.kind}/${top.name}`;
}
