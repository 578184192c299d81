// Krispr as a policy of the API server: whether it is there, bound, and has the tables that rules and cluster give.
import type { ReadRules } from '../../core/admission/index.ts';
import type { PolicyFacts } from '../../core/injectors/index.ts';
import { policyName, tableResource } from '../../core/install/index.ts';
import { type ClusterFacts, policyTable } from '../../core/policy-table/index.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { listIfServed, type Named } from './list.ts';

interface Table extends Named {
  readonly spec?: { readonly revisions?: Readonly<Record<string, string>> };
}

interface Known {
  readonly read: ReadRules | undefined;
  readonly facts: Omit<ClusterFacts, 'rules'>;
  readonly hasWebhook: boolean;
}

const admission = '/apis/admissionregistration.k8s.io/v1';

/** Undefined where there is no such policy, as in clusters before 1.36. */
export async function readPolicy(
  cluster: Cluster,
  { read, facts, hasWebhook }: Known,
): Promise<PolicyFacts | undefined> {
  const policies = await listIfServed(cluster, `${admission}/mutatingadmissionpolicies`);
  if (!(policies as readonly Named[] | undefined)?.some(isKrispr)) return undefined;
  const bindings = ((await listIfServed(cluster, `${admission}/mutatingadmissionpolicybindings`)) ?? []) as Named[];
  const { group, version, plural } = tableResource;
  const tables = ((await listIfServed(cluster, `/apis/${group}/${version}/${plural}`)) ?? []) as Table[];
  const revisions = new Map(tables.flatMap(({ spec }) => Object.entries(spec?.revisions ?? {})));
  return {
    name: policyName,
    isBound: bindings.some(isKrispr),
    hasWebhook,
    tables: tables.length,
    stale:
      read === undefined || tables.length === 0
        ? []
        : staleEntries(revisions, policyTable({ ...facts, rules: read.rules }).revisions),
    wantsGuard: read?.fleet.shutdownGuard !== undefined,
  };
}

function isKrispr({ metadata }: Named): boolean {
  return metadata.name === policyName;
}

function staleEntries(
  there: ReadonlyMap<string, string>,
  wanted: Readonly<Record<string, string>>,
): PolicyFacts['stale'] {
  const names = [...new Set([...there.keys(), ...Object.keys(wanted)])].sort((a, b) => (a < b ? -1 : 1));
  return names
    .map((namespace) => ({ namespace, has: there.get(namespace), wanted: wanted[namespace] }))
    .filter((each) => each.has !== each.wanted);
}
