// Which kind of sidecar new pods get, and when that turns over for all of them at once: an injector that decides by itself asks the oldest kubelet
// of the cluster (Istio, pkg/kube/inject/webhook.go, DetectNativeSidecar), so one node that comes or goes flips every new pod.
import type { Problem } from '../std/errors.ts';

export interface NodeFacts {
  readonly name: string;
  /** 33 of v1.33.2; undefined where it cannot be told, which counts as old. */
  readonly minor: number | undefined;
}

/** An injector that may be told what to do: istiod by ENABLE_NATIVE_SIDECARS. */
export interface NativeChoice {
  readonly injector: string;
  readonly mode: 'auto' | 'always' | 'never';
}

/** From here on injectors take native sidecars by themselves, and from there on kubelets know them at all. */
const [usualMinor, firstMinor] = [33, 29];
const mostNamed = 3;

export function nativeFindings(nodes: readonly NodeFacts[], choices: readonly NativeChoice[]): readonly Problem[] {
  return choices.flatMap((choice) => findingsOf(nodes, choice));
}

function findingsOf(nodes: readonly NodeFacts[], { injector, mode }: NativeChoice): readonly Problem[] {
  const least = mode === 'always' ? firstMinor : usualMinor;
  const below = nodes.filter(({ minor }) => minor === undefined || minor < least);
  if (mode === 'never' || below.length === 0) return [];
  if (mode === 'always') return [unable(injector, below)];
  return below.length === nodes.length ? [] : [flips(injector, below, nodes.length)];
}

function unable(path: string, below: readonly NodeFacts[]): Problem {
  const message = `native sidecars are always injected, and ${named(below)} cannot run them: there the proxy would be an init container that never ends`;
  const hint = 'set ENABLE_NATIVE_SIDECARS to auto, or upgrade these nodes first';
  return { code: 'native-sidecars', severity: 'error', path, message, hint };
}

function flips(path: string, below: readonly NodeFacts[], count: number): Problem {
  const message = `the oldest node decides: because of ${named(below)} every new pod has a classic sidecar, and when the last of ${below.length} below 1.${usualMinor} has gone every new pod gets a native one (${count} nodes in all)`;
  const hint =
    'choose the day: set ENABLE_NATIVE_SIDECARS on istiod, or annotate workloads with sidecar.istio.io/nativeSidecar';
  return { code: 'native-sidecars', severity: 'warning', path, message, hint };
}

function named(nodes: readonly NodeFacts[]): string {
  const shown = nodes
    .slice(0, mostNamed)
    .map(({ name, minor }) => `${name} (${minor === undefined ? '?' : `1.${minor}`})`);
  const rest = nodes.length - shown.length;
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ');
}
