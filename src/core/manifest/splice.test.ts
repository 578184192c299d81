import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byteText } from './bytes.ts';
import type { Edit } from './edit.ts';
import { applyEdits, editedText, newSplicer, splice } from './splice.ts';

const source = byteText('---\nab: cd\nef: gh\n---\n');
const part = { start: 4, end: 18 };
const edits: readonly Edit[] = [
  { at: 10, remove: 0, insert: '\nx: y' },
  { at: 15, remove: 2, insert: 'zzz' },
];
const wanted = 'ab: cd\nx: y\nef: zzz\n';

test('a document with its edits made: bytes, text, and every part of it', () => {
  const { bytes, length, text, slice, indexOf } = splice(source, edits, part, newSplicer(source));
  assert.equal(Buffer.from(bytes.subarray(0, length)).toString('latin1'), wanted);
  assert.equal(text, wanted);
  for (let first = 0; first <= wanted.length; first++)
    for (let last = first; last <= wanted.length; last++) assert.equal(slice(first, last), wanted.slice(first, last));
  assert.equal(indexOf('zz', 0), wanted.indexOf('zz'));
});

test('pieces and text of a whole stream say the same', () => {
  const pieces = applyEdits(source.bytes, edits);
  const text = Buffer.concat(pieces.map((piece) => Buffer.from(piece as string, 'latin1'))).toString('latin1');
  assert.equal(text, `---\n${wanted}---\n`);
  assert.equal(editedText(source, edits), text);
});
