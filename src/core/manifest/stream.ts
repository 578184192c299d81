// A stream of documents, read once from front to back: outline, visit, edit, prove. The visitor says what shall become of
// each object; this file answers with edits of which every one is proved, or with all problems of the stream.
import type { Problem } from '../std/errors.ts';
import { outlineAgain } from './again.ts';
import { aliasCost, dearestAliases } from './alias-cost.ts';
import { type Bytes, type ByteText, findInvalidUtf8 } from './bytes.ts';
import type { ChangeWithin } from './change.ts';
import { type Edit, editObject } from './edit.ts';
import { outlineToMarker } from './fast.ts';
import { findForbidden } from './forbidden.ts';
import { endOfJsonValue, forbiddenCharacter, outlineDocument, placeOf } from './outline.ts';
import { provesChange } from './prove.ts';
import { newSplicer, type Splicer, splice } from './splice.ts';
import { type Chunk, contentAfter, firstContent, newSplitter, type Splitter, splitStream } from './split.ts';
import { endOf, kindOf, kinds, newTape, resetTape, startOf, type Tape } from './tape.ts';

const hiddenBreaks = /\xc2\x85|\xe2\x80[\xa8\xa9]/g;
/** The same as texts: several times as quick to look for. */
const hiddenTexts = ['\xc2\x85', '\xe2\x80\xa8', '\xe2\x80\xa9'];

/** A document while it is visited: its tape is used again for the next one. */
export interface OutlinedDocument {
  /** From 1, counting only documents that hold something. */
  readonly number: number;
  readonly tape: Tape;
  readonly start: number;
  readonly end: number;
  readonly path: 'fast' | 'complete';
}

/** What shall become of the object at a node of the document. */
export interface ObjectChange {
  readonly root: number;
  readonly change: ChangeWithin;
}

/** A document that the complete path read and that was changed: another parser should confirm it. */
export interface CompleteChange {
  readonly document: number;
  readonly before: Bytes;
  readonly after: Bytes;
}

export interface StreamResult {
  /** In the order of the text, without overlap. */
  readonly edits: readonly Edit[];
  readonly problems: readonly Problem[];
  readonly documents: number;
  readonly completeChanges: readonly CompleteChange[];
  /** Nodes outlined: the measure of work, which grows with the text and with nothing else. */
  readonly steps: number;
}

/** Decides about one document. */
export type Visit = (document: OutlinedDocument) => readonly ObjectChange[];

interface Run {
  readonly source: ByteText;
  readonly visit: Visit;
  readonly tape: Tape;
  readonly after: Tape;
  readonly edits: Edit[];
  readonly problems: Problem[];
  readonly completeChanges: CompleteChange[];
  readonly splicer: Splicer;
  /** Whether the stream holds line ends that only some readers see; asked at the first edit. */
  breaks: boolean | undefined;
  documents: number;
  steps: number;
}

/**
 * Visits every document of a stream of YAML or JSON. With any problem of severity error the
 * edits are not to be used.
 */
export function transformStream(source: ByteText, visit: Visit): StreamResult {
  const run: Run = {
    source,
    visit,
    tape: newTape(),
    after: newTape(),
    edits: [],
    problems: [],
    completeChanges: [],
    splicer: newSplicer(source),
    breaks: source.ascii === true ? false : undefined,
    documents: 0,
    steps: 0,
  };
  const unreadable = encodingProblem(source.bytes[0], source.bytes[1]);
  if (unreadable === undefined) visitStream(run);
  else run.problems.push(unreadable);
  const { edits, problems, documents, completeChanges, steps } = run;
  return { edits, problems, documents, completeChanges, steps };
}

