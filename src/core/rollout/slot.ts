// A namespace's slot: the first four bytes of SHA-256(salt, 0x00, name), big-endian, modulo 10,000. A published contract
// (test/vectors/assignment.json): integers only, so that any language and a shell with sha256sum agree.
import { sha256Prefix } from '../std/sha256.ts';
import { utf8 } from '../std/utf8.ts';

/** Slots of a bucket; a percent is a hundred of them. */
export const slotCount = 10_000;

/** The slot of a namespace, 0 to 9,999. */
export type SlotOf = (namespace: string) => number;

/** A function that remembers what it hashed; make one for a run, not for ever. */
export function slots(salt: string): SlotOf {
  const known = new Map<string, number>();
  const head = utf8(salt);
  return (namespace) => {
    const slot = known.get(namespace) ?? hash(head, utf8(namespace)) % slotCount;
    known.set(namespace, slot);
    return slot;
  };
}

function hash(salt: Uint8Array, name: Uint8Array): number {
  const message = new Uint8Array(salt.length + 1 + name.length);
  message.set(salt);
  message.set(name, salt.length + 1);
  return sha256Prefix(message);
}
