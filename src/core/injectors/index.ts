// The door of injectors: which injector takes which pod, and what is wrong with that.
export type { RuleFacts, WorkloadFacts } from './aging.ts';
export { uncovered } from './classes.ts';
export {
  type Configuration,
  type Injector,
  injectorsOf,
  krisprsOf,
  matching,
  namedRevisions,
} from './configuration.ts';
export { diagnose, type Probe, type Snapshot } from './diagnose.ts';
export { classFindings, namespaceFindings } from './findings.ts';
export type { NativeChoice, NodeFacts } from './native.ts';
export type { PolicyFacts } from './policy-findings.ts';
export { keysOf, type Selector, selects } from './selector.ts';
export {
  isSwitchedOff,
  type Kept,
  keptAnnotation,
  keptIn,
  type Selectors,
  selectorsBefore,
  switchedOff,
} from './switched-off.ts';
export type { Trust } from './trust.ts';
