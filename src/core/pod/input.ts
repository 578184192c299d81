// What a shell feeds the machine: answers of the runtime, changes made through the API, and what befalls the node.
// An input that does not fit the state (an answer to a call long given up, an exit of a run unknown) is accepted and changes nothing.
import type { InstanceId } from './effect.ts';
import type { Container, ObjectMeta, PodSpec } from './spec.ts';
import type { PodCondition } from './status.ts';

/** Answers and observations of the container runtime. */
export type RuntimeInput =
  | { readonly kind: 'done'; readonly call: number }
  | FailedInput
  | { readonly kind: 'sandboxCreated'; readonly call: number; readonly ip: string | undefined }
  /** `fetched`: the registry was asked and sent it. `message` is what the event Pulled says, with a default. */
  | {
      readonly kind: 'pulled';
      readonly call: number;
      readonly fetched?: boolean | undefined;
      readonly message?: string | undefined;
    }
  | { readonly kind: 'started'; readonly call: number; readonly containerID?: string | undefined }
  | {
      readonly kind: 'probed';
      readonly call: number;
      readonly result: ProbeAnswer;
      readonly message?: string | undefined;
    }
  | ExitedInput
  /** The runtime no longer knows the run (its record was removed by another hand). */
  | { readonly kind: 'recordLost'; readonly instance: InstanceId }
  /** The runtime knows the run but not how it is (containerd lost the task). */
  | { readonly kind: 'unknown'; readonly instance: InstanceId }
  /** The sandbox is no longer ready, by itself. What ran in it ends by `exited` of its own, before or after. */
  | { readonly kind: 'sandboxLost'; readonly sandbox: string };

export interface FailedInput {
  readonly kind: 'failed';
  readonly call: number;
  readonly reason?: string | undefined;
  readonly message: string;
}

/** `unknown` is an error of the prober itself: it counts for nothing. `warning` is a success with an event ProbeWarning. */
export type ProbeAnswer = 'success' | 'failure' | 'unknown' | 'warning';

export interface ExitedInput {
  readonly kind: 'exited';
  readonly instance: InstanceId;
  readonly exitCode: number;
  /** Only where the runtime reports one; 128 + n is the exit code all the same. */
  readonly signal?: number | undefined;
  /** Default: Completed for 0, else Error; OOMKilled, StartError, … where the runtime knows better. */
  readonly reason?: string | undefined;
  /** The termination message, already cut by `terminationMessage`. */
  readonly message?: string | undefined;
}

export type Input =
  /** Time has passed: feed it at `wakeAtMs(state)`. Harmless at any other time. */
  | { readonly kind: 'tick' }
  | RuntimeInput
  // the API
  | { readonly kind: 'bind'; readonly nodeName: string }
  /** DELETE: grace of the DeleteOptions, unset = the pod's own. `--force` is grace 0. */
  | { readonly kind: 'delete'; readonly gracePeriodSeconds?: number | undefined }
  /** An eviction that was granted: condition DisruptionTarget, then DELETE. */
  | { readonly kind: 'evictByApi'; readonly gracePeriodSeconds?: number | undefined }
  /** The spec is replaced (image, tolerations, deadline, gates, resources by the subresource resize). */
  | { readonly kind: 'updateSpec'; readonly spec: PodSpec }
  | {
      readonly kind: 'updateMetadata';
      readonly labels?: ObjectMeta['labels'];
      readonly annotations?: ObjectMeta['annotations'];
    }
  | { readonly kind: 'addEphemeralContainer'; readonly container: Container }
  /** Another writer sets (or, with `remove`, takes away) a status condition. */
  | { readonly kind: 'setCondition'; readonly condition: PodCondition }
  | { readonly kind: 'removeCondition'; readonly type: string }
  // the node
  /** The kubelet ends the pod: see `endCauses` for hard and soft eviction, preemption, node shutdown. */
  | EndPodInput
  /** Instead of `bind` (policy.autoBind off): bound, but refused by the node's admission. */
  | { readonly kind: 'reject'; readonly reason: string; readonly message: string }
  | { readonly kind: 'kubeletRestart' }
  /** The file of a static pod was removed or replaced: it ends with its full grace. */
  | { readonly kind: 'sourceRemoved' }
  /** Node lease lost: the controller marks the pod not ready. The shell stops feeding kubelet's inputs meanwhile. */
  | { readonly kind: 'nodeLost' }
  /** The node is heard of again: what the kubelet knows is written over what the controller wrote. */
  | { readonly kind: 'nodeBack' }
  /** PodGC removes the object (see `podGcVerdicts`). */
  | { readonly kind: 'collect'; readonly disruptionTarget: boolean };

export interface EndPodInput {
  readonly kind: 'endPod';
  readonly reason: string;
  readonly message: string;
  /** undefined: the pod's own grace. */
  readonly graceSeconds: number | undefined;
  readonly disruptionTarget: boolean;
  /** Node shutdown: a pod whose containers all end with 0 stays Succeeded. */
  readonly keepsSuccess?: boolean | undefined;
}
