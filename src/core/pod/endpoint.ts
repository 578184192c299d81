// Whether a pod is in its Services' EndpointSlices, and the three conditions that it has there (staging/src/k8s.io/endpointslice/utils.go).
import type { Pod } from './status.ts';
import { isTerminal } from './status-merge.ts';

export interface EndpointOptions {
  readonly publishNotReadyAddresses?: boolean;
  /** Slices keep terminating pods (default); the older Endpoints objects do not. */
  readonly includeTerminating?: boolean;
}

export interface EndpointConditions {
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
}

/** undefined: the pod is not in the slice at all. */
export function endpointConditions(pod: Pod, options: EndpointOptions = {}): EndpointConditions | undefined {
  const { publishNotReadyAddresses = false, includeTerminating = true } = options;
  const { phase, podIP, conditions } = pod.status;
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  if (isTerminal(phase) || podIP === undefined || (terminating && !includeTerminating)) return undefined;
  const serving = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  return { ready: publishNotReadyAddresses || (serving && !terminating), serving, terminating };
}

/** The endpoints that kube-proxy sends new connections to: ready ones, and only where there is none the serving ones that end. */
export function usableEndpoints<T extends EndpointConditions>(endpoints: readonly T[]): readonly T[] {
  const ready = endpoints.filter((each) => each.ready);
  return ready.length > 0 ? ready : endpoints.filter(({ serving, terminating }) => serving && terminating);
}
