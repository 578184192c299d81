// Where a YAML reader stands, and how it moves over spaces, comments and line ends.

import type { Sightings } from '../std/sightings.ts';

/** JSON data. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** The text is not YAML that is read here. */
export class YamlError extends Error {
  /** 1-based. */
  readonly line: number;
  constructor(message: string, line: number) {
    super(`line ${line}: ${message}`);
    this.name = 'YamlError';
    this.line = line;
  }
}

/** An item of a block sequence that was read before. */
export interface Item {
  /** From behind the dash to the next content. */
  readonly text: string;
  readonly indent: number;
  readonly depth: number;
  readonly nodes: number;
  readonly value: Json;
  /** Where the last line of the text begins in it. */
  readonly lineStart: number;
}

export interface ItemMemory {
  /** By the first line of the text. */
  readonly items: Map<string, Item[]>;
  size: number;
  /** How many more may find no room. */
  left: number;
  readonly seenBefore: Sightings;
}

export interface Reader {
  readonly text: string;
  /** Items of lists that were read before, of this text or of others; without it nothing is remembered. */
  readonly memory: ItemMemory | undefined;
  /** Anchored values and how many nodes each has. */
  readonly anchors: Map<string, { readonly value: Json; readonly size: number }>;
  at: number;
  lineStart: number;
  depth: number;
  nodes: number;
}

export const deepest = 200;

export const mostNodes = 500_000;

export const [newline, space, tab, hash, dash, colon, comma] = [10, 32, 9, 35, 45, 58, 44];

export function fail(reader: Reader, message: string): never {
  let line = 1;
  for (let i = reader.text.indexOf('\n'); i >= 0 && i < reader.at; i = reader.text.indexOf('\n', i + 1)) line++;
  throw new YamlError(message, line);
}

export function column(reader: Reader): number {
  return reader.at - reader.lineStart;
}

export function isMarker({ text, at, lineStart }: Reader, marker: string): boolean {
  return at === lineStart && text.startsWith(marker, at) && isBlank(text.charCodeAt(at + 3));
}

/** A space, a line end or the end of the text. */
export function isBlank(code: number): boolean {
  return code === space || code === newline || code === tab || code === 13 || Number.isNaN(code);
}

/** Moves to the next character that is no space, comment or line end; false at the end of the text. */
export function toContent(reader: Reader): boolean {
  const { text } = reader;
  for (;;) {
    const code = text.charCodeAt(reader.at);
    if (code === space || code === 13) reader.at++;
    else if (code === newline) reader.lineStart = ++reader.at;
    else if (code === hash && isCommentPlace(reader)) toLineEnd(reader);
    else if (code === tab) skipTab(reader);
    else return !Number.isNaN(code);
  }
}

function isCommentPlace({ text, at, lineStart }: Reader): boolean {
  return at === lineStart || isBlank(text.charCodeAt(at - 1));
}

function skipTab(reader: Reader): void {
  const rest = /^[ \t]*(?=$|\n|\r|#)/.exec(reader.text.slice(reader.at, reader.at + 200));
  if (rest === null && reader.text.slice(reader.lineStart, reader.at).trim() === '') {
    fail(reader, 'found character that cannot start any token');
  }
  reader.at++;
}

export function toLineEnd(reader: Reader): void {
  const end = reader.text.indexOf('\n', reader.at);
  reader.at = end < 0 ? reader.text.length : end;
}

export function skipSpaces(reader: Reader): void {
  const { text } = reader;
  for (let code = text.charCodeAt(reader.at); code === space || code === tab; code = text.charCodeAt(reader.at))
    reader.at++;
}

/** True if nothing but a comment is left of the line. */
export function atLineEnd(reader: Reader): boolean {
  skipSpaces(reader);
  const code = reader.text.charCodeAt(reader.at);
  return Number.isNaN(code) || code === newline || code === 13 || (code === hash && isCommentPlace(reader));
}

export function put(target: Record<string, Json>, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}
