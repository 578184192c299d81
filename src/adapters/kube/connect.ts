// A cluster from a kubeconfig, or from inside a pod. @kubernetes/client-node reads the file and keeps the credentials fresh (exec
// plugins, token files); requests are our own.
import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
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
  } catch (cause) {
    throw new UsageError(`cannot read the kubeconfig: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
  const { url, behindProxy } = placeOf(config, context);
  return {
    url,
    options: async () => {
      const applied: RequestOptions = {};
      await config.applyToHTTPSOptions(applied);
      // Its agent is new each time, so that no connection would be kept; a proxy needs it all the same.
      if (!behindProxy) delete applied.agent;
      return applied;
    },
  };
}

/** What the library makes up where it finds neither a kubeconfig nor a pod's account. */
const madeUp = { context: 'loaded-context', server: 'http://localhost:8080' };

/** Where the cluster of a context is (the current one, if none is named). @throws UsageError */
export function placeOf(
  config: KubeConfig,
  context: string | undefined,
): { readonly url: URL; readonly behindProxy: boolean } {
  if (config.getCurrentContext() === madeUp.context && config.getCurrentCluster()?.server === madeUp.server)
    throw new UsageError('there is no kubeconfig', { hint: 'set --kubeconfig or KUBECONFIG, or write ~/.kube/config' });
  const names = config.getContexts().map(({ name }) => name);
  const known = names.length === 0 ? 'the kubeconfig has no contexts' : `there are: ${names.join(', ')}`;
  if (context !== undefined && !names.includes(context))
    throw new UsageError(`there is no context ${context} in the kubeconfig`, { hint: known });
  if (context !== undefined) config.setCurrentContext(context);
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new UsageError('the current context of the kubeconfig names no cluster', { hint: `set --context; ${known}` });
  const { server, skipTLSVerify, proxyUrl = '' } = cluster;
  if (!URL.canParse(server)) throw new UsageError(`the kubeconfig names a server that is no address: ${server}`);
  const url = new URL(server);
  // The library refuses to log in there, at the first request and in words of its own.
  if (url.protocol === 'http:' && !skipTLSVerify)
    throw new UsageError(`the server of the kubeconfig speaks no TLS: ${server}`, {
      hint: 'credentials would be readable on the way; if that is meant, set insecure-skip-tls-verify: true for this cluster',
    });
  return { url, behindProxy: proxyUrl !== '' };
}
