// The splicer: turns a change of an object into edits by position, in the style of the lines around (block or flow, indent,
// quotes, line ends). Refuses what an edit cannot do without touching something else: shared anchors, inherited parents,
// duplicate keys. Whether an edit did what it should is proved afterwards (prove.ts), never assumed.
import { type Bytes, columnAt, lineStart } from './bytes.ts';
import { type Change, type ChangeWithin, plainOf } from './change.ts';
import {
  type FlowStyle,
  flowMap,
  flowMember,
  flowStyle,
  isJson,
  jsonStyle,
  plainFlow,
  quoteOf,
  styleBelow,
} from './flow-style.ts';
import { follow, hasMerge, isAliased, itemAt, items, member, none, ownKey, pairs } from './node.ts';
import { isNull, type Plain, type Quote, writeScalar } from './scalar.ts';
import { endOf, isMap, isSeq, kindOf, kinds, nextOf, sliceOf, startOf, type Tape } from './tape.ts';

/** At `at`, `remove` bytes go and `insert` comes. */
export interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: Bytes;
}

/** Why a change cannot be made, and where. */
export interface Refusal {
  readonly message: string;
  readonly hint?: string;
  readonly offset: number;
}

interface Editor {
  readonly tape: Tape;
  /** The style of a document that is JSON. */
  readonly json: FlowStyle | undefined;
  readonly edits: Edit[];
  readonly refusals: Refusal[];
}

/** A collection and where it stands: the key node that it is the value of (or none) and how far its parent is indented. */
interface Place {
  readonly node: number;
  readonly key: number;
  readonly step: number;
}

type Added = readonly (readonly [key: string, change: Change])[];

/** The edits that make `change` of the object at node `root`, in the order of the text. */
export function editObject(
  tape: Tape,
  root: number,
  change: ChangeWithin,
): { readonly edits: readonly Edit[]; readonly refusals: readonly Refusal[] } {
  const editor: Editor = { tape, json: isJson(tape) ? jsonStyle(tape) : undefined, edits: [], refusals: [] };
  editWithin(editor, { node: root, key: none, step: 2 }, change);
  editor.edits.sort((a, b) => a.at - b.at);
  return editor;
}

function editWithin(editor: Editor, place: Place, change: ChangeWithin): void {
  const { tape } = editor;
  const { node } = place;
  const kind = kindOf(tape, node);
  if (kind !== kinds.alias && isAliased(tape, node)) {
    refuse(editor, node, 'an alias elsewhere in the document shares this part', 'write it out where the alias stands');
  } else if (isMap(tape, node)) editMap(editor, place, change);
  else if (isSeq(tape, node)) editSeq(editor, node, change);
  else if (kind === kinds.alias) overlayAlias(editor, node, change);
  else if (isNull(tape, node)) fillNull(editor, place, change);
  else refuse(editor, node, 'a mapping is needed here, not a scalar');
}

function editMap(editor: Editor, place: Place, change: ChangeWithin): void {
  const added: (readonly [string, Change])[] = [];
  for (const [key, inner] of change.members) {
    if (!editMember(editor, place, key, inner)) added.push([key, inner]);
  }
  if (added.length === 0) return;
  if (kindOf(editor.tape, place.node) === kinds.flowMap) insertIntoFlow(editor, place, added);
  else insertIntoBlock(editor, place, added);
}

/** Changes a member that is there; false if it must be added. */
function editMember(editor: Editor, place: Place, key: string, change: Change): boolean {
  const { tape } = editor;
  const keyNode = ownKey(tape, place.node, place.node + 1, key);
  if (keyNode === none) {
    if (change.kind === 'remove') return true;
    if (change.kind !== 'within' || !hasMerge(tape, place.node) || member(tape, place.node, key) === none) return false;
    refuse(editor, place.node, `"${key}" is inherited by a merge key`, 'write it out here');
    return true;
  }
  const value = nextOf(tape, keyNode);
  if (ownKey(tape, place.node, nextOf(tape, value), key) !== none)
    refuse(editor, keyNode, `the key "${key}" is there twice`);
  else if (change.kind === 'set') replaceValue(editor, value, change.value);
  else if (change.kind === 'remove') removeMember(editor, place.node, keyNode);
  else if (change.kind === 'append') appendItems(editor, value, change.items);
  else editWithin(editor, { node: value, key: keyNode, step: stepOf(tape, keyNode, value) }, change);
  return true;
}

