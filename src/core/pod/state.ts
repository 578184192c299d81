// The machine's whole memory of one pod, in three separate views as a kubelet has them: the API object, the kubelet's cached
// status, and the runtime's records. Immutable from outside; the machine copies a record when it changes it.
//
//   unbound ──bind──▶ syncing ──delete, evict, deadline, terminal phase──▶ terminating ──all ended──▶ terminated ──▶ finished
//      │                                                                                                              │
//      └──────────────delete (grace 0, object gone)──────────────▶ over ◀──object deleted, or terminal for good───────┘
import type { ContainerRole, InstanceId, ProbeKind } from './effect.ts';
import type { Container, ResourceRequirements } from './spec.ts';
import type { Pod, PodStatus } from './status.ts';

export interface PodState {
  /** The API object as last written, also after it is gone. */
  readonly api: Pod;
  readonly gone: boolean;
  /** The kubelet's own status: may be ahead of the API's (a terminal phase is withheld while something may run). */
  readonly cached: PodStatus;
  readonly runtime: RuntimeView;
  readonly worker: WorkerPhase;
  readonly job: Job | undefined;
  readonly kills: readonly Kill[];
  readonly probes: readonly ProbeWorker[];
  readonly backoff: readonly BackoffEntry[];
  readonly imageBackoff: readonly ImageBackoffEntry[];
  /** Why a container could not be started lately; gone with the next success. */
  readonly startErrors: Readonly<Record<string, StartError>>;
  readonly ending: Ending | undefined;
  /** The API's status when spec or metadata last changed: the copy that the pod's worker holds. */
  readonly seen: PodStatus;
  /** Volumes are mounted; asked once a pod. */
  readonly mounted: boolean;
  /** Per container, the restart count of its next run by the files in its log directory; survives lost records. */
  readonly logs: Readonly<Record<string, number>>;
  /** Flags of runs that are older than the kubelet, until a probe speaks. */
  readonly kept: Readonly<Record<InstanceId, KeptFlags>>;
  readonly resize: ResizeState;
  readonly clock: WorkerClock;
  readonly kubeletStartedAtMs: number;
  readonly nextId: number;
  readonly random: number;
  /** When the machine next wants `tick`; Infinity: only an input can change anything. */
  readonly wakeAtMs: number;
}

export type WorkerPhase = 'unbound' | 'syncing' | 'terminating' | 'terminated' | 'finished';

export interface RuntimeView {
  /** Newest first. */
  readonly sandboxes: readonly Sandbox[];
  /** Newest first, all containers together. */
  readonly instances: readonly Instance[];
}

export interface Sandbox {
  readonly id: string;
  readonly attempt: number;
  readonly ready: boolean;
  readonly ip: string | undefined;
  readonly hostNetwork: boolean;
  /** The machine has had it stopped. */
  readonly stopped: boolean;
}

export interface Instance {
  readonly id: InstanceId;
  readonly container: string;
  readonly state: 'created' | 'running' | 'exited' | 'unknown';
  readonly restartCount: number;
  readonly sandbox: string;
  /** Name and image when it was created: the restart hash. */
  readonly image: string;
  readonly resources: ResourceRequirements | undefined;
  readonly containerID: string | undefined;
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly exitCode: number;
  readonly signal: number | undefined;
  readonly reason: string | undefined;
  readonly message: string | undefined;
}

/** One pass of the worker; it ends before another begins. */
export interface Job {
  readonly kind: 'sync' | 'terminate';
  readonly steps: readonly Step[];
  /** The call whose answer the first step waits for. */
  readonly awaiting: number | undefined;
  /** The runtime's records when the pass began: back-off looks at these. */
  readonly seen: RuntimeView;
  readonly acted: boolean;
  readonly errors: readonly JobError[];
}

export type JobError = { readonly kind: 'backoff'; readonly untilMs: number } | { readonly kind: 'error' };

