import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type Prng, prng } from '../std/prng.ts';
import { outlineAgain } from './again.ts';
import { byteText } from './bytes.ts';
import { outlineFast } from './fast.ts';
import { kindOf, newTape, resetTape, type Stretch, sameNodes, sameTape, startOf, type Tape } from './tape.ts';

const scalars = [
  'x',
  '"f g"',
  "'v'",
  '[1, {d: 2}]',
  '{}',
  '|\n@line\n@  deeper',
  '>-\n@more words',
  'one\n@two',
  '',
] as const;
const odd = ['- x', 'a:', 'b: x', '# talk', 'g: &h i', 'q: "open', 'shut"', 'words', ''] as const;
const line = fc.tuple(fc.nat(8), fc.constantFrom(...odd));
const written = ([indent, text]: readonly [number, string]): string => ' '.repeat(indent) + text;

/** A block mapping or sequence, sometimes with a comment or an empty line between its entries. */
function block(random: Prng, indent: number, depth: number): string {
  const lead = ' '.repeat(indent);
  const map = depth === 0 || random.next() < 0.7;
  return Array.from({ length: 1 + Math.floor(random.next() * 4) }, (_, i) => {
    const between = random.next() < 0.15 ? `${pick(random, ['', '# talk', '   # talk'])}\n` : '';
    const inner = depth < 4 && random.next() < 0.5;
    const deep = indent + (map && random.next() < 0.2 ? 4 : 2);
    const scalar = ` ${pick(random, scalars).replaceAll('@', ' '.repeat(deep))}\n`;
    if (map) return `${between}${lead}k${i}:${inner ? `\n${block(random, deep, depth + 1)}` : scalar}`;
    return `${between}${lead}-${inner ? ` ${block(random, indent + 2, depth + 1).trimStart()}` : scalar}`;
  }).join('');
}

function pick(random: Prng, texts: readonly string[]): string {
  return texts[Math.floor(random.next() * texts.length)] ?? '';
}

const inserted = fc.oneof(
  line.map((one) => `\n${written(one)}`),
  fc.constantFrom(', z: 1', ' z', ':', '\n', ' ', '#', ' #', '"', '- ', '|', '\n  a:\n    b: 1'),
);

test('the outline around edits is the outline of the whole', () => {
  let told = 0;
  const places = fc.array(fc.tuple(fc.nat(400), fc.nat(3), inserted, fc.boolean()), { minLength: 1, maxLength: 2 });
  fc.assert(
    fc.property(fc.integer(), places, (seed, where) => {
      const lead = 'kind: A\n---\n';
      const text = lead + block(prng(String(seed)), 0, 0);
      const source = byteText(`${text}---\nkind: B\n`);
      const [start, end] = [lead.length, text.length];
      const before = newTape();
      resetTape(before, source);
      if (!outlineFast(before, start, end)) return;
      const edits = editsOf(text.slice(start), where).map((edit) => ({ ...edit, at: edit.at + start }));
      let from = start;
      let after = '';
      for (const { at, remove, insert } of edits) {
        after += text.slice(from, at) + insert;
        from = at + remove;
      }
      const changed = { ...byteText(after + text.slice(from, end)), length: after.length + end - from };
      const [quick, whole] = [newTape(), newTape()];
      const copied = outlineAgain(quick, changed, { tape: before, start, end }, edits);
      if (copied === undefined) return;
      told++;
      resetTape(whole, changed);
      assert.ok(outlineFast(whole, 0, changed.text.length), JSON.stringify([text, edits]));
      assert.ok(sameTape(quick, whole), JSON.stringify([text, edits]));
      const shift = changed.length - end;
      const head = { from: 0, to: copied.until, shift: -start };
      const tail = { from: copied.from, to: before.count, shift };
      assert.ok(sameStarts(before, head, whole, 0), JSON.stringify([text, edits]));
      assert.ok(sameNodes(before, tail, whole, copied.from + copied.lead), JSON.stringify([text, edits]));
    }),
    { numRuns: 3000 },
  );
  assert.ok(told > 150, `${told}`);
});

/** Whether nodes begin as they did: those around the edits end elsewhere. */
function sameStarts(a: Tape, { from, to, shift }: Stretch, b: Tape, at: number): boolean {
  const nodes = Array.from({ length: to - from }, (_, i) => from + i);
  return nodes.every(
    (node) =>
      kindOf(a, node) === kindOf(b, node - from + at) && startOf(a, node) + shift === startOf(b, node - from + at),
  );
}

type Place = readonly [offset: number, remove: number, insert: string, atLineEnd: boolean];

/** Edits in order and without overlap, half of them at the end of a line. */
function editsOf(text: string, places: readonly Place[]) {
  const edits = places.map(([offset, remove, insert, atLineEnd]) => {
    const near = offset % text.length;
    const at = atLineEnd ? text.indexOf('\n', near) : near;
    return { at, remove: atLineEnd ? 0 : Math.min(remove, text.length - at), insert };
  });
  edits.sort((a, b) => a.at - b.at);
  const [one, two] = edits;
  return one !== undefined && two !== undefined && one.at + one.remove > two.at ? [one] : edits;
}
