// Writes small messages: their fields in the order given. Refuses to know a schema; what a number means is its caller's.
import { utf8 } from '../std/utf8.ts';
import type { Field } from './scan.ts';

/**
 * A field: text, bytes or a message within (bytes), or a varint. As in proto3, an empty text, 0, false and undefined are not
 * written; empty bytes are, because a message that is there may be empty.
 */
export type Entry = readonly [number: number, value: string | Uint8Array | number | bigint | boolean | undefined];

/** The message's bytes. A number must be an integer; negative ones are written as int64 does. */
export function encode(...entries: readonly Entry[]): Uint8Array {
  return joined(entries.flatMap(([number, value]) => fieldOf(number, value)));
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function fieldOf(number: number, value: Entry[1]): readonly Uint8Array[] {
  if (value === undefined || value === '') return [];
  if (typeof value === 'string') return lengthDelimited(number, utf8(value));
  if (value instanceof Uint8Array) return lengthDelimited(number, value);
  const integer = BigInt(value);
  return integer === 0n ? [] : [varint(BigInt(number) << 3n), varint(BigInt.asUintN(64, integer))];
}

function lengthDelimited(number: number, bytes: Uint8Array): readonly Uint8Array[] {
  return [varint((BigInt(number) << 3n) | 2n), varint(BigInt(bytes.length)), bytes];
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.from([...bytes, Number(rest)]);
}

/** Fields as they were scanned, in their order. */
export function encodeFields(fields: readonly Field[]): Uint8Array {
  return joined(
    fields.flatMap((field) => {
      if (field.kind === 'bytes') return lengthDelimited(field.number, field.bytes);
      const head = varint((BigInt(field.number) << 3n) | wireTypes[field.kind]);
      return [head, field.kind === 'varint' ? varint(field.value) : fixed(field)];
    }),
  );
}

const wireTypes = { varint: 0n, fixed64: 1n, fixed32: 5n } as const;

function fixed(field: Extract<Field, { readonly kind: 'fixed32' | 'fixed64' }>): Uint8Array {
  const view = new DataView(new ArrayBuffer(field.kind === 'fixed32' ? 4 : 8));
  if (field.kind === 'fixed32') view.setUint32(0, field.value, true);
  else view.setBigUint64(0, field.value, true);
  return new Uint8Array(view.buffer);
}
