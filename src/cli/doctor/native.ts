// What decides which kind of sidecar new pods get: kubelets' versions, and what each istiod was told.
import { type Configuration, injectorsOf, type NativeChoice, type NodeFacts } from '../../core/injectors/index.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { list, type Named } from './list.ts';

interface Node extends Named {
  readonly status?: { readonly nodeInfo?: { readonly kubeletVersion?: string } };
}

export async function readNodes(cluster: Cluster): Promise<readonly NodeFacts[]> {
  const nodes = (await list(cluster, '/api/v1/nodes')) as readonly Node[];
  return nodes.map(({ metadata, status }) => {
    const found = /^v?1\.(\d+)/.exec(status?.nodeInfo?.kubeletVersion ?? '')?.[1];
    return { name: metadata.name, minor: found === undefined ? undefined : Number(found) };
  });
}

interface Istiod extends Named {
  readonly spec?: {
    readonly template?: { readonly spec?: { readonly containers?: readonly { readonly env?: readonly Variable[] }[] } };
  };
}

interface Variable {
  readonly name: string;
  readonly value?: string;
}

/** Each istiod, and Fairway's own injector where it stands in the way of pods, which always decides by the nodes. */
export async function readChoices(
  cluster: Cluster,
  configurations: readonly Configuration[],
): Promise<readonly NativeChoice[]> {
  const istiods = (await list(cluster, '/apis/apps/v1/deployments?labelSelector=app%3Distiod')) as readonly Istiod[];
  const isOurs = ({ configuration }: { configuration: string }): boolean =>
    configuration.startsWith('fairway-2-inject-');
  const own = injectorsOf(configurations).some(isOurs)
    ? [{ injector: 'fairway-admission', mode: 'auto' } as const]
    : [];
  return [...istiods.map(choiceOf), ...own];
}

function choiceOf({ metadata, spec }: Istiod): NativeChoice {
  const variables = spec?.template?.spec?.containers?.flatMap(({ env = [] }) => env) ?? [];
  const value = variables.find(({ name }) => name === 'ENABLE_NATIVE_SIDECARS')?.value ?? 'auto';
  const injector = `${metadata.namespace}/Deployment/${metadata.name}`;
  return { injector, mode: value === 'true' ? 'always' : value === 'auto' ? 'auto' : 'never' };
}
