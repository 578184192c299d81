// Why a pod is not in the mesh, from the pod and its namespace's labels: asked before anything is decided.
import type { Labels } from './caches.ts';

const inject = 'sidecar.istio.io/inject';

interface Pod {
  readonly metadata?: { readonly labels?: Labels | null; readonly annotations?: Labels | null };
  readonly spec?: { readonly hostNetwork?: unknown };
}

/** The reason, or undefined for a pod of the mesh. */
export function outsideOfMesh(
  namespace: string,
  pod: object,
  labelsOf?: (namespace: string) => Labels | undefined,
): string | undefined {
  const { metadata, spec } = pod as Pod;
  if (spec?.hostNetwork === true) return 'host-network';
  if (metadata?.labels?.[inject] === 'false' || metadata?.annotations?.[inject] === 'false') return 'inject-false';
  return labelsOf?.(namespace)?.['istio.io/dataplane-mode'] === 'ambient' ? 'ambient' : undefined;
}
