// Answers of the servers that a query was forwarded to: whether bytes are one, and how it is cut for an asker with little room.
import {
  countsOf,
  type FoundRecord,
  flag,
  headerBytes,
  putWord,
  type Query,
  readQuestion,
  recordsFrom,
  recordType,
  word,
} from './layout.ts';
import { lowerName } from './name.ts';

/** Whether they are the answer to a query: its id, and its question where one is repeated. Anybody can send to a UDP port. */
export function isAnswerTo(query: Query, bytes: Uint8Array): boolean {
  if (bytes.length < headerBytes || word(bytes, 0) !== query.id || (word(bytes, 2) & flag.response) === 0) return false;
  if (countsOf(bytes).questions === 0 || bytes.length === headerBytes) return true;
  const { question } = readQuestion(bytes, headerBytes) ?? {};
  const { question: asked } = query;
  if (question === undefined || asked === undefined) return false;
  return (
    question.type === asked.type && question.class === asked.class && lowerName(question.name) === lowerName(asked.name)
  );
}

/** The answer as it came, or cut after the last record for which there is room and marked so; OPT is kept. */
export function cutReply(bytes: Uint8Array, bytesAtMost: number): Uint8Array {
  if (bytes.length <= bytesAtMost) return bytes;
  const { questions, answers, authorities, extras } = countsOf(bytes);
  const start = endOfQuestions(bytes, questions);
  const records = start === undefined ? undefined : recordsFrom(bytes, start, answers + authorities + extras);
  if (start === undefined || records === undefined || start > bytesAtMost) return headAlone(bytes);
  const opt = records.slice(answers + authorities).find(({ type, owner }) => type === recordType.opt && owner === '.');
  const room = bytesAtMost - (opt === undefined ? 0 : opt.end - opt.start);
  const cutAt = records.findIndex((record) => record === opt || record.end > room);
  const whole = records.slice(0, cutAt === -1 ? records.length : cutAt);
  return joined(bytes, { end: whole.at(-1)?.end ?? start, count: whole.length, sections: [answers, authorities], opt });
}

interface Cut {
  readonly end: number;
  readonly count: number;
  readonly sections: readonly [answers: number, authorities: number];
  readonly opt: FoundRecord | undefined;
}

/** Pointers point backwards only, so what stands before the cut stays true; OPT's own name is the root and needs none. */
function joined(bytes: Uint8Array, { end, count, sections, opt }: Cut): Uint8Array {
  const tail = opt === undefined ? new Uint8Array() : bytes.subarray(opt.start, opt.end);
  const cut = new Uint8Array(end + tail.length);
  cut.set(bytes.subarray(0, end));
  cut.set(tail, end);
  const [answers, authorities] = sections;
  const rest = Math.max(0, count - answers);
  putWord(cut, 2, word(bytes, 2) | flag.truncated);
  putWord(cut, 6, Math.min(count, answers));
  putWord(cut, 8, Math.min(rest, authorities));
  putWord(cut, 10, Math.max(0, rest - authorities) + (opt === undefined ? 0 : 1));
  return cut;
}

function headAlone(bytes: Uint8Array): Uint8Array {
  const head = new Uint8Array(headerBytes);
  putWord(head, 0, word(bytes, 0));
  putWord(head, 2, word(bytes, 2) | flag.truncated);
  return head;
}

function endOfQuestions(bytes: Uint8Array, count: number): number | undefined {
  let at: number | undefined = headerBytes;
  for (let i = 0; i < count && at !== undefined; i++) at = readQuestion(bytes, at)?.end;
  return at;
}
