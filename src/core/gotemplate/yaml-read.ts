// Reads one YAML document into JSON data, as sigs.k8s.io/yaml does for Kubernetes' tools: YAML 1.1 scalars, keys as strings, the
// last of two equal keys wins. Fast for what templates render. Anchors, aliases and merge keys are read, bounded in size; tags,
// directives and `?` keys are refused. Without a position-keeping tree: src/core/manifest is for files that people edit.

import {
  atLineEnd,
  colon,
  column,
  comma,
  dash,
  deepest,
  fail,
  hash,
  type ItemMemory,
  isBlank,
  isMarker,
  type Json,
  mostNodes,
  newline,
  put,
  type Reader,
  skipSpaces,
  space,
  toContent,
  toLineEnd,
} from './yaml-cursor.ts';
import { recall, remember } from './yaml-memory.ts';
import { resolvePlain } from './yaml-scalar.ts';
import { blockScalar, quoted } from './yaml-text.ts';

/**
 * The first document of a text; null for an empty one. Throws YamlError.
 * @param memory makes texts that differ little quick to read; parts of the results are then one value, which nobody may change
 */
export function readYaml(text: string, memory?: ItemMemory): Json {
  const reader: Reader = { text, memory, anchors: new Map(), at: 0, lineStart: 0, depth: 0, nodes: 0 };
  if (text.charCodeAt(0) === 0xfeff) reader.at = reader.lineStart = 1;
  if (!toContent(reader)) return null;
  if (text.charCodeAt(reader.at) === 37) fail(reader, 'directives are not supported');
  if (isMarker(reader, '---')) {
    reader.at += 3;
    if (!toContent(reader)) return null;
    if (isMarker(reader, '---') || isMarker(reader, '...')) return null;
  }
  const value = node(reader, -1);
  if (toContent(reader) && !isMarker(reader, '---') && !isMarker(reader, '...')) {
    fail(reader, 'did not find expected end of the document');
  }
  return value;
}

/** A block node that stands deeper than its parent, at the reader's place. */
function node(reader: Reader, parent: number): Json {
  if (++reader.depth > deepest) fail(reader, `more than ${deepest} levels`);
  if (++reader.nodes > mostNodes) fail(reader, `more than ${mostNodes} values`);
  const value = nodeAt(reader, parent);
  reader.depth--;
  return value;
}

function nodeAt(reader: Reader, parent: number): Json {
  const { text, at } = reader;
  const code = text.charCodeAt(at);
  switch (code) {
    case dash:
      if (isBlank(text.charCodeAt(at + 1))) return sequence(reader, column(reader));
      break;
    case 38: // &
      return anchored(reader, parent);
    case 42: // *
      if (keyEnd(reader) < 0) return alias(reader);
      break;
    case 33: // !
      return fail(reader, 'tags are not supported');
    case 63: // ?
      if (isBlank(text.charCodeAt(at + 1))) return fail(reader, 'complex keys are not supported');
      break;
    case 124: // |
    case 62: // >
      return blockScalar(reader, parent);
    default:
      break;
  }
  if (keyEnd(reader) >= 0) return mapping(reader, column(reader));
  return inline(reader, parent);
}

/** A scalar or a flow collection. */
function inline(reader: Reader, parent: number): Json {
  const code = reader.text.charCodeAt(reader.at);
  if (code === 123 || code === 91 || code === 34 || code === 39) {
    const value = code === 123 || code === 91 ? flow(reader) : quoted(reader);
    if (!atLineEnd(reader)) fail(reader, 'did not find expected end of the value');
    return value;
  }
  return resolvePlain(plainBlock(reader, parent));
}

function anchored(reader: Reader, parent: number): Json {
  const name = word(reader);
  const before = reader.nodes;
  let value: Json = null;
  if (!atLineEnd(reader)) value = node(reader, parent);
  else if (toContent(reader) && column(reader) > parent) value = node(reader, parent);
  reader.anchors.set(name, { value, size: reader.nodes - before });
  return value;
}

function alias(reader: Reader): Json {
  const name = word(reader);
  const known = reader.anchors.get(name);
  if (known === undefined) return fail(reader, `unknown anchor '${name}' referenced`);
  reader.nodes += known.size;
  if (reader.nodes > mostNodes) fail(reader, `more than ${mostNodes} values`);
  return known.value;
}

function word(reader: Reader): string {
  const name =
    /^[^\s,[\]{}]+/.exec(reader.text.slice(reader.at + 1, reader.at + 300))?.[0] ??
    fail(reader, 'an anchor without a name');
  reader.at += 1 + name.length;
  return name;
}

function sequence(reader: Reader, indent: number): Json {
  const items: Json[] = [];
  const { text } = reader;
  for (;;) {
    reader.at++;
    items.push(reader.memory === undefined ? item(reader, indent) : remembered(reader, reader.memory, indent));
    if (!toContent(reader) || column(reader) < indent) return items;
    const dashed = text.charCodeAt(reader.at) === dash && isBlank(text.charCodeAt(reader.at + 1));
    if (column(reader) > indent || (dashed && isMarker(reader, '---')))
      return isMarker(reader, '---') ? items : fail(reader, "did not find expected '-' indicator");
    if (!dashed) return items;
  }
}