function editSeq(editor: Editor, seq: number, change: ChangeWithin): void {
  for (const [segment, inner] of change.members) {
    const item = itemAt(editor.tape, seq, segment);
    if (item === none && !/^\d+$/.test(segment)) refuse(editor, seq, 'a mapping is needed here, not a list');
    else if (item === none) refuse(editor, seq, `the list has no item ${segment}; items can be changed, not added`);
    else if (inner.kind === 'set') replaceValue(editor, item, inner.value);
    else if (inner.kind === 'remove') refuse(editor, item, 'items of a list are not removed');
    else if (inner.kind === 'append') appendItems(editor, item, inner.items);
    else editWithin(editor, { node: item, key: none, step: 2 }, inner);
  }
}

function appendItems(editor: Editor, node: number, added: readonly Plain[]): void {
  const { tape } = editor;
  const last = [...items(tape, node)].at(-1);
  const quote = editor.json?.quote ?? 'plain';
  const texts = added.map((item) => writeScalar(item, quote));
  if (isNull(tape, node)) replaceValue(editor, node, added);
  else if (!isSeq(tape, node)) refuse(editor, node, 'a list is needed here');
  else if (isAliased(tape, node)) refuse(editor, node, 'an alias elsewhere in the document shares this list');
  else if (last === undefined) editor.edits.push({ at: startOf(tape, node) + 1, remove: 0, insert: texts.join(', ') });
  else if (kindOf(tape, node) === kinds.flowSeq) {
    editor.edits.push({ at: endOf(tape, last), remove: 0, insert: texts.map((text) => `, ${text}`).join('') });
  } else {
    const at = endOfLine(tape.bytes, endOf(tape, last));
    const lead = `${newlineAt(tape.bytes, at)}${' '.repeat(columnAt(tape.bytes, startOf(tape, node)))}- `;
    editor.edits.push({ at, remove: 0, insert: texts.map((text) => lead + text).join('') });
  }
}

function replaceValue(editor: Editor, node: number, value: Plain): void {
  const { tape } = editor;
  if (kindOf(tape, node) !== kinds.alias && isAliased(tape, node)) {
    refuse(editor, node, 'an alias elsewhere in the document shares this value', 'write it out where the alias stands');
    return;
  }
  const kind = kindOf(tape, node);
  const quote =
    editor.json !== undefined || kind === kinds.double ? 'double' : kind === kinds.single ? 'single' : 'plain';
  const start = startOf(tape, node);
  const text = writeScalar(value, quote);
  editor.edits.push({ at: start, remove: endOf(tape, node) - start, insert: kind === kinds.empty ? ` ${text}` : text });
}

/** `labels: *base` becomes `labels: {<<: *base, key: value}`: what kubectl reads as the same members and one more. */
function overlayAlias(editor: Editor, node: number, change: ChangeWithin): void {
  const { tape } = editor;
  const target = follow(tape, node);
  const members = [...change.members];
  if (target === none || !isMap(tape, target) || members.some(([, inner]) => inner.kind !== 'set')) {
    refuse(editor, node, 'the change would have to go into what an alias names', 'write it out here');
    return;
  }
  const rest = members.map((entry) => `, ${flowMember(entry, plainFlow('plain'))}`).join('');
  editor.edits.push({ at: startOf(tape, node), remove: 0, insert: '{<<: ' });
  editor.edits.push({ at: endOf(tape, node), remove: 0, insert: `${rest}}` });
}

