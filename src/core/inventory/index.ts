// The door of inventory: what runs where, before anything is changed.
export { type Namespace, parseNamespaces } from './namespaces.ts';
