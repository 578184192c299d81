// The complete outliner: js-yaml's events, written to the same tape as the fast one writes. Takes all of YAML 1.2; slower
// by an order of magnitude. Aliases stay aliases: nothing is ever expanded.
import { COLLECTION_STYLE, EVENT_ID, type Event, parseEvents, SCALAR_STYLE, type YAMLException } from 'js-yaml';
import type { Bytes } from './bytes.ts';
import { closeNode, endOf, kinds, pushNode, setProperties, sliceOf, type Tape } from './tape.ts';

/** Why a document could not be read: what is wrong, and where in the stream. */
export interface OutlineFailure {
  readonly message: string;
  readonly offset: number;
}

const deepest = 200;
const scalarKinds: Readonly<Record<number, number>> = {
  [SCALAR_STYLE.PLAIN]: kinds.plain,
  [SCALAR_STYLE.SINGLE_QUOTED]: kinds.single,
  [SCALAR_STYLE.DOUBLE_QUOTED]: kinds.double,
  [SCALAR_STYLE.LITERAL_BLOCK]: kinds.literal,
  [SCALAR_STYLE.FOLDED_BLOCK]: kinds.folded,
};

interface Frame {
  readonly node: number;
  readonly flow: boolean;
  readonly map: boolean;
  children: number;
}

interface Walk {
  readonly tape: Tape;
  readonly shift: number;
  readonly frames: Frame[];
  /** Where the text after the last node goes on. */
  cursor: number;
}

/** Writes the outline of text[start, end) to the tape; what is wrong with it, or undefined. */
export function outlineComplete(tape: Tape, start: number, end: number): OutlineFailure | undefined {
  const source = sliceOf(tape, start, end);
  const events = eventsOf(source, start);
  if ('message' in events) return events;
  const walk: Walk = { tape, shift: start, frames: [], cursor: start };
  const anchors = new Set<Bytes>();
  for (const event of events) {
    const lost =
      event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.POP ? undefined : noteAnchor(anchors, event, source);
    if (lost !== undefined)
      return { message: `the alias *${lost} names nothing before it`, offset: start + source.indexOf(`*${lost}`) };
    if (event.type === EVENT_ID.DOCUMENT) continue;
    if (event.type === EVENT_ID.POP) closeFrame(walk);
    else openNode(walk, event);
  }
  return undefined;
}

/** As often lines inside brackets and quotes may be less indented than YAML 1.2 wants and libyaml, and so kubectl, asks. */
const mostJoins = 200;

function eventsOf(source: Bytes, start: number): Event[] | OutlineFailure {
  let text = source.replace(/[\x80-\xff]/g, 'é');
  for (let joins = 0; ; joins++) {
    try {
      const events = parseEvents(text, { maxDepth: deepest });
      const documents = events.filter((event) => event.type === EVENT_ID.DOCUMENT).length;
      return documents > 1 ? { message: 'a second document begins without a separator', offset: start } : events;
    } catch (error) {
      if (!isYamlException(error)) throw error;
      const position = error.mark?.position ?? 0;
      const before = text.lastIndexOf('\n', position - 1);
      const mayJoin = error.reason === 'deficient indentation' && before !== -1 && joins < mostJoins;
      if (!mayJoin) return { message: error.reason, offset: start + position };
      text = joinLine(text, before);
    }
  }
}

/** By its name: in the bundle the class itself is out of reach (js-yaml is loaded at its first call). */
function isYamlException(error: unknown): error is YAMLException {
  return error instanceof Error && error.name === 'YAMLException';
}

/** The line after `end` is read as the end of the one before: offsets stay, and structure does not depend on the line end there. */
function joinLine(text: Bytes, end: number): Bytes {
  const line = text.slice(text.lastIndexOf('\n', end - 1) + 1, end);
  const content = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|(?<!\s)#|[^"'#])*/.exec(line)?.[0] ?? line;
  const comment = line.charAt(content.length) === '#';
  const kept = comment ? content.trimEnd().length : line.replace(/\r$/, '').length;
  const from = end - line.length + kept;
  return text.slice(0, from) + ' '.repeat(end + 1 - from) + text.slice(end + 1);
}

type NodeEvent = Exclude<Event, { type: typeof EVENT_ID.DOCUMENT | typeof EVENT_ID.POP }>;

/** Remembers an anchor; answers the name of an alias that has none. */
function noteAnchor(anchors: Set<Bytes>, event: NodeEvent, source: Bytes): Bytes | undefined {
  const name = event.anchorStart === -1 ? undefined : source.slice(event.anchorStart, event.anchorEnd);
  if (event.type === EVENT_ID.ALIAS) return name !== undefined && anchors.has(name) ? undefined : name;
  if (name !== undefined) anchors.add(name);
  return undefined;
}