export type Step =
  | { readonly at: 'volumes' }
  | { readonly at: 'killAll'; readonly begun: boolean }
  | { readonly at: 'stopSandbox' }
  | {
      readonly at: 'kill';
      readonly instance: InstanceId;
      readonly reason: KillReason;
      readonly message: string;
      readonly begun: boolean;
    }
  | { readonly at: 'remove'; readonly instance: InstanceId }
  | { readonly at: 'purgeInits' }
  | { readonly at: 'sandbox'; readonly attempt: number }
  | StartStep
  | { readonly at: 'resize'; readonly instance: InstanceId };

/** A container on its way up: back-off, image, create and start, postStart. */
export interface StartStep {
  readonly at: 'start' | 'pull' | 'create' | 'postStart';
  readonly container: Container;
  readonly role: ContainerRole;
  readonly instance: InstanceId;
  /** When the image was asked for. */
  readonly askedMs?: number | undefined;
}

export type KillReason = 'startup' | 'liveness' | 'changed' | 'unknown' | 'resize' | 'postStart' | 'pod' | 'reset';

/** A running container on its way out: preStop, then its turn, then the signal. */
export interface Kill {
  readonly instance: InstanceId;
  readonly container: string;
  readonly stage: 'preStop' | 'turn' | 'stopping';
  readonly startedAtMs: number;
  readonly graceSeconds: number;
  /** When preStop or the wait for its turn is cut. */
  readonly deadlineMs: number;
  readonly turnSinceMs: number;
  readonly call: number;
  /** Runs that must have ended before this one gets its signal. */
  readonly after: readonly InstanceId[];
  readonly signal: string | undefined;
  /** preStop was abandoned unanswered: a command goes on until the container ends. */
  readonly hookHangs: boolean;
}

export interface ProbeWorker {
  readonly container: string;
  readonly kind: ProbeKind;
  /** Ticks are `baseMs + n × period`. */
  readonly baseMs: number;
  readonly periodMs: number;
  /** The next tick that can do something; Infinity while there is nothing to probe. */
  readonly nextMs: number;
  readonly call: number | undefined;
  /** Attempts of the probe in flight: an error of the prober itself is tried again at once, twice. */
  readonly tries: number;
  readonly instance: InstanceId | undefined;
  readonly published: ProbeResult | undefined;
  readonly lastResult: ProbeResult | undefined;
  readonly resultRun: number;
  readonly onHold: boolean;
  readonly ended: boolean;
}

export type ProbeResult = 'success' | 'failure' | 'unknown';

export interface BackoffEntry {
  readonly key: string;
  readonly delayMs: number;
  readonly lastUpdateMs: number;
}

export interface ImageBackoffEntry {
  readonly image: string;
  readonly delayMs: number;
  readonly lastUpdateMs: number;
  readonly error: string;
}

export interface KeptFlags {
  readonly started: boolean;
  readonly ready: boolean;
}

export interface ResizeState {
  readonly pending: { readonly reason: 'Deferred' | 'Infeasible'; readonly message: string } | undefined;
  readonly inProgress: { readonly error: string | undefined } | undefined;
  /** When a deferred resize is looked at again. */
  readonly retryMs: number;
  /** Granted sizes by container; undefined until a resize was asked for. */
  readonly allocated: Readonly<Record<string, ResourceRequirements>> | undefined;
}

export interface StartError {
  readonly reason: string;
  readonly message: string;
}

/** Why the kubelet itself ends the pod, and the grace that it allows. */
export interface Ending {
  readonly reason: string | undefined;
  readonly message: string;
  readonly graceSeconds: number | undefined;
  readonly disruptionTarget: boolean;
  readonly keepsSuccess: boolean;
}

export interface WorkerClock {
  /** When the worker's queue has something for the pod. */
  readonly queueMs: number;
  /** When a relist will show a change of the runtime that no pass has seen. */
  readonly changeMs: number;
  /** More than one thing asked for the pass under way: one more follows it, as the kubelet keeps one update waiting. */
  readonly again: boolean;
  /** The earliest start of the next pass: it wants records newer than the last pass. */
  readonly freshMs: number;
}
