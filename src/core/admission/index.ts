// The door of admission: what happens to a pod when it is created.

export type { Rules } from './decide.ts';
export { type Answer, readReview, writeReview } from './envelope.ts';
export type { Guard } from './guard.ts';
export { type Knowledge, type Outcome, reviewKrispr } from './krispr.ts';
export { nestsBeyond } from './nesting.ts';
export { type OwnerRecord, type OwnerReference, ownerRecord, parseTimeMs } from './owner.ts';
export { type OwnerIndex, type OwnerKind, ownerIndex } from './owner-index.ts';
export { type ReadRules, type RuleFileNames, type RuleFiles, readRules, ruleFileNames } from './rules.ts';
export { type Served, servedBy, servedByAll } from './served.ts';
