// Everything that `fairway doctor` finds in a snapshot of a cluster: the injectors' findings, and what workloads, certificates and
// dry-run pods add to them.
import type { Problem } from '../std/errors.ts';
import { type AgingFacts, agingFindings, stuckFindings, unlabelledFindings, type WorkloadFacts } from './aging.ts';
import { type Configuration, injectorsOf, krisprsOf, namedRevisions } from './configuration.ts';
import { classFindings, namespaceFindings, orderFindings, switchedOffFindings } from './findings.ts';
import { type NativeChoice, type NodeFacts, nativeFindings } from './native.ts';
import { type PolicyFacts, policyFindings } from './policy-findings.ts';
import { type Trust, trustFindings } from './trust.ts';

export interface Snapshot extends AgingFacts {
  readonly configurations: readonly Configuration[];
  readonly probes: readonly Probe[];
  readonly nodes: readonly NodeFacts[];
  readonly choices: readonly NativeChoice[];
  readonly trust: readonly Trust[];
  /** Where Krispr is a policy of the API server. */
  readonly policy: PolicyFacts | undefined;
  /** Roll-outs that will not end by themselves. */
  readonly stuck: readonly Problem[];
  /** When a PEM certificate of a bundle ends, or why it cannot be read. */
  readonly bundleEnd: (caBundle: string) => number | string;
}

/** What a server-side dry run made of a pod that came with a label. */
export type Probe =
  | {
      readonly kind: 'made';
      readonly asked: string;
      readonly label: string | undefined;
      readonly injected: string | undefined;
    }
  | { readonly kind: 'refused'; readonly asked: string; readonly message: string }
  /** A label that nobody serves was left; `wanted`: what Krispr ought to have set, as far as that is known. */
  | { readonly kind: 'silent'; readonly namespace: string; readonly wanted: string | undefined };

/** All findings: errors first, then in a fixed order. */
export function diagnose(snapshot: Snapshot): readonly Problem[] {
  const { configurations, namespaces, workloads, probes, policy } = snapshot;
  const injectors = injectorsOf(configurations);
  const krisprs = krisprsOf(configurations);
  const hasKrispr = krisprs.length > 0 || policy !== undefined;
  const problems = [
    ...(hasKrispr ? [] : [krisprMissing]),
    ...orderFindings(krisprs, injectors),
    ...probes.flatMap((probe) => probeFindings(probe, hasKrispr)),
    ...configurations.flatMap((configuration) => bundleFindings(configuration, snapshot)),
    ...trustFindings(snapshot.trust),
    ...(policy === undefined ? [] : policyFindings(policy)),
    ...classFindings(injectors),
    ...switchedOffFindings(configurations),
    ...namespaces.flatMap((namespace) => namespaceFindings(namespace, injectors).problems),
    ...workloads.flatMap((workload) => workloadFindings(workload, new Set(namedRevisions(injectors)), snapshot)),
    ...snapshot.stuck,
    ...stuckFindings(snapshot),
    ...nativeFindings(snapshot.nodes, snapshot.choices),
    ...(policy === undefined ? agingFindings(snapshot) : []),
    ...unlabelledFindings(snapshot),
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

function probeFindings(probe: Probe, hasKrispr: boolean): readonly Problem[] {
  if (probe.kind === 'silent') return hasKrispr && probe.wanted !== undefined ? [silence(probe)] : [];
  if (probe.kind === 'refused') return [refusal(probe)];
  const { asked, label, injected } = probe;
  if (label === undefined || injected === label) return [];
  const message = `a dry-run pod that came with ${asked} got the label ${label}, and ${injected === undefined ? 'no sidecar' : `the sidecar of ${injected}`}`;
  const hint =
    injected === undefined
      ? 'no injector serves this label'
      : 'an injector ran before the label was set: compare the names of the webhook configurations';
  return [{ code: 'order-broken', severity: 'error', message, hint }];
}

/** By a webhook that fails closed, so says the API server; or by somebody who has nothing to do with the mesh. */
function refusal({ asked, message: said }: Extract<Probe, { kind: 'refused' }>): Problem {
  const webhook = /failed calling webhook "([^"]+)"/.exec(said)?.[1];
  const message = `a dry-run pod with ${asked} was refused: ${said}`;
  if (webhook === undefined)
    return { code: 'order-broken', severity: 'warning', message, hint: 'name another namespace by --namespace' };
  const hint = 'no such pod can start: bring its server back, or delete the configuration of a revision that is gone';
  return { code: 'injector-silent', severity: 'error', path: webhook, message, hint };
}

function silence({ namespace, wanted }: Extract<Probe, { kind: 'silent' }>): Problem {
  return {
    code: 'krispr-silent',
    severity: 'error',
    path: namespace,
    message: `a dry-run pod with a label that nobody serves kept it, where Krispr should have set ${wanted}`,
    hint: 'API servers do not reach it, or it follows other files than --config names: look at its log, and at its caBundle',
  };
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
  { rules }: Snapshot,
): readonly Problem[] {
  const isRetired = rules?.isRetired ?? (() => false);
  const problems: Problem[] = [];
  if (selectsRevision) problems.push({ ...selectorProblem, path: key });
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

const selectorProblem: Problem = {
  code: 'selector-has-revision',
  severity: 'error',
  message: 'the selector asks for istio.io/rev, so its pods can never change it',
  hint: 'a selector cannot change: the workload has to be made anew without it',
};
