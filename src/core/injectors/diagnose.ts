// Everything that `fairway doctor` finds in a snapshot of a cluster: the injectors' findings, and what workloads, certificates and
// dry-run pods add to them.
import type { Problem } from '../std/errors.ts';
import { type Configuration, injectorsOf, krisprsOf, namedRevisions } from './configuration.ts';
import { classFindings, type NamespaceFacts, namespaceFindings, orderFindings } from './findings.ts';

export interface Snapshot {
  readonly configurations: readonly Configuration[];
  readonly namespaces: readonly NamespaceFacts[];
  readonly workloads: readonly WorkloadFacts[];
  /** Kinds that own pods and that nobody watches, with how many pods they own. */
  readonly unwatched: readonly { readonly kind: string; readonly pods: number }[];
  readonly probes: readonly Probe[];
  readonly isRetired: (revision: string) => boolean;
  /** When a PEM certificate of a bundle ends, or why it cannot be read. */
  readonly bundleEnd: (caBundle: string) => number | string;
  readonly nowMs: number;
}

export interface WorkloadFacts {
  /** namespace/Kind/name */
  readonly key: string;
  /** The template's revision label. */
  readonly revision: string | undefined;
  readonly selectsRevision: boolean;
}

/** What a server-side dry run made of a pod that came with a label. */
export type Probe =
  | {
      readonly kind: 'made';
      readonly asked: string;
      readonly label: string | undefined;
      readonly injected: string | undefined;
    }
  | { readonly kind: 'refused'; readonly asked: string; readonly message: string };

/** All findings: errors first, then in a fixed order. */
export function diagnose(snapshot: Snapshot): readonly Problem[] {
  const { configurations, namespaces, workloads, probes } = snapshot;
  const injectors = injectorsOf(configurations);
  const krisprs = krisprsOf(configurations);
  const problems = [
    ...(krisprs.length === 0 ? [krisprMissing] : []),
    ...orderFindings(krisprs, injectors),
    ...probes.flatMap(probeFindings),
    ...configurations.flatMap((configuration) => bundleFindings(configuration, snapshot)),
    ...classFindings(injectors),
    ...namespaces.flatMap((namespace) => namespaceFindings(namespace, injectors).problems),
    ...workloads.flatMap((workload) => workloadFindings(workload, new Set(namedRevisions(injectors)), snapshot)),
    ...snapshot.unwatched.map(neverAges),
  ];
  const rank = ({ severity }: Problem): number => (severity === 'error' ? 0 : 1);
  return problems.sort((a, b) => rank(a) - rank(b));
}

const krisprMissing: Problem = {
  code: 'krispr-missing',
  severity: 'warning',
  message: 'no configuration of Krispr is in the cluster: only CI changes labels',
  hint: 'fairway admission manifests prints what installs it',
};

function probeFindings(probe: Probe): readonly Problem[] {
  if (probe.kind === 'refused') {
    const message = `a dry-run pod with ${probe.asked} was refused: ${probe.message}`;
    return [{ code: 'order-broken', severity: 'warning', message, hint: 'name another namespace by --namespace' }];
  }
  const { asked, label, injected } = probe;
  if (label === undefined || injected === label) return [];
  const message = `a dry-run pod that came with ${asked} got the label ${label}, and ${injected === undefined ? 'no sidecar' : `the sidecar of ${injected}`}`;
  const hint =
    injected === undefined
      ? 'no injector serves this label'
      : 'an injector ran before the label was set: compare the names of the webhook configurations';
  return [{ code: 'order-broken', severity: 'error', message, hint }];
}

function bundleFindings(
  { metadata, webhooks = [] }: Configuration,
  { bundleEnd, nowMs }: Snapshot,
): readonly Problem[] {
  return webhooks.flatMap(({ name, clientConfig }): readonly Problem[] => {
    if (clientConfig?.service === undefined) return [];
    const report = (message: string): readonly Problem[] => [
      {
        code: 'ca-bundle',
        severity: 'error',
        path: `${metadata.name}/${name}`,
        message,
        hint: 'its server puts it there; look at its log',
      },
    ];
    if (clientConfig.caBundle === undefined || clientConfig.caBundle === '')
      return report('no caBundle: API servers cannot trust the webhook');
    const end = bundleEnd(clientConfig.caBundle);
    if (typeof end === 'string') return report(`the caBundle cannot be read: ${end}`);
    return end <= nowMs ? report('every root of the caBundle has expired') : [];
  });
}

function workloadFindings(
  { key, revision, selectsRevision }: WorkloadFacts,
  served: ReadonlySet<string>,
  { isRetired }: Snapshot,
): readonly Problem[] {
  const problems: Problem[] = [];
  if (selectsRevision)
    problems.push({
      code: 'selector-has-revision',
      severity: 'error',
      path: key,
      message: 'the selector asks for istio.io/rev, so its pods can never change it',
      hint: 'a selector cannot change: the workload has to be made anew without it',
    });
  if (revision !== undefined && (isRetired(revision) || !served.has(revision)))
    problems.push({
      code: 'revision-in-use',
      severity: 'warning',
      path: key,
      message: `its template names ${revision}, which is ${isRetired(revision) ? 'retired' : 'served by no injector'}`,
      hint: 'Krispr corrects its pods; a new deploy from CI corrects the template',
    });
  return problems;
}

function neverAges({ kind, pods }: Snapshot['unwatched'][number]): Problem {
  return {
    code: 'never-ages',
    severity: 'warning',
    path: kind,
    message: `${pods} pods belong to owners of a kind that nobody watches: they age from first sight, anew after each restart of the server`,
    hint: 'list the kind in fairway.yml',
  };
}
