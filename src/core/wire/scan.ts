// Protobuf's wire format, read where it lies: a field's bytes are a view of the message, nothing is copied and nothing inside a field
// is looked at. Knows no schema. Also reads the beginning of a message whose rest has not arrived. Refuses groups, which proto3 lacks.
// https://protobuf.dev/programming-guides/encoding

export type Field =
  | { readonly number: number; readonly kind: 'varint'; readonly value: bigint }
  | { readonly number: number; readonly kind: 'fixed64'; readonly value: bigint }
  | { readonly number: number; readonly kind: 'fixed32'; readonly value: number }
  | { readonly number: number; readonly kind: 'bytes'; readonly bytes: Uint8Array };

export interface Scan {
  readonly fields: readonly Field[];
  /**
   * `cut`: the bytes end within a field; one of kind `bytes` whose length is known is the last of `fields`, with what there is of it.
   * `malformed`: no message begins like this; `fields` are those before.
   */
  readonly end: 'whole' | 'cut' | 'malformed';
}

/** All fields in their order. Linear in their number, not in the bytes. */
export function scan(bytes: Uint8Array): Scan {
  const fields: Field[] = [];
  for (let at = 0; at < bytes.length; ) {
    const next = fieldAt(bytes, at);
    if (typeof next === 'string') return { fields, end: next };
    fields.push(next.field);
    if (next.end > bytes.length) return { fields, end: 'cut' };
    at = next.end;
  }
  return { fields, end: 'whole' };
}

interface Found {
  readonly field: Field;
  readonly end: number;
}

function fieldAt(bytes: Uint8Array, at: number): Found | 'cut' | 'malformed' {
  const tag = varintAt(bytes, at);
  if (typeof tag === 'string') return tag;
  const number = Number(tag.value >> 3n);
  if (number < 1 || number > 0x1fff_ffff) return 'malformed';
  switch (Number(tag.value & 7n)) {
    case 0:
      return varintField(bytes, tag.end, number);
    case 1:
      return fixedField(bytes, tag.end, { number, kind: 'fixed64' });
    case 2:
      return bytesField(bytes, tag.end, number);
    case 5:
      return fixedField(bytes, tag.end, { number, kind: 'fixed32' });
    default:
      return 'malformed';
  }
}

function varintField(bytes: Uint8Array, at: number, number: number): Found | 'cut' | 'malformed' {
  const read = varintAt(bytes, at);
  return typeof read === 'string' ? read : { field: { number, kind: 'varint', value: read.value }, end: read.end };
}

function fixedField(
  bytes: Uint8Array,
  at: number,
  { number, kind }: { readonly number: number; readonly kind: 'fixed32' | 'fixed64' },
): Found | 'cut' {
  const end = at + (kind === 'fixed32' ? 4 : 8);
  if (end > bytes.length) return 'cut';
  const view = new DataView(bytes.buffer, bytes.byteOffset + at);
  if (kind === 'fixed32') return { field: { number, kind, value: view.getUint32(0, true) }, end };
  return { field: { number, kind, value: view.getBigUint64(0, true) }, end };
}

/** Protobuf's own bound of a message. */
const longest = 2n ** 31n;

function bytesField(bytes: Uint8Array, at: number, number: number): Found | 'cut' | 'malformed' {
  const length = varintAt(bytes, at);
  if (typeof length === 'string') return length;
  if (length.value >= longest) return 'malformed';
  const end = length.end + Number(length.value);
  return { field: { number, kind: 'bytes', bytes: bytes.subarray(length.end, end) }, end };
}

const longestVarint = 10;

function varintAt(
  bytes: Uint8Array,
  start: number,
): { readonly value: bigint; readonly end: number } | 'cut' | 'malformed' {
  let small = 0;
  let large = 0n;
  for (let i = 0; i < longestVarint; i++) {
    const byte = bytes[start + i];
    if (byte === undefined) return 'cut';
    // Big integers cost; four bytes, which is nearly all of what there is, do without.
    if (i < 4) small |= (byte & 0x7f) << (7 * i);
    else large |= BigInt(byte & 0x7f) << BigInt(7 * i);
    if (byte < 0x80) return { value: BigInt.asUintN(64, large | BigInt(small)), end: start + i + 1 };
  }
  return 'malformed';
}
