// The door of the Pod lifecycle engine.
export type {
  ContainerRole,
  Effect,
  InstanceId,
  PodEvent,
  ProbeKind,
  RuntimeEffect,
} from './effect.ts';
export type { EndPodInput, ExitedInput, FailedInput, Input, ProbeAnswer, RuntimeInput } from './input.ts';
export { createPod, isOver, type Manifest, type Transition, transition, wakeAtMs } from './machine.ts';
export {
  type Gates,
  gatesOf,
  type KubeletVersion,
  type Policy,
  type PolicyOptions,
  policyOf,
  type Timing,
} from './policy.ts';
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
export { specProblems } from './validate/pod.ts';
export { resizeProblems } from './validate/resize.ts';
export { statusProblems } from './validate/status.ts';
export { ephemeralUpdateProblems, updateProblems } from './validate/update.ts';
