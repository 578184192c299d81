// The door of the Pod lifecycle engine.
export type {
  ContainerRole,
  Effect,
  InstanceId,
  PodEvent,
  ProbeKind,
  RuntimeEffect,
} from './effect.ts';
export { type EndCause, endPodInput } from './end-cause.ts';
export {
  type EndpointConditions,
  type EndpointOptions,
  endpointConditions,
  usableEndpoints,
} from './endpoint.ts';
export type { EndPodInput, ExitedInput, FailedInput, Input, ProbeAnswer, RuntimeInput } from './input.ts';
export { createPod, isOver, type Manifest, type Transition, transition, wakeAtMs } from './machine.ts';
export {
  criticalPriority,
  type ShutdownGroup,
  type ShutdownStep,
  shutdownGrace,
  shutdownGroups,
  shutdownSteps,
} from './node-shutdown.ts';
export {
  type GcInput,
  type GcNode,
  type GcVerdict,
  gcDefaultThreshold,
  gcPeriodMs,
  gcQuarantineMs,
  podGcVerdicts,
} from './pod-gc.ts';
export {
  type Gates,
  gatesOf,
  type KubeletVersion,
  type Policy,
  type PolicyOptions,
  policyOf,
  type Timing,
} from './policy.ts';
export { compareDeferred, type DeferredResize } from './resize.ts';
export { restartCountOfLogs } from './restart-count.ts';
export { type CancelHook, type ContainerRuntime, isForRuntime } from './runtime.ts';
export { isSidecar, type PodShape, type Slot, shapeOf } from './shape.ts';
export type {
  Container,
  HookHandler,
  Lifecycle,
  ObjectMeta,
  PodSpec,
  Probe,
  ResourceList,
  ResourceRequirements,
  RestartPolicy,
  RestartRule,
} from './spec.ts';
export type { Instance, PodState, RuntimeView, Sandbox } from './state.ts';
export type {
  ContainerState,
  ContainerStatus,
  Pod,
  PodCondition,
  PodPhase,
  PodStatus,
  TerminatedState,
} from './status.ts';
export { type MessageSources, sharedMessages, terminationMessage } from './termination-message.ts';
export { specProblems } from './validate/pod.ts';
export { resizeProblems } from './validate/resize.ts';
export { statusProblems } from './validate/status.ts';
export { ephemeralUpdateProblems, updateProblems } from './validate/update.ts';
