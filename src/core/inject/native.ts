// Whether a cluster's nodes can run native sidecars (istio/istio pkg/kube/inject/inject.go).

export type NativeMode = 'auto' | 'true' | 'false';

export interface NodeVersion {
  readonly name: string;
  /** As the kubelet reports it: `v1.33.2`, `v1.34.1-gke.100`. */
  readonly kubelet: string;
}

const firstMinor = 33;

/** The verdict for a pod. `nodes` is undefined where nobody can list them; `auto` then says no. */
export function nativeSidecars(mode: NativeMode, nodes: readonly NodeVersion[] | undefined, nodeName = ''): boolean {
  if (mode !== 'auto') return mode === 'true';
  if (nodes === undefined) return false;
  const own = nodeName === '' ? undefined : nodes.find((node) => node.name === nodeName);
  return own === undefined ? nodes.every(canRun) : canRun(own);
}

function canRun({ kubelet }: NodeVersion): boolean {
  const [, minor] = /^v?\d+\.(\d+)(?:\.|$|[-+])/.exec(kubelet) ?? [];
  return minor !== undefined && Number(minor) >= firstMinor;
}
