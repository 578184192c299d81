// The controller of policy mode: rules, copies of the cluster, and the tables that follow from both. It is in nobody's way: while it is down the
// tables stay as they are.
import type { ReadRules } from '../../core/admission/index.ts';
import { leastPolicyMinor } from '../../core/install/index.ts';
import { type PolicyTable, policyTable } from '../../core/policy-table/index.ts';
import { UsageError } from '../../core/std/errors.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { type Caches, startCaches } from './caches.ts';
import { followRules, type RulePorts } from './follow-rules.ts';
import { serveHealth } from './health.ts';
import type { Leader } from './leader.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { type FollowedTables, followTables, startTables, type Tables } from './policy-tables.ts';
import type { Pace } from './rounds.ts';

export interface PolicyPorts extends RulePorts {
  readonly cluster: Cluster;
  readonly leader: Leader;
}

export interface PolicySettings {
  readonly metrics: { readonly host?: string; readonly port: number };
  /** How often files are looked at. */
  readonly pollMs: number;
  /** Of the writing of tables. */
  readonly pace: Pace;
}

export interface RunningPolicy {
  readonly metricsPort: number;
  readonly isReady: () => boolean;
  readonly stop: () => Promise<void>;
}

/**
 * Starts the controller; ready when its copies are complete. Rejects where files are unusable; then nothing of it goes on.
 * @throws UsageError where the cluster has no such policies
 */
export async function servePolicy(settings: PolicySettings, ports: PolicyPorts): Promise<RunningPolicy> {
  await refuseOldCluster(ports.cluster);
  const metrics = createMetrics();
  const { cluster, log, nowMs } = ports;
  const told: Told = {};
  const changed = (): void => told.changed?.();
  const caches = startCaches({ cluster, log, metrics, firstSight: () => nowMs, owners: 'selectors', changed });
  const held = followTables(cluster, changed);
  const stopCopies = (): void => {
    caches.stop();
    held.stop();
  };
  try {
    const tables = await keepTables({ caches, held, told, metrics }, settings, ports);
    const isReady = (): boolean => caches.synced() && held.stored() !== undefined;
    const health = await serveHealth(settings.metrics, metrics, isReady);
    const stop = async (): Promise<void> => {
      stopCopies();
      await tables.stop();
      await health.close();
    };
    return { metricsPort: health.port, isReady, stop };
  } catch (error) {
    stopCopies();
    throw error;
  }
}

/** Who hears of changes: known only when the copies are being made already. */
interface Told {
  changed?: () => void;
}

interface Copies {
  readonly caches: Caches;
  readonly held: FollowedTables;
  readonly told: Told;
  readonly metrics: Metrics;
}

async function keepTables(
  { caches, held, told, metrics }: Copies,
  { pollMs, pace }: PolicySettings,
  ports: PolicyPorts,
): Promise<Pick<Tables, 'stop'>> {
  let inForce: ReadRules | undefined;
  let edits = 0;
  const files = await followRules({ ports, metrics, pollMs }, async (rules) => {
    inForce = rules;
    edits++;
    await caches.followKinds(rules.fleet.kinds);
    told.changed?.();
  });
  const version = (): string => `${edits} ${held.version()} ${caches.version()}`;
  const wanted = (): PolicyTable | undefined => tableOf(inForce, caches);
  const tables = startTables({ ...ports, wanted, stored: held.stored, version, pace, metrics });
  told.changed = tables.changed;
  const stop = async (): Promise<void> => {
    files.stop();
    await tables.stop();
  };
  return { stop };
}

/** A cluster that does not answer may have them. */
async function refuseOldCluster(cluster: Cluster): Promise<void> {
  const path = '/apis/admissionregistration.k8s.io/v1';
  const answer = await cluster.send({ method: 'GET', path }).catch(() => undefined);
  const { resources } = (answer?.status === 200 ? answer.body : {}) as { resources?: readonly { name: string }[] };
  if (resources === undefined || resources.some(({ name }) => name === 'mutatingadmissionpolicies')) return;
  throw new UsageError('the cluster serves no MutatingAdmissionPolicy of admissionregistration.k8s.io/v1', {
    hint: `--mode policy needs Kubernetes 1.${leastPolicyMinor} or newer; --mode webhook does not`,
  });
}

function tableOf(inForce: ReadRules | undefined, caches: Caches): PolicyTable | undefined {
  const facts = caches.tableFacts();
  return facts === undefined || inForce === undefined ? undefined : policyTable({ ...facts, rules: inForce.rules });
}
