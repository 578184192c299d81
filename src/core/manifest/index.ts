// The door of manifest/.
export { type Bytes, type ByteText, byteText, decodeUtf8, encodeUtf8 } from './bytes.ts';
export { addChange, type Change, type ChangeWithin, noChange, samePlain } from './change.ts';
export { confirmChange } from './confirm.ts';
export type { Edit } from './edit.ts';
export { type Inventory, type NamespaceFacts, readDocument, readNamespaces, readWorkloads } from './inventory.ts';
export { locate, none, pointerSegments, readPlain } from './node.ts';
export { placeOf } from './outline.ts';
export { repeatedIdentity } from './repeated.ts';
export { isNull, isPlainString, type Plain, writeScalar } from './scalar.ts';
export { applyEdits, editedText, type Piece } from './splice.ts';
export {
  invalidUtf8,
  type ObjectChange,
  type OutlinedDocument,
  transformStream,
} from './stream.ts';
export { isMap, isSeq, type Tape } from './tape.ts';
export {
  type Identity,
  type KindRule,
  type KindTable,
  kindTable,
  type ManifestObject,
  objectsOf,
  readIdentity,
  ruleFor,
  type StringMap,
  type Workload,
  workloadKey,
} from './workload.ts';
