// The revision label: `istio.io/rev` on the pod template, never on a selector, never on a workload that is not in the mesh.
import type { StringMap } from '../../manifest/index.ts';
import { type NamespaceLabels, outsideMesh } from '../mesh.ts';
import { type Mutator, type Remark, setMember, type Verdict } from '../mutator.ts';
import type { Subject } from '../subject.ts';

export const revisionLabelKey = 'istio.io/rev';

/** What a namespace's revision is, or why it has none. */
export type RevisionAnswer =
  | { readonly kind: 'revision'; readonly revision: string }
  | { readonly kind: 'outside'; readonly because: string }
  | { readonly kind: 'unknown'; readonly code: string; readonly because: string; readonly hint?: string };

/** Asks for the revision of a namespace; undefined is a manifest that names none. */
export type RevisionOf = (namespace: string | undefined) => RevisionAnswer;

export interface RevisionLabelOptions {
  readonly revisionOf: RevisionOf;
  readonly labelsOf?: NamespaceLabels;
  /** Change the label of Jobs too, which a cluster refuses for a Job that exists. */
  readonly overwriteJobs?: boolean;
}

const path = ['metadata', 'labels', revisionLabelKey];

/** The mutator for one source of revisions. */
export function revisionLabel(options: RevisionLabelOptions): Mutator {
  const { revisionOf, labelsOf = () => undefined, overwriteJobs = false } = options;
  return {
    name: 'revision-label',
    target: 'template',
    scope: ['/metadata/labels/istio.io~1rev'],
    applies: (subject) => {
      const outside = outsideMesh(subject, labelsOf) ?? selectorTrouble(subject);
      if (outside !== undefined) return outside;
      const answer = revisionOf(subject.namespace);
      if (answer.kind !== 'revision') return unresolved(answer);
      const kept = overwriteJobs ? undefined : keptJob(subject, answer.revision);
      return kept ?? { kind: 'applies', remarks: remarksOf(subject, answer.revision, { labelsOf, overwriteJobs }) };
    },
    mutate: (subject) => {
      const answer = revisionOf(subject.namespace);
      return answer.kind === 'revision' ? setMember(subject, 'template', path, answer.revision) : [];
    },
  };
}

function unresolved(answer: Exclude<RevisionAnswer, { kind: 'revision' }>): Verdict {
  if (answer.kind === 'outside') return { kind: 'skips', remark: note('excluded', answer.because) };
  const { code, because, hint } = answer;
  return { kind: 'fails', code, message: because, ...(hint === undefined ? {} : { hint }) };
}

/** Pods with a new label would leave an owner that selects by it, and the owner would make new ones without end. */
function selectorTrouble({ selector }: Subject): Verdict | undefined {
  if (selector?.keys.includes(revisionLabelKey) !== true) return undefined;
  const message = `the selector contains ${revisionLabelKey}: pods with another label would leave their owner, which would create pods without end; left as it is`;
  return { kind: 'skips', remark: warning('selector-has-revision', message) };
}

/** The template of a Job that exists cannot change, unless something replaces the Job anyway. */
function keptJob(subject: Subject, wanted: string): Verdict | undefined {
  const present = subject.pod?.labels[revisionLabelKey];
  if (!isLastingJob(subject) || present === undefined || present === wanted) return undefined;
  return { kind: 'skips', remark: warning('job-immutable', `Job template is immutable, kept ${present}`) };
}

function isLastingJob({ kind, generated, annotations }: Subject): boolean {
  return kind === 'Job' && !generated && !replacedByHook(annotations);
}

/** Helm's and Argo CD's hooks: without a delete policy both delete the Job before they create it again. */
function replacedByHook(annotations: StringMap): boolean {
  return (
    (annotations['helm.sh/hook'] !== undefined &&
      (annotations['helm.sh/hook-delete-policy'] ?? 'before-hook-creation').includes('before-hook-creation')) ||
    (annotations['argocd.argoproj.io/hook'] !== undefined &&
      (annotations['argocd.argoproj.io/hook-delete-policy'] ?? 'BeforeHookCreation').includes('BeforeHookCreation'))
  );
}

function remarksOf(
  subject: Subject,
  revision: string,
  options: Required<Omit<RevisionLabelOptions, 'revisionOf'>>,
): readonly Remark[] {
  const present = subject.pod?.labels[revisionLabelKey];
  const remarks: Remark[] = [];
  if (options.overwriteJobs && isLastingJob(subject) && present !== undefined && present !== revision) {
    remarks.push(
      warning('job-immutable', `Job template is immutable: the Job must be replaced, ${present} becomes ${revision}`),
    );
  }
  if (subject.exported.length > 0) {
    remarks.push(warning('exported-object', `exported object: ${subject.exported.join('/')} present`));
  }
  const selected = subject.selector?.matchLabels ?? {};
  if (
    subject.pod !== undefined &&
    Object.entries(selected).some(([key, value]) => subject.pod?.labels[key] !== value)
  ) {
    remarks.push(warning('selector-mismatch', 'the selector does not match the labels of its own pod template'));
  }
  return [...remarks, ...shadowed(subject, revision, options.labelsOf)];
}

/** A revision label of the namespace wins over the pod's, and so does istio-injection (istio.io, "Sidecar injection"). */
function shadowed({ namespace }: Subject, revision: string, labelsOf: NamespaceLabels): readonly Remark[] {
  const labels = namespace === undefined ? undefined : labelsOf(namespace);
  if (labels === undefined) return [];
  const injection = labels['istio-injection'];
  const found = labels[revisionLabelKey];
  if (injection !== undefined) {
    const effective = injection === 'enabled' ? 'the default revision' : 'none';
    return [
      warning(
        'shadowed',
        `namespace ${namespace} has istio-injection=${injection}; the pod label is ignored, effective revision ${effective}`,
      ),
    ];
  }
  if (found === undefined || found === revision) return [];
  return [
    warning(
      'shadowed',
      `namespace ${namespace} has ${revisionLabelKey}=${found}; the pod label is ignored, effective revision ${found}`,
    ),
  ];
}

function note(code: string, message: string): Remark {
  return { severity: 'note', code, message };
}

function warning(code: string, message: string): Remark {
  return { severity: 'warning', code, message };
}
