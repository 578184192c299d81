// Which kubelet is modelled: version, feature gates with that version's defaults, its configuration, and the timing.
// Everything that may differ between two nodes is here; a decision function takes what it needs of it and no more.

export type KubeletVersion = '1.33' | '1.34' | '1.35' | '1.36' | '1.37';

export interface Gates {
  readonly ContainerRestartRules: boolean;
  readonly RestartAllContainersOnContainerExits: boolean;
  readonly ReduceDefaultCrashLoopBackOffDecay: boolean;
  readonly KubeletCrashLoopBackOffMax: boolean;
  readonly ContainerStopSignals: boolean;
  readonly PodLifecycleSleepAction: boolean;
  readonly PodLifecycleSleepActionAllowZero: boolean;
  readonly PodReadyToStartContainersCondition: boolean;
  readonly PodObservedGenerationTracking: boolean;
  readonly InPlacePodVerticalScaling: boolean;
  readonly InPlacePodVerticalScalingInitContainers: boolean;
  readonly InPlacePodLevelResourcesVerticalScaling: boolean;
  readonly ChangeContainerStatusOnKubeletRestart: boolean;
  readonly PLEGOnDemandRelist: boolean;
}

/**
 * `ideal`: no tick, no jitter; what can happen at an instant happens at that instant. `kubelet`: relists and the worker
 * queue every second, jitter as the kubelet draws it. `draw` takes each free choice from the seed (default), or always its
 * shortest or longest value, which bounds an interval from below and above.
 */
export type Timing =
  | { readonly kind: 'ideal' }
  | { readonly kind: 'kubelet'; readonly seed: number; readonly draw: 'seed' | 'shortest' | 'longest' };

export interface Policy {
  readonly version: KubeletVersion;
  readonly gates: Gates;
  readonly timing: Timing;
  /** crashLoopBackOff.maxContainerRestartPeriod of the kubelet's configuration; 1 s … 300 s. */
  readonly maxContainerRestartPeriodMs: number;
  /** The code says AllContainersRestarting, the documentation's page PodRestartInPlace. */
  readonly restartAllCondition: 'AllContainersRestarting' | 'PodRestartInPlace';
  readonly nodeName: string;
  readonly hostIP: string;
  /** What the node can hold for one pod's resize: a larger request is Infeasible. Unset: no limit. */
  readonly allocatable: Readonly<Record<string, string>> | undefined;
  /** What it can hold for this pod now, present size included: a larger request is Deferred. Unset: no limit. */
  readonly available: Readonly<Record<string, string>> | undefined;
  /** Whether a created pod without scheduling gates is bound to the node at once; otherwise the shell sends `bind`. */
  readonly autoBind: boolean;
}

export interface PolicyOptions {
  readonly version?: KubeletVersion | undefined;
  readonly gates?: Partial<Gates> | undefined;
  readonly timing?: 'ideal' | 'kubelet' | Timing | undefined;
  readonly seed?: number | undefined;
  readonly maxContainerRestartPeriodMs?: number | undefined;
  readonly restartAllCondition?: Policy['restartAllCondition'] | undefined;
  readonly nodeName?: string | undefined;
  readonly hostIP?: string | undefined;
  readonly allocatable?: Policy['allocatable'];
  readonly available?: Policy['available'];
  readonly autoBind?: boolean | undefined;
}

/** The first version in which a gate is on without being asked for; undefined: in none (Kubernetes: pkg/features/kube_features.go). */
const onSince: Readonly<Record<keyof Gates, KubeletVersion | undefined>> = {
  ContainerRestartRules: '1.35',
  RestartAllContainersOnContainerExits: '1.36',
  ReduceDefaultCrashLoopBackOffDecay: undefined,
  KubeletCrashLoopBackOffMax: '1.35',
  ContainerStopSignals: undefined,
  PodLifecycleSleepAction: '1.33',
  PodLifecycleSleepActionAllowZero: '1.34',
  PodReadyToStartContainersCondition: '1.33',
  PodObservedGenerationTracking: '1.34',
  InPlacePodVerticalScaling: '1.33',
  InPlacePodVerticalScalingInitContainers: '1.36',
  InPlacePodLevelResourcesVerticalScaling: '1.36',
  ChangeContainerStatusOnKubeletRestart: undefined,
  PLEGOnDemandRelist: '1.36',
};

/** A policy with every default filled in: kubelet 1.37, its gates, ideal timing. */
export function policyOf(options: PolicyOptions = {}): Policy {
  const version = options.version ?? '1.37';
  return {
    version,
    gates: { ...gatesOf(version), ...options.gates },
    timing: timingOf(options),
    maxContainerRestartPeriodMs: options.maxContainerRestartPeriodMs ?? 300_000,
    restartAllCondition: options.restartAllCondition ?? 'AllContainersRestarting',
    nodeName: options.nodeName ?? 'node-1',
    hostIP: options.hostIP ?? '192.0.2.1',
    allocatable: options.allocatable,
    available: options.available,
    autoBind: options.autoBind ?? true,
  };
}

/** The gates of a version as it ships. */
export function gatesOf(version: KubeletVersion): Gates {
  const entries = Object.entries(onSince).map(([gate, since]) => [
    gate,
    gate === 'ChangeContainerStatusOnKubeletRestart' ? version < '1.35' : since !== undefined && since <= version,
  ]);
  return Object.fromEntries(entries) as Gates;
}

function timingOf(options: PolicyOptions): Timing {
  if (typeof options.timing === 'object') return options.timing;
  return options.timing === 'kubelet' ? { kind: 'kubelet', seed: options.seed ?? 1, draw: 'seed' } : { kind: 'ideal' };
}
