// The door of policy-table: what a cluster's policy reads instead of asking a server.

export { shards, tableLabel } from './shards.ts';
export { type ClusterFacts, type PolicyTable, policyTable, selectingKeys } from './table.ts';
export { missingWrites, type StoredTable, type Write } from './writes.ts';