function openNode(walk: Walk, event: NodeEvent): void {
  const { tape, shift, frames } = walk;
  const parent = frames.at(-1);
  passIndicator(walk, parent);
  const node = writeNode(walk, event);
  if (event.type !== EVENT_ID.ALIAS) {
    const anchor = event.anchorStart === -1 ? -1 : event.anchorStart - 1 + shift;
    const tag = event.tagStart === -1 ? -1 : event.tagStart + shift;
    setProperties(tape, node, anchor, tag);
  }
  if (parent !== undefined) parent.children++;
  if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) {
    const flow = event.style === COLLECTION_STYLE.FLOW;
    frames.push({ node, flow, map: event.type === EVENT_ID.MAPPING, children: 0 });
    if (flow) walk.cursor = event.start + shift + 1;
  } else walk.cursor = endOf(tape, node);
}

function writeNode(walk: Walk, event: NodeEvent): number {
  const { tape, shift } = walk;
  switch (event.type) {
    case EVENT_ID.ALIAS:
      return pushNode(tape, kinds.alias, event.anchorStart - 1 + shift, event.anchorEnd + shift);
    case EVENT_ID.SCALAR:
      return writeScalar(walk, event);
    case EVENT_ID.MAPPING:
    case EVENT_ID.SEQUENCE: {
      const flow = event.style === COLLECTION_STYLE.FLOW;
      const map = event.type === EVENT_ID.MAPPING;
      const kind = map ? (flow ? kinds.flowMap : kinds.blockMap) : flow ? kinds.flowSeq : kinds.blockSeq;
      return pushNode(tape, kind, event.start + shift, event.start + shift);
    }
  }
}

function writeScalar(walk: Walk, event: Extract<Event, { type: typeof EVENT_ID.SCALAR }>): number {
  const { tape, shift } = walk;
  const kind = scalarKinds[event.style] ?? kinds.plain;
  if (event.valueStart === -1 || (kind === kinds.plain && event.valueStart === event.valueEnd)) {
    const at = Math.max(walk.cursor, event.anchorEnd + shift, event.tagEnd + shift);
    return pushNode(tape, kinds.empty, at, at);
  }
  const start = event.valueStart + shift;
  const end = event.valueEnd + shift;
  if (kind === kinds.plain) return pushNode(tape, kind, start, end);
  if (kind === kinds.single || kind === kinds.double) return pushNode(tape, kind, start - 1, end + 1);
  return writeBlockScalar(walk, kind, end);
}

/** js-yaml tells where the lines of a block scalar are; the tape wants it from its `|` on, without blank lines at its end. */
function writeBlockScalar(walk: Walk, kind: number, bodyEnd: number): number {
  const { tape } = walk;
  const { text } = tape.source;
  const header = skipToContent(text, walk.cursor, '|>');
  let end = header + 1;
  while (end < text.length && '+-0123456789'.includes(text.charAt(end))) end++;
  const headerEnd = lineEnd(text, end);
  let last = bodyEnd;
  while (last > headerEnd && ' \t\r\n'.includes(text.charAt(last - 1))) last--;
  return pushNode(tape, kind, header, last > headerEnd ? last : end);
}

function closeFrame(walk: Walk): void {
  const frame = walk.frames.pop();
  if (frame === undefined) return;
  const { tape } = walk;
  if (frame.flow) {
    const close = skipToContent(tape.source.text, walk.cursor, frame.map ? '}' : ']');
    walk.cursor = close + 1;
  }
  closeNode(tape, frame.node, walk.cursor);
}

/** Moves the cursor past the `:` of a value or the `-` of an item, so that an empty node gets its place there. */
function passIndicator(walk: Walk, parent: Frame | undefined): void {
  if (parent === undefined) return;
  const { tape } = walk;
  const { text } = tape.source;
  const value = parent.map && parent.children % 2 === 1;
  const item = !parent.map && !parent.flow;
  if (!value && !item) return;
  const at = skipBlanksAndComments(text, walk.cursor);
  if (text.charAt(at) === (value ? ':' : '-')) walk.cursor = at + 1;
}

function skipBlanksAndComments(text: Bytes, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '#' && ' \t\n\r'.includes(text.charAt(at - 1))) at = lineEnd(text, at);
    else if (!' \t\r\n'.includes(character)) break;
  }
  return at;
}

/** Offset of the first of `wanted` that is no part of a comment. */
function skipToContent(text: Bytes, from: number, wanted: string): number {
  let at = from;
  for (; at < text.length; at++) {
    const character = text.charAt(at);
    if (wanted.includes(character)) return at;
    if (character === '#' && ' \t\n\r,'.includes(text.charAt(at - 1))) at = lineEnd(text, at);
  }
  return at;
}

function lineEnd(text: Bytes, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}
