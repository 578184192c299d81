// Answers to reviews that differ in nothing but their uid: those of one roll-out's pods, which come in bursts. An injector's answer is a
// function of the review and of what its route holds (configuration, nodes, settings: the circumstances), so that the same text under the
// same circumstances has the same answer. Bounded in number and in size. Not for reviewers that look at the clock. What comes once is not
// held: answers that live a while and then go cost the collector of garbage more than they save.
import { textMemory } from '../../core/std/text-memory.ts';
import type { Reviewed } from './reviewed.ts';

export interface Remembered {
  /** Of the answer that was sent. */
  readonly reviewed: Answered;
  /** The answer's text for this review. */
  readonly text: string;
}

type Answered = Extract<Reviewed, { kind: 'answered' }>;

export interface ReviewMemory {
  /** The answer to a body, where one like it was answered under circumstances that are, one by one, the same values. */
  readonly recall: (body: string, circumstances: Circumstances) => Remembered | undefined;
  /** Holds the answer if a body like it was here before. */
  readonly remember: (body: string, circumstances: Circumstances, answer: Remembered) => void;
}

export type Circumstances = readonly unknown[];

interface Entry extends Remembered {
  readonly circumstances: Circumstances;
}

const mostEntries = 128;
const longestBody = 100_000;

/** As API servers begin a review. Another beginning is answered too, but not remembered. */
const bodyStart = /^\{"kind":"AdmissionReview","apiVersion":"admission\.k8s\.io\/v1","request":\{"uid":"([\w-]{1,64})"/;

export function reviewMemory(): ReviewMemory {
  const entries = textMemory<Entry>(mostEntries);
  let last: { readonly body: string; readonly parts: Parts | undefined } | undefined;
  const partsOf = (body: string): Parts | undefined => {
    if (last?.body !== body) last = { body, parts: split(body) };
    return last.parts;
  };
  return {
    recall: (body, circumstances) => {
      const parts = partsOf(body);
      const entry = parts === undefined ? undefined : entries.recall(parts.rest);
      if (parts === undefined || entry === undefined || !same(entry.circumstances, circumstances)) return undefined;
      return { reviewed: entry.reviewed, text: withUid(entry, parts.uid) };
    },
    remember: (body, circumstances, { reviewed, text }) => {
      const parts = partsOf(body);
      if (parts === undefined || parts.uid !== reviewed.answer.uid || !standsOnce(text, parts.uid)) return;
      entries.remember(parts.rest, { circumstances, reviewed, text });
    },
  };
}

interface Parts {
  readonly uid: string;
  /** Everything behind it. */
  readonly rest: string;
}

function split(body: string): Parts | undefined {
  if (body.length > longestBody) return undefined;
  const found = bodyStart.exec(body);
  return found === null ? undefined : { uid: found[1] ?? '', rest: body.slice(found[0].length) };
}

function standsOnce(text: string, part: string): boolean {
  const at = text.indexOf(part);
  return at >= 0 && text.indexOf(part, at + 1) < 0;
}

/** The uid stands in the text once: it was looked at when the text was remembered. */
function withUid({ reviewed, text }: Entry, uid: string): string {
  const at = text.indexOf(reviewed.answer.uid);
  return text.slice(0, at) + uid + text.slice(at + reviewed.answer.uid.length);
}

function same(a: Circumstances, b: Circumstances): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
