// The door of injectors: which injector takes which pod, and what is wrong with that.
export type { RuleFacts, WorkloadFacts } from './aging.ts';
export { uncovered } from './classes.ts';
export {
  type Configuration,
  type Injector,
  injectorsOf,
  isSwitchedOff,
  krisprsOf,
  matching,
  namedRevisions,
  switchedOff,
} from './configuration.ts';
export { diagnose, type Probe, type Snapshot } from './diagnose.ts';
export { classFindings, namespaceFindings } from './findings.ts';
export type { NativeChoice, NodeFacts } from './native.ts';
export type { PolicyFacts } from './policy-findings.ts';
export { keysOf, type Selector, selects } from './selector.ts';
export type { Trust } from './trust.ts';
