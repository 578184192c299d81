// The door of injectors: which injector takes which pod, and what is wrong with that.
export { type Configuration, type Injector, injectorsOf, matching, namedRevisions } from './configuration.ts';
export { diagnose, type Probe, type Snapshot, type WorkloadFacts } from './diagnose.ts';
export { classFindings, namespaceFindings } from './findings.ts';
export { keysOf, type Selector, selects } from './selector.ts';
