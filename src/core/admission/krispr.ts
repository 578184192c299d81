// Krispr at admission: a review in, its answer and what to log and count out. Fails open by construction: every review that can
// be answered is allowed.
import { decide, type Rules, type Verdict } from './decide.ts';
import type { OwnerFacts } from './deploy-age.ts';
import {
  type Answer,
  escapePointer,
  type PassReason,
  type PatchOperation,
  type PodRequest,
  readReview,
} from './envelope.ts';
import { controllerOf, type OwnerReference } from './owner.ts';
import { asRecord, isRecord, type JsonRecord, textField } from './record.ts';
import type { Served } from './served.ts';

/** What the server knows, looked up in memory: nothing of it may wait. */
export interface Knowledge {
  readonly rules: Rules;
  readonly served: Served | undefined;
  /** A dry run must leave no trace: it may not note a first sight. */
  readonly facts: (controller: OwnerReference | undefined, dryRun: boolean) => OwnerFacts;
  /** Why a pod of this namespace is not in the mesh, or undefined. */
  readonly outside: (namespace: string, pod: JsonRecord) => string | undefined;
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
}

const revisionLabel = 'istio.io/rev';

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
  const metadata = asRecord(pod['metadata']);
  const controller = controllerOf(metadata);
  const label = textField(asRecord(metadata['labels']), revisionLabel);
  let facts: OwnerFacts | undefined;
  const lookUp = (): OwnerFacts => (facts ??= knowledge.facts(controller, dryRun));
  const subject = {
    namespace,
    label: label === '' ? undefined : label,
    outside: knowledge.outside(namespace, pod),
    facts: lookUp,
  };
  const verdict = decide(subject, { rules: knowledge.rules, served: knowledge.served, nowMs });
  const answer: Answer = {
    uid,
    patch: verdict.kind === 'label' ? labelPatch(metadata, verdict.revision) : [],
    warnings: verdict.note === undefined ? [] : [`krispr: ${verdict.note}`],
    audit: audit(verdict),
  };
  const about = { pod: podName(namespace, metadata), workload: workloadName(metadata, controller, lookUp), dryRun };
  return { kind: 'decided', verdict, answer, about };
}

/** The smallest change that sets the label; the map is made only where there is none, or the pod would lose its other labels. */
function labelPatch(metadata: JsonRecord, revision: string): PatchOperation[] {
  const labels = metadata['labels'];
  if (!isRecord(labels)) return [{ op: 'add', path: '/metadata/labels', value: { [revisionLabel]: revision } }];
  const op = Object.hasOwn(labels, revisionLabel) ? 'replace' : 'add';
  return [{ op, path: `/metadata/labels/${escapePointer(revisionLabel)}`, value: revision }];
}

function audit(verdict: Verdict): Record<string, string> {
  if (verdict.kind === 'leave') return { verdict: `leave ${verdict.because}` };
  return { verdict: `label ${verdict.because}`, revision: `${verdict.from ?? '(none)'} -> ${verdict.revision}` };
}

function podName(namespace: string, metadata: JsonRecord): string {
  const name = textField(metadata, 'name');
  if (name !== undefined && name !== '') return `${namespace}/${name}`;
  return `${namespace}/${textField(metadata, 'generateName') ?? ''}*`;
}

function workloadName(metadata: JsonRecord, controller: OwnerReference | undefined, facts: () => OwnerFacts): string {
  if (controller === undefined) return `Pod/${podName('', metadata).slice(1)}`;
  const { chain, end } = facts();
  const top = end.kind === 'top' ? (chain.at(-1) ?? controller) : end.reference;
  return `${top.kind}/${top.name}`;
}