/** An item, from memory where its text was read before. */
function remembered(reader: Reader, memory: ItemMemory, indent: number): Json {
  const { at, nodes } = reader;
  const known = recall(memory, reader, indent);
  if (known !== undefined) return known.value;
  const value = item(reader, indent);
  if (toContent(reader)) remember(memory, reader, { value, at, indent, nodes: reader.nodes - nodes });
  return value;
}

/** What follows a dash: on its line, or deeper on the lines after it. */
function item(reader: Reader, indent: number): Json {
  if (!atLineEnd(reader)) return node(reader, indent);
  return toContent(reader) && column(reader) > indent ? node(reader, indent) : null;
}

function mapping(reader: Reader, indent: number): Json {
  const result: Record<string, Json> = {};
  for (;;) {
    const end = keyEnd(reader);
    if (end < 0) fail(reader, "could not find expected ':'");
    const plainMerge = reader.text.startsWith('<<:', reader.at);
    const key = readKey(reader, end);
    reader.at = end + 1;
    const value = mappingValue(reader, indent);
    if (plainMerge) merge(reader, result, value);
    else put(result, key, value);
    if (!toContent(reader) || column(reader) < indent || isMarker(reader, '---') || isMarker(reader, '...'))
      return result;
    if (column(reader) > indent) fail(reader, 'did not find expected key');
  }
}

function merge(reader: Reader, target: Record<string, Json>, value: Json): void {
  for (const source of Array.isArray(value) ? (value as readonly Json[]) : [value]) {
    if (typeof source !== 'object' || source === null || Array.isArray(source))
      fail(reader, 'map merge requires map or sequence of maps as the value');
    for (const [key, inner] of Object.entries(source)) if (!Object.hasOwn(target, key)) put(target, key, inner);
  }
}

/** A key as the string that JSON gives it. */
function readKey(reader: Reader, end: number): string {
  const { text, at } = reader;
  const code = text.charCodeAt(at);
  if (code === 34 || code === 39) return quoted(reader);
  if (code === 42) return keyText(reader, alias(reader));
  const raw = text.slice(at, end).trimEnd();
  return keyText(reader, resolvePlain(raw));
}

function keyText(reader: Reader, key: Json): string {
  if (key === null || typeof key === 'object') return fail(reader, 'a key must be a string, a number or a boolean');
  return String(key);
}

/** The place of the colon that ends the key at the reader's place; -1 if this line is no entry of a mapping. */
function keyEnd(reader: Reader): number {
  const { text, at } = reader;
  const first = text.charCodeAt(at);
  if (first === 123 || first === 91) return -1;
  if (first === 34 || first === 39) return quotedKeyEnd(text, at, first);
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === newline) return -1;
    if (code === colon && isBlank(text.charCodeAt(i + 1))) return i;
    if (code === hash && i > at && isBlank(text.charCodeAt(i - 1))) return -1;
  }
  return -1;
}

function quotedKeyEnd(text: string, at: number, quote: number): number {
  let i = at + 1;
  for (; i < text.length && text.charCodeAt(i) !== newline; i++) {
    const code = text.charCodeAt(i);
    if (code === 92 && quote === 34) i++;
    else if (code === quote && text.charCodeAt(i + 1) === quote && quote === 39) i++;
    else if (code === quote) break;
  }
  if (text.charCodeAt(i) !== quote) return -1;
  i++;
  while (text.charCodeAt(i) === space) i++;
  return text.charCodeAt(i) === colon && isBlank(text.charCodeAt(i + 1)) ? i : -1;
}

function mappingValue(reader: Reader, indent: number): Json {
  if (atLineEnd(reader)) {
    if (!toContent(reader) || isMarker(reader, '---')) return null;
    const { text, at } = reader;
    const dashed = text.charCodeAt(at) === dash && isBlank(text.charCodeAt(at + 1));
    return column(reader) > indent || (dashed && column(reader) === indent) ? node(reader, indent) : null;
  }
  if (++reader.nodes > mostNodes) fail(reader, `more than ${mostNodes} values`);
  switch (reader.text.charCodeAt(reader.at)) {
    case 124:
    case 62:
      return blockScalar(reader, indent);
    case 38:
      return anchored(reader, indent);
    case 42:
      return alias(reader);
    case 33:
      return fail(reader, 'tags are not supported');
    default:
      return inline(reader, indent);
  }
}

