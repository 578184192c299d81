// Items of block sequences that were read before, by their text: templates render much the same lists for every pod. What an item means
// depends on its own text, on where its dash stands, and on the column of what follows it, which ends it; so an item is remembered with
// the white space behind it, and only where something that stands no deeper than the dash follows. Anchors and aliases reach out of
// their item: such items are never remembered. Nor is what came once: that would be every pod's own, and much more to collect than to save.
import type { JsonValue } from '../std/json.ts';
import { ownJson, ownText } from '../std/own.ts';
import { hashOf, sightings } from '../std/sightings.ts';
import { column, type Item, type ItemMemory, type Json, mostNodes, type Reader } from './yaml-cursor.ts';

export function itemMemory(): ItemMemory {
  return { items: new Map(), size: 0, left: mostLeft, seenBefore: sightings(mostSeen) };
}

const longestItem = 1000;
const mostItems = 2000;
/** Of one first line: what differs in later lines only. */
const mostAlike = 8;
const mostSeen = 1024;
/** For how many items there may be no room before everything is forgotten, so that what is no longer rendered goes. */
const mostLeft = 50_000;

/** Moves the reader behind an item that is known; undefined, and nothing moves, for any other. */
export function recall({ items }: ItemMemory, reader: Reader, indent: number): Item | undefined {
  const { text, at } = reader;
  const known = items.get(firstLine(text, at));
  if (known === undefined) return undefined;
  for (const item of known) {
    if (item.indent !== indent || item.depth !== reader.depth || !text.startsWith(item.text, at)) continue;
    const end = at + item.text.length;
    if (!isContent(text.charCodeAt(end)) || reader.nodes + item.nodes > mostNodes) continue;
    reader.at = end;
    reader.lineStart = at + item.lineStart;
    reader.nodes += item.nodes;
    return item;
  }
  return undefined;
}

interface Read {
  readonly value: Json;
  /** Where the item began, behind its dash. */
  readonly at: number;
  readonly indent: number;
  readonly nodes: number;
}

/** Remembers an item that was just read; the reader stands on what follows it. */
export function remember(memory: ItemMemory, reader: Reader, { value, at, indent, nodes }: Read): void {
  const { text, depth } = reader;
  if (reader.at - at > longestItem || column(reader) > indent || reader.lineStart <= at) return;
  if (!isContent(text.charCodeAt(reader.at))) return;
  if (!memory.seenBefore(hashOf(text, at, reader.at))) return;
  const line = firstLine(text, at);
  const alike = memory.items.get(line) ?? [];
  if (memory.size >= mostItems || alike.length >= mostAlike) return leaveOut(memory);
  const own = ownText(text.slice(at, reader.at));
  if (/[&*]/.test(own)) return;
  alike.push({ text: own, indent, depth, nodes, value: ownJson(value as JsonValue), lineStart: reader.lineStart - at });
  memory.items.set(ownText(line), alike);
  memory.size++;
}

function leaveOut(memory: ItemMemory): void {
  if (--memory.left > 0) return;
  memory.items.clear();
  memory.size = 0;
  memory.left = mostLeft;
}

function firstLine(text: string, at: number): string {
  const end = text.indexOf('\n', at);
  return text.slice(at, end < 0 ? text.length : end);
}

/** What neither moves on to more (white space, a comment) nor is the end of the text. */
function isContent(code: number): boolean {
  return !Number.isNaN(code) && code > 32 && code !== 35;
}
