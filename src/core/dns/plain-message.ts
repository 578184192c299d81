// Queries as bytes and answers as text, for tests. No program uses it.
import { countsOf, type FoundRecord, flag, pushWord, readQuestion, recordsFrom, recordType, word } from './layout.ts';
import { readName, writeName } from './name.ts';

export interface PlainQuery {
  readonly name: string;
  readonly type?: number;
  readonly id?: number;
  readonly flags?: number;
  /** An OPT record that allows so many bytes. */
  readonly room?: number;
}

export const types: Readonly<Record<string, number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  HTTPS: 65,
  ANY: 255,
};

export function queryBytes({
  name,
  type = recordType.a,
  id = 7,
  flags = flag.recursionDesired,
  room,
}: PlainQuery): Uint8Array {
  const out: number[] = [];
  for (const value of [id, flags, 1, 0, 0, room === undefined ? 0 : 1]) pushWord(out, value);
  writeName(out, name, new Map());
  pushWord(out, type);
  pushWord(out, 1);
  if (room !== undefined) for (const value of [0, recordType.opt, room, 0, 0, 0].slice(1)) pushWord(out, value);
  if (room !== undefined) out.splice(out.length - 10, 0, 0);
  return Uint8Array.from(out);
}

export interface PlainMessage {
  readonly id: number;
  readonly code: number;
  /** Of AA, TC, RD, RA, AD, CD. */
  readonly flags: readonly string[];
  readonly question: string;
  /** `name ttl type data`, in order. */
  readonly answers: readonly string[];
  readonly authorities: number;
  readonly extras: readonly number[];
}

const flagNames = { AA: 0x400, TC: 0x200, RD: 0x100, RA: 0x80, Z: 0x40, AD: 0x20, CD: 0x10 } as const;

/** Undefined: no message. */
export function readMessageText(bytes: Uint8Array): PlainMessage | undefined {
  const { questions, answers, authorities, extras } = countsOf(bytes);
  const read = questions === 0 ? { question: undefined, end: 12 } : readQuestion(bytes, 12);
  const records = read === undefined ? undefined : recordsFrom(bytes, read.end, answers + authorities + extras);
  if (records === undefined || bytes.length < 12) return undefined;
  const { question } = read ?? {};
  return {
    id: word(bytes, 0),
    code: word(bytes, 2) & flag.code,
    flags: Object.entries(flagNames).flatMap(([name, bit]) => ((word(bytes, 2) & bit) === 0 ? [] : [name])),
    question: question === undefined ? '' : `${question.name} ${question.type}`,
    answers: records.slice(0, answers).map((record) => recordText(bytes, record)),
    authorities,
    extras: records.slice(answers + authorities).map(({ type }) => type),
  };
}

function recordText(bytes: Uint8Array, record: FoundRecord): string {
  const { owner, type, data, end } = record;
  const ttl = word(bytes, end - data.length - 6) * 65_536 + word(bytes, end - data.length - 4);
  return `${owner} ${ttl} ${Object.keys(types).find((name) => types[name] === type) ?? type} ${dataText(bytes, record)}`;
}

function dataText(bytes: Uint8Array, { type, data, end }: FoundRecord): string {
  if (type === recordType.cname) return readName(bytes, end - data.length)?.name ?? '';
  if (type === recordType.a) return data.join('.');
  return [...data].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