/** A document that the fast path reads ends where that comes to a marker; for the others the next marker is looked for. */
function visitStream(run: Run): void {
  const { source } = run;
  const { length } = source.bytes;
  const splitter = newSplitter(source);
  let start = firstContent(source);
  for (let from = start; start < length; ) {
    const stop = from === start ? visitPlainDocument(run, start) : -1;
    const end = stop === -1 ? splitter.endOf(start, from) : stop;
    const next = end === length ? end : contentAfter(source, end);
    if (isUnreadable(run, splitter, stop === -1 ? start : end, next)) return;
    if (stop === -1 && end > start) visitChunk(run, { start, end });
    start = next;
    from = start === end ? end + 3 : start;
  }
}

/** Whether the stream cannot be read at all, by what was not read so far: then that alone is told. */
function isUnreadable(run: Run, splitter: Splitter, from: number, to: number): boolean {
  const { source } = run;
  const forbidden = findForbidden(source.bytes, from, to);
  if (forbidden === -1 && splitter.problems.length === 0) return false;
  const problems = forbidden === -1 ? splitStream(source).problems : [forbiddenCharacter(source.text, forbidden)];
  run.problems.splice(0, run.problems.length, ...problems);
  return true;
}

/** Visits the document at `start` if the fast path reads it up to a marker: the offset of that or the text's end, else -1. */
function visitPlainDocument(run: Run, start: number): number {
  const { tape, source } = run;
  resetTape(tape, source);
  const end = outlineToMarker(tape, start, source.bytes.length);
  if (end !== -1) visitOutlined(run, { start, end, path: 'fast' });
  return end;
}

/** UTF-16 and other text that is not UTF-8, by the marks at its start; whether all bytes are UTF-8 the edge asks (see `invalidUtf8`). */
function encodingProblem(first: number | undefined, second: number | undefined): Problem | undefined {
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return {
      code: 'encoding',
      severity: 'error',
      line: 1,
      message: 'the text is UTF-16, which is not read',
      hint: `convert it: iconv -f UTF-16${first === 0xff ? 'LE' : 'BE'} -t UTF-8`,
    };
  }
  return undefined;
}

/** The problem of a text that holds bytes which are not UTF-8, or undefined. */
export function invalidUtf8(text: Bytes): Problem | undefined {
  const offset = findInvalidUtf8(text);
  if (offset === -1) return undefined;
  const utf16 = encodingProblem(text.charCodeAt(0), text.charCodeAt(1));
  if (utf16 !== undefined) return utf16;
  const byte = text.charCodeAt(offset).toString(16);
  return { code: 'encoding', severity: 'error', message: `byte 0x${byte} is not UTF-8`, ...placeOf(text, offset) };
}

function visitChunk(run: Run, chunk: Chunk): void {
  for (let start = chunk.start; start < chunk.end; ) {
    const end = endOfJsonValue(run.tape, run.source, start, chunk.end);
    visitDocument(run, start, end);
    start = end;
  }
}

function visitDocument(run: Run, start: number, end: number): void {
  const { source, tape } = run;
  const outcome = outlineDocument(tape, source, start, end);
  if (outcome.path === 'none') {
    run.steps += tape.count;
    run.documents++;
    run.problems.push({ ...outcome.problem, document: run.documents });
    return;
  }
  visitOutlined(run, { start, end, path: outcome.path });
}

/** Visits the document that is on the tape. */
function visitOutlined(run: Run, { start, end, path }: Pick<OutlinedDocument, 'start' | 'end' | 'path'>): void {
  const { tape } = run;
  run.steps += tape.count;
  if (tape.count === 0) return;
  run.documents++;
  const document = { number: run.documents, tape, start, end, path };
  const changes = run.visit(document);
  if (changes.length > 0) editDocument(run, document, changes);
}