/** A null counts as an empty mapping: `labels:` gets lines below it, `labels: null` becomes a flow mapping. */
function fillNull(editor: Editor, place: Place, change: ChangeWithin): void {
  const { tape } = editor;
  const added = [...change.members].filter(([, inner]) => inner.kind !== 'remove');
  const start = startOf(tape, place.node);
  const lineEnd = endOfLine(tape.bytes, start);
  const alone = place.key !== none && /^[ \t]*(?:#.*)?$/.test(sliceOf(tape, start, lineEnd).replace(/^[&!]\S*/, ''));
  if (kindOf(tape, place.node) === kinds.empty && alone && editor.json === undefined) {
    const indent = columnAt(tape.bytes, startOf(tape, place.key)) + place.step;
    const text = blockLines(added, {
      indent,
      step: place.step,
      newline: newlineAt(tape.bytes, lineEnd),
      quote: 'plain',
    });
    editor.edits.push({ at: lineEnd, remove: 0, insert: text });
    return;
  }
  const text = flowMap(added, styleOfValue(editor, place.key));
  const end = endOf(tape, place.node);
  editor.edits.push({ at: start, remove: end - start, insert: start === end ? ` ${text}` : text });
}

function styleOfValue({ tape, json }: Editor, key: number): FlowStyle {
  if (json === undefined) return plainFlow('plain');
  return key === none ? json : styleBelow(tape, key, json);
}

function insertIntoFlow(editor: Editor, place: Place, added: Added): void {
  const { tape } = editor;
  const map = place.node;
  const entries = pairs(tape, map);
  const last = entries.at(-1);
  const open = startOf(tape, map) + 1;
  if (last === undefined) {
    fillFlow(editor, place, added);
    return;
  }
  const style = flowStyle(tape, map, editor.json);
  const body = added.map((entry) => flowMember(entry, style));
  if (kindOf(tape, last[1]) === kinds.empty) {
    const blanks = /^\s*/.exec(sliceOf(tape, open, endOf(tape, map)))?.[0] ?? '';
    editor.edits.push({ at: open + blanks.length, remove: 0, insert: `${body.join(style.comma)}${style.comma}` });
  } else {
    const insert = body.map((member_) => style.comma + member_).join('');
    editor.edits.push({ at: endOf(tape, last[1]), remove: 0, insert });
  }
}

/** `{}` gets its first members: in indented JSON each on a line of its own. */
function fillFlow(editor: Editor, { node, key }: Place, added: Added): void {
  const { tape, json } = editor;
  const open = startOf(tape, node) + 1;
  const bare = open + 1 === endOf(tape, node);
  const style = json !== undefined && bare && key !== none ? styleBelow(tape, key, json) : flowStyle(tape, node, json);
  const inline = bare ? style : { ...style, step: undefined };
  editor.edits.push({ at: open, remove: 0, insert: flowMap(added, inline).slice(1, -1) });
}

function insertIntoBlock(editor: Editor, place: Place, added: Added): void {
  const { tape } = editor;
  const entries = pairs(tape, place.node);
  const first = startOf(tape, place.node);
  const style = {
    indent: columnAt(tape.bytes, first),
    step: place.step,
    quote: quoteOf(tape, entries, 1),
  };
  const at = insertionLine(
    tape,
    place,
    entries,
    added.some(([, change]) => change.kind === 'within'),
  );
  if (at !== none) {
    editor.edits.push({ at, remove: 0, insert: blockLines(added, { ...style, newline: newlineAt(tape.bytes, at) }) });
    return;
  }
  const newline = newlineAt(tape.bytes, endOfLine(tape.bytes, first));
  const lines = blockLines(added, { ...style, newline }).slice(newline.length + style.indent);
  editor.edits.push({ at: first, remove: 0, insert: `${lines}${newline}${' '.repeat(style.indent)}` });
}

/**
 * The end of the line after which new members go. A subtree goes first, right below its parent's key, so that comments stay above
 * what they speak of; a scalar goes below the last entry that takes one line.
 */
function insertionLine(
  tape: Tape,
  place: Place,
  entries: readonly (readonly [number, number])[],
  subtree: boolean,
): number {
  const first = startOf(tape, place.node);
  if (subtree && place.key !== none) {
    const lineEnd = endOfLine(tape.bytes, endOf(tape, place.key));
    if (lineEnd < first) return lineEnd;
  }
  for (let i = entries.length - 1; i >= 0; i--) {
    const [key, value] = entries[i]!;
    const kind = kindOf(tape, value);
    const end = Math.max(endOf(tape, value), endOf(tape, key));
    const block = kind === kinds.blockMap || kind === kinds.blockSeq || kind === kinds.literal || kind === kinds.folded;
    if (!block && lineStart(tape.bytes, startOf(tape, key)) === lineStart(tape.bytes, end))
      return endOfLine(tape.bytes, end);
  }
  return none;
}

interface BlockStyle {
  readonly indent: number;
  readonly step: number;
  readonly newline: Bytes;
  readonly quote: Quote;
}

/** The members as lines, each with its line end in front. */
function blockLines(members: Added, style: BlockStyle): Bytes {
  let lines = '';
  for (const [key, change] of members) {
    lines += `${style.newline}${' '.repeat(style.indent)}${writeScalar(key, 'plain')}:`;
    if (change.kind === 'set' || change.kind === 'append') lines += ` ${writeScalar(plainOf(change), style.quote)}`;
    else if (change.kind === 'within') {
      lines += blockLines([...change.members], { ...style, indent: style.indent + style.step, quote: 'plain' });
    }
  }
  return lines;
}

function removeMember(editor: Editor, map: number, key: number): void {
  const { tape } = editor;
  const entries = pairs(tape, map);
  const index = entries.findIndex(([found]) => found === key);
  const [next, before] = [entries[index + 1], entries[index - 1]];
  const end = endOf(tape, nextOf(tape, key));
  const block = kindOf(tape, map) === kinds.blockMap;
  if (next !== undefined) cut(editor, startOf(tape, key), startOf(tape, next[0]));
  else if (before === undefined)
    editor.edits.push({ at: startOf(tape, map), remove: endOf(tape, map) - startOf(tape, map), insert: '{}' });
  else if (block) cut(editor, endOfLine(tape.bytes, endOf(tape, before[1])), endOfLine(tape.bytes, end));
  else cut(editor, endOf(tape, before[1]), end);
}

function cut(editor: Editor, from: number, to: number): void {
  editor.edits.push({ at: from, remove: to - from, insert: '' });
}

function refuse(editor: Editor, node: number, message: string, hint?: string): void {
  const offset = startOf(editor.tape, node);
  editor.refusals.push(hint === undefined ? { message, offset } : { message, hint, offset });
}

/** How much deeper a block mapping is indented than its key. */
function stepOf(tape: Tape, key: number, value: number): number {
  if (kindOf(tape, value) !== kinds.blockMap) return 2;
  const step = columnAt(tape.bytes, startOf(tape, value)) - columnAt(tape.bytes, startOf(tape, key));
  return step > 0 ? step : 2;
}

/** The end of the line that holds an offset, before its line end characters. */
function endOfLine(bytes: Uint8Array, offset: number): number {
  let end = offset;
  while (end < bytes.length && bytes[end] !== 10) end++;
  return end < bytes.length && end > offset && bytes[end - 1] === 13 ? end - 1 : end;
}

/** The line end in use at an offset that is the end of a line. */
function newlineAt(bytes: Uint8Array, offset: number): Bytes {
  const code = offset < bytes.length ? bytes[offset] : bytes[bytes.lastIndexOf(10) - 1];
  return code === 13 ? '\r\n' : '\n';
}
