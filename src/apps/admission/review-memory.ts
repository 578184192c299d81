// Answers to reviews that differ in nothing but their uid: those of one roll-out's pods, which come in bursts. An injector's answer is a
// function of the review and of what its route holds (configuration, nodes, settings: the circumstances), so that the same text under the
// same circumstances has the same answer. Bounded in number and in size. Not for reviewers that look at the clock. What comes once is not
// held: answers that live a while and then go cost the collector of garbage more than they save.
import { sightings } from '../../core/std/sightings.ts';
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

/** As many as are known to have come: what comes again and again in turn is then held, not put in and out. */
const mostEntries = 128;
const longestBody = 100_000;

/** As API servers begin a review. Another beginning is answered too, but not remembered. */
const bodyStart = /^\{"kind":"AdmissionReview","apiVersion":"admission\.k8s\.io\/v1","request":\{"uid":"([\w-]{1,64})"/;

export function reviewMemory(): ReviewMemory {
  const entries = new Map<string, Entry>();
  const seenBefore = sightings(mostEntries);
  return {
    recall: (body, circumstances) => {
      const found = split(body);
      const entry = found === undefined ? undefined : entries.get(found.rest);
      if (found === undefined || entry === undefined || !same(entry.circumstances, circumstances)) return undefined;
      // The last one used is the last one forgotten.
      entries.delete(found.rest);
      entries.set(found.rest, entry);
      return { reviewed: entry.reviewed, text: withUid(entry, found.uid) };
    },
    remember: (body, circumstances, { reviewed, text }) => {
      const found = split(body);
      if (found === undefined || found.uid !== reviewed.answer.uid || text.split(found.uid).length !== 2) return;
      if (!seenBefore(found.rest)) return;
      const oldest = entries.size >= mostEntries ? entries.keys().next().value : undefined;
      if (oldest !== undefined) entries.delete(oldest);
      entries.set(found.rest, { circumstances, reviewed, text });
    },
  };
}

/** The uid of a body, and everything behind it. */
function split(body: string): { readonly uid: string; readonly rest: string } | undefined {
  if (body.length > longestBody) return undefined;
  const found = bodyStart.exec(body);
  return found === null ? undefined : { uid: found[1] ?? '', rest: body.slice(found[0].length) };
}

/** The uid stands in the text once: it was looked at when the text was remembered. */
function withUid({ reviewed, text }: Entry, uid: string): string {
  const at = text.indexOf(reviewed.answer.uid);
  return text.slice(0, at) + uid + text.slice(at + reviewed.answer.uid.length);
}

function same(a: Circumstances, b: Circumstances): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