function editDocument(run: Run, document: OutlinedDocument, changes: readonly ObjectChange[]): void {
  const { problems } = run;
  const obstacle = document.tape.decorated ? aliasObstacle(run, document) : undefined;
  const hidden = obstacle ?? hiddenBreak(run, document);
  if (hidden !== undefined) {
    problems.push({ severity: 'error', document: document.number, ...hidden });
    return;
  }
  const edits: Edit[] = [];
  for (const { root, change } of changes) {
    const result = editObject(document.tape, root, change);
    edits.push(...result.edits);
    for (const { offset, ...refusal } of result.refusals) {
      problems.push({
        code: 'edit-refused',
        severity: 'error',
        document: document.number,
        ...refusal,
        ...placeOf(run.source.text, offset),
      });
    }
    if (result.refusals.length > 0) return;
  }
  edits.sort((a, b) => a.at - b.at);
  proveDocument(run, { document, changes, edits });
}

type Obstacle = Omit<Problem, 'severity' | 'document'>;

function aliasObstacle({ source }: Run, { tape, start }: OutlinedDocument): Obstacle | undefined {
  if (aliasCost(tape) <= dearestAliases) return undefined;
  const message = 'the document has so many aliases and merges that reading it takes forever';
  return { code: 'too-many-aliases', message, hint: 'write them out', ...placeOf(source.text, start) };
}

/**
 * NEL, LS and PS end a line for YAML 1.1, and so for kubectl, and do not for YAML 1.2: the two see different documents, unless quotes
 * stand around the character. Such a document may pass, but not be edited.
 */
function hiddenBreak(run: Run, { tape, start, end }: OutlinedDocument): Obstacle | undefined {
  const { source } = run;
  run.breaks ??= hiddenTexts.some((one) => source.indexOf(one, 0) !== -1);
  if (!run.breaks) return undefined;
  for (const { index } of source.slice(start, end).matchAll(hiddenBreaks)) {
    const at = start + index;
    if (isQuotedAt(tape, at)) continue;
    const message =
      'a line separator of Unicode (U+0085, U+2028, U+2029) ends a line for kubectl, and not for YAML 1.2';
    return {
      code: 'hidden-line-break',
      message,
      hint: 'write a real line end, or quote the text',
      ...placeOf(source.text, at),
    };
  }
  return undefined;
}

function isQuotedAt(tape: Tape, at: number): boolean {
  for (let node = 0; node < tape.count; node++) {
    const kind = kindOf(tape, node);
    const quoted = kind === kinds.single || kind === kinds.double;
    if (quoted && startOf(tape, node) < at && at < endOf(tape, node)) return true;
  }
  return false;
}

function unprovenHint(text: Bytes): string {
  return /\r(?!\n)/.test(text)
    ? "lines end with a carriage return alone: convert them (tr '\\r' '\\n' <OLD >NEW)"
    : 'write the labels of the pod template as a plain block mapping';
}

interface Edited {
  readonly document: OutlinedDocument;
  readonly changes: readonly ObjectChange[];
  readonly edits: readonly Edit[];
}

function proveDocument(run: Run, { document, changes, edits }: Edited): void {
  const { start, end, tape } = document;
  const after = splice(run.source, edits, { start, end }, run.splicer);
  const copied = document.path === 'fast' ? outlineAgain(run.after, after, document, edits) : undefined;
  const outcome = copied !== undefined ? document : outlineDocument(run.after, after, 0, after.length);
  run.steps += run.after.count;
  const wanted = new Map(changes.map(({ root, change }) => [root, change] as const));
  const proved =
    outcome.path !== 'none' &&
    provesChange({ before: tape, after: run.after, edits, base: start, copied }, 0, 0, wanted);
  if (!proved) {
    run.problems.push({
      code: 'edit-unproven',
      severity: 'error',
      document: document.number,
      message: 'the change cannot be made without touching something else',
      hint: unprovenHint(run.source.slice(start, end)),
      ...placeOf(run.source.text, edits[0]?.at ?? start),
    });
    return;
  }
  run.edits.push(...edits);
  if (document.path === 'complete' || outcome.path === 'complete') {
    const before = run.source.slice(start, end);
    run.completeChanges.push({ document: document.number, before, after: after.text });
  }
}
