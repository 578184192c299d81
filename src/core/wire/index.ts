// The door of wire: chosen fields of a protobuf message, read where they lie, and small messages written.

export { type Entry, encode } from './encode.ts';
export { type Message, readMessage } from './message.ts';
export { rewrite } from './rewrite.ts';
export { type Field, type Scan, scan } from './scan.ts';
