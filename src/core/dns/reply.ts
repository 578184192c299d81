// Answers that this program writes itself: aliases and addresses, or a code alone.
import { flag, opcode, pushWord, putWord, type Query, type Question, recordType } from './layout.ts';
import { type Pointers, writeName } from './name.ts';

const classInternet = 1;

export type OwnRecord = { readonly owner: string; readonly ttlSeconds: number } & (
  | { readonly kind: 'alias'; readonly target: string }
  /** 4 or 16 bytes. */
  | { readonly kind: 'address'; readonly bytes: Uint8Array }
);

export interface Reply {
  readonly query: Query;
  readonly code: number;
  readonly authoritative: boolean;
  readonly records: readonly OwnRecord[];
  readonly bytesAtMost: number;
}

/** The bytes; records for which there is no room are left out, and the asker is told. */
export function writeReply({ query, code, authoritative, records, bytesAtMost }: Reply): Uint8Array {
  const pointers: Pointers = new Map();
  const copied = flag.opcode | (isPlain(query) ? flag.recursionDesired | flag.checkingDisabled : 0);
  const flags = flag.response | (query.flags & copied) | code | (authoritative ? flag.authoritative : 0);
  const out = headOf({ id: query.id, flags, question: query.question }, pointers);
  let written = 0;
  for (const record of records) {
    const before = out.length;
    writeRecord(out, record, pointers);
    if (out.length > bytesAtMost) {
      out.length = before;
      break;
    }
    written++;
  }
  const bytes = Uint8Array.from(out);
  if (written < records.length) putWord(bytes, 2, flags | flag.truncated);
  putWord(bytes, 6, written);
  return bytes;
}

function isPlain({ flags }: Query): boolean {
  return (flags & flag.opcode) >> 11 === opcode.query;
}

interface Head {
  readonly id: number;
  readonly flags: number;
  readonly question: Question | undefined;
}

/** A header that promises no records yet, and the question. */
export function headOf({ id, flags, question }: Head, pointers: Pointers): number[] {
  const out: number[] = [];
  for (const value of [id, flags, question === undefined ? 0 : 1, 0, 0, 0]) pushWord(out, value);
  if (question === undefined) return out;
  writeName(out, question.name, pointers);
  pushWord(out, question.type);
  pushWord(out, question.class);
  return out;
}

function writeRecord(out: number[], record: OwnRecord, pointers: Pointers): void {
  writeName(out, record.owner, pointers);
  for (const value of [typeOf(record), classInternet, record.ttlSeconds >>> 16, record.ttlSeconds])
    pushWord(out, value);
  const lengthAt = out.length;
  pushWord(out, 0);
  if (record.kind === 'alias') writeName(out, record.target, pointers);
  else out.push(...record.bytes);
  const length = out.length - lengthAt - 2;
  out[lengthAt] = length >> 8;
  out[lengthAt + 1] = length & 0xff;
}

function typeOf(record: OwnRecord): number {
  if (record.kind === 'alias') return recordType.cname;
  return record.bytes.length === 4 ? recordType.a : recordType.aaaa;
}
