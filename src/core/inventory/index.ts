// The door of inventory: what runs where, before anything is changed.
export { fromManifests } from './from-manifests.ts';
export { type Inventory, type InventoryWorkload, joinInventories, withOwners } from './inventory.ts';
export { type Namespace, parseNamespaces } from './namespaces.ts';
export { parseSnapshot, snapshotJsonSchema } from './snapshot.ts';
