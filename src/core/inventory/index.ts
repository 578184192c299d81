// The door of inventory: what runs where, before anything is changed.
export { type Inventory, type InventoryWorkload, joinInventories, type Stuck } from './inventory.ts';
export { type Namespace, parseNamespaces } from './namespaces.ts';
export { parseSnapshot } from './snapshot.ts';