/** A plain scalar, its continuation lines folded. */
function plainBlock(reader: Reader, parent: number): string {
  const { text } = reader;
  const first = text.charCodeAt(reader.at);
  if (first === 64 || first === 96 || first === 37 || first === 44 || first === 93 || first === 125) {
    fail(reader, 'found character that cannot start any token');
  }
  if ((first === dash || first === 63) && isBlank(text.charCodeAt(reader.at + 1))) {
    fail(reader, 'block sequence entries are not allowed in this context');
  }
  let value = plainLine(reader);
  for (;;) {
    let breaks = 0;
    const mark = { at: reader.at, lineStart: reader.lineStart };
    while (text.charCodeAt(reader.at) === newline || text.charCodeAt(reader.at) === 13) {
      if (text.charCodeAt(reader.at) === newline) {
        breaks++;
        reader.lineStart = reader.at + 1;
      }
      reader.at++;
      skipSpaces(reader);
    }
    const code = text.charCodeAt(reader.at);
    const over =
      breaks === 0 ||
      Number.isNaN(code) ||
      code === hash ||
      column(reader) <= parent ||
      isMarker(reader, '---') ||
      isMarker(reader, '...');
    if (over) {
      Object.assign(reader, mark);
      return value;
    }
    if (keyEnd(reader) >= 0) fail(reader, 'mapping values are not allowed in this context');
    value += (breaks === 1 ? ' ' : '\n'.repeat(breaks - 1)) + plainLine(reader);
  }
}

function plainLine(reader: Reader): string {
  const { text, at } = reader;
  let i = at;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === newline) break;
    if (code === hash && i > at && isBlank(text.charCodeAt(i - 1))) break;
    if (code === colon && isBlank(text.charCodeAt(i + 1))) {
      reader.at = i;
      fail(reader, 'mapping values are not allowed in this context');
    }
  }
  let end = i;
  while (end > at && isBlank(text.charCodeAt(end - 1))) end--;
  reader.at = i;
  if (text.charCodeAt(i) === hash) toLineEnd(reader);
  return text.slice(at, end);
}

/** `{…}` or `[…]`; the reader stands on the bracket. */
function flow(reader: Reader): Json {
  if (++reader.depth > deepest) fail(reader, `more than ${deepest} levels`);
  const close = reader.text.charCodeAt(reader.at) === 123 ? 125 : 93;
  reader.at++;
  const value = close === 125 ? flowMapping(reader) : flowSequence(reader);
  reader.at++;
  reader.depth--;
  return value;
}

function flowContent(reader: Reader): number {
  if (!toContent(reader)) fail(reader, 'a flow collection is not closed');
  if (++reader.nodes > mostNodes) fail(reader, `more than ${mostNodes} values`);
  return reader.text.charCodeAt(reader.at);
}

function flowSequence(reader: Reader): Json {
  const items: Json[] = [];
  for (let code = flowContent(reader); code !== 93; code = flowContent(reader)) {
    const value = flowNode(reader);
    items.push(flowContent(reader) === colon ? flowPair(reader, keyText(reader, value)) : value);
    code = flowContent(reader);
    if (code === comma) reader.at++;
    else if (code !== 93) fail(reader, "did not find expected ',' or ']'");
  }
  return items;
}

function flowPair(reader: Reader, key: string): Json {
  reader.at++;
  const result: Record<string, Json> = {};
  put(result, key, flowNode(reader));
  return result;
}

function flowMapping(reader: Reader): Json {
  const result: Record<string, Json> = {};
  for (let code = flowContent(reader); code !== 125; code = flowContent(reader)) {
    const plainMerge = reader.text.startsWith('<<:', reader.at);
    const key = keyText(reader, flowNode(reader));
    let value: Json = null;
    if (flowContent(reader) === colon) {
      reader.at++;
      code = flowContent(reader);
      if (code !== comma && code !== 125) value = flowNode(reader);
    }
    if (plainMerge) merge(reader, result, value);
    else put(result, key, value);
    code = flowContent(reader);
    if (code === comma) reader.at++;
    else if (code !== 125) fail(reader, "did not find expected ',' or '}'");
  }
  return result;
}

function flowNode(reader: Reader): Json {
  switch (flowContent(reader)) {
    case 123:
    case 91:
      return flow(reader);
    case 34:
    case 39:
      return quoted(reader);
    case 42:
      return alias(reader);
    case 38:
    case 33:
    case comma:
      return fail(reader, 'did not find expected node content');
    default:
      return resolvePlain(plainFlow(reader));
  }
}

function plainFlow(reader: Reader): string {
  const { text } = reader;
  const parts: string[] = [];
  for (;;) {
    const start = reader.at;
    let i = start;
    for (; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === newline || code === comma || code === 91 || code === 93 || code === 123 || code === 125) break;
      if (code === colon && (isBlank(text.charCodeAt(i + 1)) || ',[]{}'.includes(text[i + 1] ?? ' '))) break;
      if (code === hash && i > start && isBlank(text.charCodeAt(i - 1))) break;
    }
    parts.push(text.slice(start, i).trim());
    reader.at = i;
    if (text.charCodeAt(i) !== newline) break;
    const code = flowContent(reader);
    if (code === comma || code === 93 || code === 125 || code === 91 || code === 123 || code === colon) break;
  }
  return parts.join(' ');
}
