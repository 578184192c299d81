// What a client sent, and whether it is answered at all. Accepts what Istio's agent accepts (the server of github.com/miekg/dns,
// acceptfunc.go): one question and few other records; the rest is refused with the request's own header.
import {
  countsOf,
  flag,
  headerBytes,
  opcode,
  type Query,
  type Question,
  readQuestion,
  recordsFrom,
  recordType,
  responseCode,
  word,
} from './layout.ts';
import { headOf } from './reply.ts';

/** A UDP message that nobody allowed to be longer. */
const udpAtLeast = 512;

export type Received =
  | Query
  /** An answer, or too short to be anything: whoever sends that gets nothing back. */
  | { readonly kind: 'ignored' }
  | { readonly kind: 'refused'; readonly reply: Uint8Array };

/** Reads a message from a client. */
export function readQuery(bytes: Uint8Array): Received {
  const [id, flags] = [word(bytes, 0), word(bytes, 2)];
  if (bytes.length < headerBytes || (flags & flag.response) !== 0) return { kind: 'ignored' };
  const refuse = (code: number, question?: Question): Received => ({
    kind: 'refused',
    reply: refusal({ id, flags }, code, question),
  });
  const asked = (flags & flag.opcode) >> 11;
  if (asked !== opcode.query && asked !== opcode.notify) return refuse(responseCode.notImplemented);
  const { questions, answers, authorities, extras } = countsOf(bytes);
  if (questions !== 1 || answers > 1 || authorities > 1 || extras > 2) return refuse(responseCode.formatError);
  if (bytes.length === headerBytes) return { kind: 'query', id, flags, question: undefined, udpBytes: udpAtLeast };
  const read = readQuestion(bytes, headerBytes);
  if (read === undefined) return refuse(responseCode.formatError);
  const records = recordsFrom(bytes, read.end, answers + authorities + extras);
  if (records === undefined) return refuse(responseCode.formatError, read.question);
  const room = records.slice(answers + authorities).findLast(({ type }) => type === recordType.opt)?.class ?? 0;
  return { kind: 'query', id, flags, question: read.question, udpBytes: Math.max(udpAtLeast, room) };
}

function refusal(head: Pick<Query, 'id' | 'flags'>, code: number, question: Question | undefined): Uint8Array {
  const dropped = flag.code | flag.reserved | flag.authoritative;
  const kept = head.flags & ~(code === responseCode.notImplemented ? dropped : dropped | flag.opcode);
  return Uint8Array.from(headOf({ id: head.id, flags: kept | flag.response | code, question }, new Map()));
}
