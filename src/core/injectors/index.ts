// The door of injectors: which injector takes which pod, and what is wrong with that.
export { type Configuration, injectorsOf, krisprsOf } from './configuration.ts';
export { classFindings, namespaceFindings, orderFindings } from './findings.ts';
