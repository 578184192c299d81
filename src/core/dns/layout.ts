// Where things stand in a message of RFC 1035: the header's words, questions, records. Owns the bounds of untrusted bytes. Records are found,
// never decoded: what a server sent passes as it came.
import { readName } from './name.ts';

export const recordType = { a: 1, cname: 5, aaaa: 28, opt: 41 } as const;
export const responseCode = { success: 0, formatError: 1, serverFailure: 2, notImplemented: 4, refused: 5 } as const;
export const opcode = { query: 0, notify: 4 } as const;
export const headerBytes = 12;

export const flag = {
  response: 0x8000,
  opcode: 0x7800,
  authoritative: 0x0400,
  truncated: 0x0200,
  recursionDesired: 0x0100,
  reserved: 0x0040,
  checkingDisabled: 0x0010,
  code: 0x000f,
} as const;

export interface Question {
  /** As asked: the case is the asker's. */
  readonly name: string;
  readonly type: number;
  readonly class: number;
}

export interface Query {
  readonly kind: 'query';
  readonly id: number;
  readonly flags: number;
  /** Undefined: a header alone, which promises one. */
  readonly question: Question | undefined;
  /** How long an answer by UDP may be (RFC 6891); at least 512. */
  readonly udpBytes: number;
}

export interface FoundRecord {
  readonly owner: string;
  readonly type: number;
  readonly class: number;
  readonly start: number;
  readonly data: Uint8Array;
  readonly end: number;
}

export function readQuestion(bytes: Uint8Array, offset: number): { question: Question; end: number } | undefined {
  const read = readName(bytes, offset);
  if (read === undefined || read.end + 4 > bytes.length) return undefined;
  const question = { name: read.name, type: word(bytes, read.end), class: word(bytes, read.end + 2) };
  return { question, end: read.end + 4 };
}

/** So many records from an offset on; undefined where one does not end within the message. */
export function recordsFrom(bytes: Uint8Array, offset: number, count: number): readonly FoundRecord[] | undefined {
  const records: FoundRecord[] = [];
  let start = offset;
  for (let i = 0; i < count; i++) {
    const owner = readName(bytes, start);
    if (owner === undefined || owner.end + 10 > bytes.length) return undefined;
    const data = owner.end + 10;
    const end = data + word(bytes, owner.end + 8);
    if (end > bytes.length) return undefined;
    const [type, itsClass] = [word(bytes, owner.end), word(bytes, owner.end + 2)];
    records.push({ owner: owner.name, type, class: itsClass, start, data: bytes.subarray(data, end), end });
    start = end;
  }
  return records;
}

export interface Counts {
  readonly questions: number;
  readonly answers: number;
  readonly authorities: number;
  readonly extras: number;
}

/** What the header promises; it may lie. */
export function countsOf(bytes: Uint8Array): Counts {
  return { questions: word(bytes, 4), answers: word(bytes, 6), authorities: word(bytes, 8), extras: word(bytes, 10) };
}

export function word(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

export function putWord(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >> 8;
  bytes[at + 1] = value & 0xff;
}

export function pushWord(out: number[], value: number): void {
  out.push((value >> 8) & 0xff, value & 0xff);
}
