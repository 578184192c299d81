// The templates, values and mesh configuration of each revision's injector, followed in the ConfigMaps that istiod reads them from.
import {
  InjectError,
  type InjectorConfig,
  indexProxyConfigs,
  type NodeVersion,
  nativeSidecars,
  type ProxyConfigResource,
  type ProxyConfigs,
  parseInjector,
  proxyConfigResource,
} from '../../core/inject/index.ts';
import type { Cluster, Following } from '../../ports/cluster.ts';
import type { Log } from './log.ts';

export interface InjectorConfigs {
  /** The last good configuration of a revision; undefined until there was one. */
  readonly of: (revision: string) => InjectorConfig | undefined;
  /** Whether every node can run sidecars as init containers; false while the nodes are not known. */
  readonly native: () => boolean;
  /** The same value until one of them changes. */
  readonly proxyConfigs: () => ProxyConfigs;
  /** Whether every revision can be served. */
  readonly ready: () => boolean;
  readonly stop: () => void;
}

interface ConfigMap {
  readonly data?: Readonly<Record<string, string>>;
}
interface Node {
  readonly metadata: { readonly uid: string; readonly name: string };
  readonly status?: { readonly nodeInfo?: { readonly kubeletVersion?: string } };
}

const istioNamespace = 'istio-system';

export function followInjectors(cluster: Cluster, revisions: readonly string[], log: Log): InjectorConfigs {
  const followings: Following[] = [];
  const configs = new Map<string, InjectorConfig>();
  for (const revision of revisions) {
    const texts: { injector?: ConfigMap; mesh?: ConfigMap } = {};
    const take = (): void => readConfig(revision, texts, configs, log);
    for (const [part, prefix] of [
      ['injector', 'istio-sidecar-injector'],
      ['mesh', 'istio'],
    ] as const) {
      const name = revision === 'default' ? prefix : `${prefix}-${revision}`;
      const put = (object: unknown): void => {
        texts[part] = object as ConfigMap;
        take();
      };
      // A ConfigMap that goes leaves the last good configuration in force.
      const remove = (): void => log.warn({ revision, configMap: name }, 'a ConfigMap is gone; its last contents stay');
      followings.push(
        cluster.follow({ group: '', version: 'v1', plural: 'configmaps', namespace: istioNamespace, name }, 'objects', {
          put,
          remove,
        }),
      );
    }
  }
  const nodes = followNodes(cluster);
  const proxyConfigs = followProxyConfigs(cluster);
  followings.push(nodes.following, proxyConfigs.following);
  return {
    of: (revision) => configs.get(revision),
    native: nodes.native,
    proxyConfigs: proxyConfigs.current,
    ready: () =>
      nodes.following.synced() && proxyConfigs.known() && revisions.every((revision) => configs.has(revision)),
    stop: () => {
      for (const following of followings) following.stop();
    },
  };
}

/** Nodes are many, and tell of themselves all the time; reviews are more: they are judged once after a change. */
function followNodes(cluster: Cluster): { readonly following: Following; readonly native: () => boolean } {
  const nodes = new Map<string, NodeVersion>();
  let judged: boolean | undefined;
  const following = cluster.follow({ group: '', version: 'v1', plural: 'nodes' }, 'objects', {
    put: (object) => {
      const { metadata, status } = object as Node;
      nodes.set(metadata.uid, { name: metadata.name, kubelet: status?.nodeInfo?.kubeletVersion ?? '' });
      judged = undefined;
    },
    remove: (uid) => {
      nodes.delete(uid);
      judged = undefined;
    },
  });
  const native = (): boolean => (judged ??= nativeSidecars('auto', [...nodes.values()]));
  return { following, native: () => following.synced() && native() };
}

interface Followed {
  readonly following: Following;
  readonly current: () => ProxyConfigs;
  /** Read, or not served by a cluster that lacks Istio's types. */
  readonly known: () => boolean;
}

function followProxyConfigs(cluster: Cluster): Followed {
  const byUid = new Map<string, ProxyConfigResource>();
  let index: ProxyConfigs | undefined;
  const resource = { group: 'networking.istio.io', version: 'v1beta1', plural: 'proxyconfigs' };
  const following = cluster.follow(resource, 'objects', {
    put: (object) => {
      const read = proxyConfigResource(object);
      if (read !== undefined) byUid.set((object as Node).metadata.uid, read);
      index = undefined;
    },
    remove: (uid) => {
      byUid.delete(uid);
      index = undefined;
    },
  });
  return {
    following,
    current: () => (index ??= indexProxyConfigs(byUid.values())),
    known: () => following.synced() || following.absent(),
  };
}

function readConfig(
  revision: string,
  texts: { readonly injector?: ConfigMap; readonly mesh?: ConfigMap },
  configs: Map<string, InjectorConfig>,
  log: Log,
): void {
  if (texts.injector === undefined || texts.mesh === undefined) return;
  const { config = '', values = '' } = texts.injector.data ?? {};
  try {
    configs.set(revision, parseInjector({ config, values, mesh: texts.mesh.data?.['mesh'] ?? '' }));
    log.info({ revision }, 'injector configuration in use');
  } catch (error) {
    if (!(error instanceof InjectError)) throw error;
    log.error({ revision, error: error.message }, 'an injector configuration cannot be used; the last good one stays');
  }
}
