// The revision label: `istio.io/rev` on the pod template, never on a selector, never on a workload that is not in the mesh.
import type { Plain } from '../../manifest/index.ts';
import { type NamespaceLabels, outsideMesh } from '../mesh.ts';
import { type Mutator, type Remark, setMember, type Verdict } from '../mutator.ts';
import { membersOf, type Subject, textOf, valueAt } from '../subject.ts';

export const revisionLabelKey = 'istio.io/rev';

/** What a namespace's revision is, or why it has none. */
export type RevisionAnswer =
  /** `bucket`: the key of rollouts.yml that decided, where one did. */
  | { readonly kind: 'revision'; readonly revision: string; readonly bucket?: string }
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
      const selector = selectorOf(subject);
      const outside = outsideMesh(subject, labelsOf) ?? selectorTrouble(selector);
      if (outside !== undefined) return outside;
      const answer = revisionOf(subject.namespace);
      if (answer.kind !== 'revision') return unresolved(answer);
      const kept = overwriteJobs ? undefined : keptJob(subject, answer.revision);
      const { revision } = answer;
      return kept ?? { kind: 'applies', remarks: remarksOf(subject, selector, { revision, labelsOf, overwriteJobs }) };
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
function selectorTrouble({ matchLabels, expressions }: Selector): Verdict | undefined {
  const keys = [...Object.keys(matchLabels), ...expressions.map((expression) => valueAt(expression, ['key']))];
  if (!keys.includes(revisionLabelKey)) return undefined;
  const message = `the selector contains ${revisionLabelKey}: pods with another label would leave their owner, which would create pods without end; left as it is`;
  return { kind: 'skips', remark: warning('selector-has-revision', message) };
}

interface Selector {
  readonly matchLabels: Readonly<Record<string, Plain>>;
  readonly expressions: readonly Plain[];
}

/** The selector of a workload; a ReplicationController's is a plain map. */
function selectorOf(subject: Subject): Selector {
  const selector = subject.template === '' ? {} : membersOf(subject.at('workload', ['spec', 'selector']));
  const expressions = selector['matchExpressions'];
  const structured = typeof selector['matchLabels'] === 'object' || Array.isArray(expressions);
  return {
    matchLabels: structured ? membersOf(selector['matchLabels']) : selector,
    expressions: Array.isArray(expressions) ? (expressions as readonly Plain[]) : [],
  };
}

/** The template of a Job that exists cannot change, unless something replaces the Job anyway. */
function keptJob(subject: Subject, wanted: string): Verdict | undefined {
  const present = isLastingJob(subject) ? textOf(subject.at('template', path)) : undefined;
  if (present === undefined || present === wanted) return undefined;
  return { kind: 'skips', remark: warning('job-immutable', `Job template is immutable, kept ${present}`) };
}

function isLastingJob(subject: Subject): boolean {
  return subject.kind === 'Job' && !subject.generated && !replacedByHook(subject);
}

const hooks = [
  { hook: 'helm.sh/hook', policy: 'helm.sh/hook-delete-policy', replaces: 'before-hook-creation' },
  {
    hook: 'argocd.argoproj.io/hook',
    policy: 'argocd.argoproj.io/hook-delete-policy',
    replaces: 'BeforeHookCreation',
  },
];

/** Helm's and Argo CD's hooks: without a delete policy both delete the Job before they create it again. */
function replacedByHook(subject: Subject): boolean {
  const annotation = (key: string) => textOf(subject.at('workload', ['metadata', 'annotations', key]));
  return hooks.some(
    ({ hook, policy, replaces }) =>
      annotation(hook) !== undefined && (annotation(policy) ?? replaces).includes(replaces),
  );
}

interface Settings extends Required<Omit<RevisionLabelOptions, 'revisionOf'>> {
  readonly revision: string;
}

function remarksOf(subject: Subject, selector: Selector, settings: Settings): readonly Remark[] {
  const { overwriteJobs, labelsOf, revision } = settings;
  const remarks: Remark[] = [];
  const replaced = overwriteJobs ? keptJob(subject, revision) : undefined;
  if (replaced !== undefined) {
    const message = `Job template is immutable: the Job must be replaced to become ${revision}`;
    remarks.push(warning('job-immutable', message));
  }
  const traces = tracesOf(subject);
  if (traces.length > 0) remarks.push(warning('exported-object', `exported object: ${traces.join('/')} present`));
  if (!selectsItsPods(subject, selector)) {
    remarks.push(warning('selector-mismatch', 'the selector does not match the labels of its own pod template'));
  }
  return [...remarks, ...shadowed(subject, revision, labelsOf)];
}

/** Traces of a cluster in the object. */
function tracesOf(subject: Subject): readonly string[] {
  const traces = ['resourceVersion', 'managedFields'].filter(
    (key) => subject.stateAt('workload', ['metadata', key]) !== 'absent',
  );
  if (subject.stateAt('workload', ['status']) !== 'map') return traces;
  return Object.keys(membersOf(subject.at('workload', ['status']))).length > 0 ? [...traces, 'status'] : traces;
}

function selectsItsPods(subject: Subject, { matchLabels }: Selector): boolean {
  return Object.entries(matchLabels).every(
    ([key, value]) => textOf(subject.at('template', ['metadata', 'labels', key])) === textOf(value),
  );
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
