// A whole message by its fields' numbers. Owns proto3's rules of reading: the last one of a field counts, a field that is not there
// has its default, and one of another kind than asked for is not there.
import { textOfUtf8 } from '../std/utf8.ts';
import { type Field, scan } from './scan.ts';

export interface Message {
  /** The last field of that number; undefined where there is none. A view, not a copy. */
  readonly bytes: (number: number) => Uint8Array | undefined;
  /** Every field of that number: repeated strings, bytes and messages. */
  readonly all: (number: number) => readonly Uint8Array[];
  /** Empty where there is none. */
  readonly text: (number: number) => string;
  /** 0 where there is none; of int32, int64, uint32, bool and enum, not of sint. Exact up to 2^53. */
  readonly integer: (number: number) => number;
  readonly texts: (number: number) => readonly string[];
  /** A message within; an empty one where there is none, undefined where it is malformed. */
  readonly message: (number: number) => Message | undefined;
}

/** Undefined: these bytes are no message, or not all of one. */
export function readMessage(bytes: Uint8Array): Message | undefined {
  const { fields, end } = scan(bytes);
  return end === 'whole' ? messageOf(fields) : undefined;
}

const none = new Uint8Array(0);

function messageOf(fields: readonly Field[]): Message {
  const all = (number: number): Uint8Array[] =>
    fields.flatMap((field) => (field.kind === 'bytes' && field.number === number ? [field.bytes] : []));
  const bytes = (number: number): Uint8Array | undefined => all(number).at(-1);
  const integer = (number: number): number => {
    const field = fields.findLast((each) => each.kind === 'varint' && each.number === number);
    return field?.kind === 'varint' ? Number(BigInt.asIntN(64, field.value)) : 0;
  };
  return {
    bytes,
    all,
    integer,
    text: (number) => textOfUtf8(bytes(number) ?? none),
    texts: (number) => all(number).map(textOfUtf8),
    message: (number) => readMessage(bytes(number) ?? none),
  };
}
