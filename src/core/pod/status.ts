// Pod status in the API's shape and names, but times are numbers: milliseconds since the epoch, truncated to whole seconds as
// the API shows them. Nothing here decides; the files beside it compute these records.
import type { ObjectMeta, PodSpec, ResourceList, ResourceRequirements } from './spec.ts';

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** The API object: what `kubectl get pod -o yaml` shows. */
export interface Pod {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
  readonly status: PodStatus;
}

export interface PodStatus {
  readonly phase: PodPhase;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly startTime?: number | undefined;
  readonly observedGeneration?: number | undefined;
  readonly hostIP?: string | undefined;
  readonly podIP?: string | undefined;
  readonly qosClass?: QosClass | undefined;
  readonly conditions: readonly PodCondition[];
  readonly initContainerStatuses?: readonly ContainerStatus[] | undefined;
  readonly containerStatuses?: readonly ContainerStatus[] | undefined;
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[] | undefined;
}

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

export interface PodCondition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly lastTransitionTime?: number | undefined;
  readonly observedGeneration?: number | undefined;
}

export interface ContainerStatus {
  readonly name: string;
  readonly image?: string | undefined;
  readonly containerID?: string | undefined;
  readonly state: ContainerState;
  readonly lastState?: ContainerState | undefined;
  readonly restartCount: number;
  readonly ready: boolean;
  readonly started: boolean;
  readonly stopSignal?: string | undefined;
  readonly allocatedResources?: ResourceList | undefined;
  readonly resources?: ResourceRequirements | undefined;
}

/** At most one field is set. */
export interface ContainerState {
  readonly waiting?: WaitingState | undefined;
  readonly running?: { readonly startedAt: number } | undefined;
  readonly terminated?: TerminatedState | undefined;
}

export interface WaitingState {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

export interface TerminatedState {
  readonly exitCode: number;
  readonly signal?: number | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly startedAt?: number | undefined;
  readonly finishedAt?: number | undefined;
  readonly containerID?: string | undefined;
}
