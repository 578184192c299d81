// What the suites begin with: a control plane, Istio's namespace, and a stand-in for the injectors of some revisions; and how they end.
import type { Connection } from '../../src/adapters/kube/connect.ts';
import { type StandIn, startInjector } from './injector.ts';
import { clusterDown, clusterUp, kubectl } from './kube.ts';
import { stopReplicas } from './replica.ts';

export interface Stage {
  readonly connection: Connection;
  readonly injector: StandIn;
  /** Servers, the stand-in and the cluster, in this order. */
  readonly end: () => Promise<void>;
}

/** Whatever fails on the way up is taken down again. */
export async function stageUp(...revisions: readonly string[]): Promise<Stage> {
  const connection = await clusterUp();
  let injector: StandIn | undefined;
  const end = async (): Promise<void> => {
    await stopReplicas();
    injector?.server.close();
    injector?.server.closeAllConnections();
    clusterDown(connection);
  };
  try {
    kubectl(['create', 'namespace', 'istio-system']);
    injector = await startInjector();
    for (const revision of revisions) injector.configure(revision);
    return { connection, injector, end };
  } catch (error) {
    await end();
    throw error;
  }
}
