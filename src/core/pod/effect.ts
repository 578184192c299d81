// What the machine asks of its shell. An effect with a `call` is a question: the runtime answers it with exactly one input that
// carries the same number (see input.ts). Effects without one are statements: show, store or log them.
import type { Container, HookHandler, Probe, ResourceRequirements } from './spec.ts';
import type { Pod } from './status.ts';

/** One run of a container, chosen by the machine: container name and a number that never repeats in a pod, `app/3`. */
export type InstanceId = string;
export type ProbeKind = 'startup' | 'liveness' | 'readiness';
export type ContainerRole = 'init' | 'sidecar' | 'main' | 'ephemeral';

/** Performed by the container runtime. */
export type RuntimeEffect =
  /** Wait until the pod's volumes are mounted. Answer `done`, or `failed` (asked again after 10 s). */
  | { readonly kind: 'mountVolumes'; readonly call: number }
  /** Answer `sandboxCreated` or `failed`. `sandbox` is the machine's name for it, `sandbox/attempt`. */
  | { readonly kind: 'createSandbox'; readonly call: number; readonly sandbox: string; readonly attempt: number }
  /** Stop it and whatever still runs in it; network and IP go. Answer `done`. Stopping what is gone is `done`. */
  | { readonly kind: 'stopSandbox'; readonly call: number; readonly sandbox: string }
  /**
   * See that the image is there. The machine has applied pull policy and back-off; `pull` says whether to ask the registry
   * (`always`), to ask only if it is absent (`ifAbsent`), or never (`never`). Answer `pulled`, or `failed` with a reason
   * (ErrImagePull, ErrImageNeverPull, InvalidImageName, ImageInspectError, …).
   */
  | {
      readonly kind: 'pullImage';
      readonly call: number;
      readonly container: string;
      readonly image: string;
      readonly pull: 'always' | 'ifAbsent' | 'never';
    }
  /**
   * Create and start one run. Answer `started`, or `failed` with reason CreateContainerConfigError, CreateContainerError (no
   * run exists) or RunContainerError (the run exists, exited with 128, StartError). When the run ends: `exited`, once.
   * A run that ended at once answers `started` first, then `exited`.
   */
  | {
      readonly kind: 'startContainer';
      readonly call: number;
      readonly instance: InstanceId;
      readonly container: Container;
      readonly role: ContainerRole;
      readonly sandbox: string;
      readonly restartCount: number;
    }
  /** Run a hook in the instance. Answer `done` or `failed`; an answer after `cancelHook` is ignored. */
  | {
      readonly kind: 'runHook';
      readonly call: number;
      readonly instance: InstanceId;
      readonly hook: 'postStart' | 'preStop';
      readonly handler: HookHandler;
      /** The hook is abandoned (by `cancelHook`) after this long; undefined: never. */
      readonly timeoutMs: number | undefined;
    }
  /**
   * Send the signal now and KILL after `timeoutMs`. No answer of its own: the run's `exited` is the answer. A run that has
   * ended already stays as it is. `failed` with this call where the runtime cannot (tried again after 10 s).
   */
  | {
      readonly kind: 'stopContainer';
      readonly call: number;
      readonly instance: InstanceId;
      /** undefined: the image's own stop signal, else TERM. */
      readonly signal: string | undefined;
      readonly timeoutMs: number;
    }
  /** Remove the record of an ended run; keep its log. Answer `done`. */
  | { readonly kind: 'removeContainer'; readonly call: number; readonly instance: InstanceId }
  /** Change a running container's resources in place. Answer `done` or `failed`. */
  | {
      readonly kind: 'updateResources';
      readonly call: number;
      readonly instance: InstanceId;
      readonly resources: ResourceRequirements;
    }
  /** Probe once. Answer `probed`; when nothing is known after `timeoutMs`, answer `failure` (a time-out is one). */
  | {
      readonly kind: 'probe';
      readonly call: number;
      readonly instance: InstanceId;
      readonly probe: ProbeKind;
      readonly spec: Probe;
      readonly timeoutMs: number;
    };

/** Statements: for whoever shows, stores or logs. `cancelHook` goes to the runtime too. */
export type Effect =
  | RuntimeEffect
  | { readonly kind: 'cancelHook'; readonly call: number; readonly instance: InstanceId }
  /** The API object is now this: a write that a watch would show. `why` is one short word for logs. */
  | { readonly kind: 'pod'; readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly pod: Pod; readonly why: string }
  | PodEvent;

/** A Kubernetes Event about the pod; repeats are emitted, collapsing them is the reader's. */
export interface PodEvent {
  readonly kind: 'event';
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly container?: string | undefined;
}
