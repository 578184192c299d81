// The controller of policy mode: rules, copies of the cluster, and the tables that follow from both. It is in nobody's way: while it is down the
// tables stay as they are.
import type { ReadRules } from '../../core/admission/index.ts';
import { type PolicyTable, policyTable } from '../../core/policy-table/index.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { type Caches, startCaches } from './caches.ts';
import { followRules, type RulePorts } from './follow-rules.ts';
import { serveHealth } from './health.ts';
import type { Leader } from './leader.ts';
import { createMetrics } from './metrics.ts';
import { followTables, startTables } from './policy-tables.ts';

export interface PolicyPorts extends RulePorts {
  readonly cluster: Cluster;
  readonly leader: Leader;
}

export interface PolicySettings {
  readonly metrics: { readonly host?: string; readonly port: number };
  /** How often files, and what the cluster told, are looked at. */
  readonly pollMs: number;
}

export interface RunningPolicy {
  readonly metricsPort: number;
  readonly isReady: () => boolean;
  readonly stop: () => Promise<void>;
}

/** Starts the controller; ready when its copies are complete. Rejects where files are unusable. */
export async function servePolicy({ metrics: at, pollMs }: PolicySettings, ports: PolicyPorts): Promise<RunningPolicy> {
  const metrics = createMetrics();
  const { log, cluster, nowMs, leader } = ports;
  let inForce: ReadRules | undefined;
  let edits = 0;
  const caches = startCaches({ cluster, log, metrics, firstSight: () => nowMs, owners: 'selectors' });
  const files = await followRules({ ports, metrics, pollMs }, async (rules) => {
    inForce = rules;
    edits++;
    await caches.followKinds(rules.fleet.kinds);
  });
  const held = followTables(cluster);
  const version = (): string => `${edits} ${held.version()} ${caches.version()}`;
  const wanted = (): PolicyTable | undefined => tableOf(inForce, caches);
  const onWritten = (count: number): void => metrics.policyTables.set(count);
  const { stored } = held;
  const tables = startTables({ cluster, leader, wanted, stored, version, everyMs: pollMs, log, onWritten });
  const isReady = (): boolean => caches.synced() && stored() !== undefined;
  const health = await serveHealth(at, metrics, isReady);
  const stop = async (): Promise<void> => {
    for (const part of [files, caches, held]) part.stop();
    await tables.stop();
    await health.close();
  };
  return { metricsPort: health.port, isReady, stop };
}

function tableOf(inForce: ReadRules | undefined, caches: Caches): PolicyTable | undefined {
  const facts = caches.tableFacts();
  return facts === undefined || inForce === undefined ? undefined : policyTable({ ...facts, rules: inForce.rules });
}
