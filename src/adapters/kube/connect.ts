// A cluster from a kubeconfig, or from inside a pod. @kubernetes/client-node reads the file and keeps the credentials fresh (exec
// plugins, token files); requests are our own.
import type { RequestOptions } from 'node:https';
import { UsageError } from '../../core/std/errors.ts';
import { prng } from '../../core/std/prng.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { followResource, type Surroundings } from './follow.ts';
import { type Server, transport } from './transport.ts';

export interface ConnectOptions {
  /** Path; absent: KUBECONFIG, ~/.kube/config, or the pod's own account. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly nowMs: () => number;
  readonly log: Surroundings['log'];
}

export interface Connection extends Cluster {
  /** Where it goes, for messages. */
  readonly address: string;
  readonly close: () => void;
}

export async function connect(options: ConnectOptions): Promise<Connection> {
  const server = await serverOf(options);
  const wire = transport(server);
  const world: Surroundings = {
    transport: wire,
    nowMs: options.nowMs,
    prng: prng(`${process.pid}/${options.nowMs()}`),
    log: options.log,
  };
  return {
    address: server.url.href,
    send: wire.send,
    follow: (resource, what, sink) => followResource(resource, what, sink, world),
    close: wire.close,
  };
}

async function serverOf({ kubeconfig, context }: ConnectOptions): Promise<Server> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
    if (context !== undefined) config.setCurrentContext(context);
  } catch (cause) {
    throw new UsageError(`cannot read the kubeconfig: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new UsageError('the kubeconfig names no cluster', { hint: 'set --kubeconfig, --context or KUBECONFIG' });
  const behindProxy = cluster.proxyUrl !== undefined && cluster.proxyUrl !== '';
  return {
    url: new URL(cluster.server),
    options: async () => {
      const applied: RequestOptions = {};
      await config.applyToHTTPSOptions(applied);
      // Its agent is new each time, so that no connection would be kept; a proxy needs it all the same.
      if (!behindProxy) delete applied.agent;
      return applied;
    },
  };
}
