// The door of stateful-set: what its controller does next, and when it never will.
export { nextStep, type SetPod, type StatefulSetFacts, type Step, stuckFinding } from './next-step.ts';
