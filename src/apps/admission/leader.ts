// Takes part in the election of the replica that writes: reads the Lease, writes it as the rules say, and knows whether it holds it.
import { type Candidate, holds, type Lease, nextLease } from '../../core/election/index.ts';
import type { Cluster } from '../../ports/cluster.ts';

export interface Leader {
  /** One round; resolves to whether this replica may act now. */
  readonly round: () => Promise<boolean>;
  /** Whether it may act now, as far as the last round told. */
  readonly holds: () => boolean;
  /** Gives the Lease back, so that another need not wait for its end. */
  readonly release: () => Promise<void>;
}

interface Options {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly lease: string;
  readonly candidate: Candidate;
  readonly nowMs: () => number;
}

interface LeaseObject {
  readonly metadata: { readonly resourceVersion: string };
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly leaseTransitions?: number;
  };
}

export function takePart(options: Options): Leader {
  const { cluster, namespace, candidate, nowMs } = options;
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  let seen: { readonly text: string; readonly sinceMs: number } = { text: '', sinceMs: nowMs() };
  let renewedMs: number | undefined;

  const read = async (): Promise<Lease | undefined> => {
    const { status, body } = await cluster.send({ method: 'GET', path: `${collection}/${options.lease}` });
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`reading the lease: HTTP ${status}`);
    return leaseOf(body as LeaseObject);
  };
  const write = async (
    holder: string,
    change: { readonly version?: string; readonly transitions: number },
  ): Promise<boolean> => {
    const body = leaseBody(options, holder, change);
    const update = change.version !== undefined;
    const { status } = await cluster.send({
      method: update ? 'PUT' : 'POST',
      path: update ? `${collection}/${options.lease}` : collection,
      body,
    });
    // A conflict: another was faster.
    if (status === 409) return false;
    if (status >= 300) throw new Error(`writing the lease: HTTP ${status}`);
    return true;
  };
  return {
    round: async () => {
      const startedMs = nowMs();
      try {
        const lease = await read();
        const text = JSON.stringify(lease ?? null);
        if (text !== seen.text) seen = { text, sinceMs: nowMs() };
        const next = nextLease({ lease, sinceMs: seen.sinceMs }, candidate, nowMs());
        if (next !== undefined && (await write(candidate.name, next))) renewedMs = startedMs;
        else if (lease !== undefined && lease.holder !== candidate.name) renewedMs = undefined;
      } catch {
        // Not knowing is not losing: the term says how long.
      }
      return holds(renewedMs, candidate, nowMs());
    },
    holds: () => holds(renewedMs, candidate, nowMs()),
    release: async () => {
      if (renewedMs === undefined) return;
      renewedMs = undefined;
      const lease = await read().catch(() => undefined);
      if (lease?.holder === candidate.name) await write('', lease).catch(() => false);
    },
  };
}

function leaseOf({ metadata, spec = {} }: LeaseObject): Lease {
  const { holderIdentity = '', leaseDurationSeconds = 0, leaseTransitions = 0 } = spec;
  return {
    holder: holderIdentity,
    durationMs: leaseDurationSeconds * 1000,
    transitions: leaseTransitions,
    version: metadata.resourceVersion,
  };
}

function leaseBody(
  { namespace, lease, candidate, nowMs }: Options,
  holder: string,
  change: { readonly version?: string; readonly transitions: number },
) {
  const { version, transitions } = change;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: lease, namespace, ...(version === undefined ? {} : { resourceVersion: version }) },
    spec: {
      holderIdentity: holder,
      leaseDurationSeconds: candidate.term.durationMs / 1000,
      leaseTransitions: transitions,
      renewTime: new Date(nowMs()).toISOString().replace('Z', '000Z'),
    },
  };
}
