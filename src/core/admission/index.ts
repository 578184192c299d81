// The door of admission: what happens to a pod when it is created.
export { writeReview } from './envelope.ts';
export { type Knowledge, type Outcome, reviewKrispr } from './krispr.ts';
export { type OwnerRecord, ownerRecord } from './owner.ts';
export { type OwnerKind, ownerIndex } from './owner-index.ts';
export { readRules } from './rules.ts';
export { servedByAll } from './served.ts';
