// Keys that stand twice where they say who an object is. YAML forbids that and kubectl takes the last one, other readers the first: which
// namespace was meant, and so which revision, would be a guess.
import type { Problem } from '../std/errors.ts';
import { none, ownKey, ownMember } from './node.ts';
import { placeOf } from './outline.ts';
import { scalarText } from './scalar.ts';
import type { OutlinedDocument } from './stream.ts';
import { isMap, nextOf, startOf, type Tape } from './tape.ts';

const ofObject = ['apiVersion', 'kind', 'metadata'];
const ofMetadata = ['namespace', 'name'];

/** The problem of an object that says twice who it is, with the place of the second time; undefined where it says it once. */
export function repeatedIdentity({ tape, number }: OutlinedDocument, root: number): Problem | undefined {
  const metadata = ownMember(tape, root, 'metadata');
  const second = secondOf(tape, root, ofObject);
  const found =
    second === none && metadata !== none && isMap(tape, metadata) ? secondOf(tape, metadata, ofMetadata) : second;
  if (found === none) return undefined;
  return {
    code: 'edit-refused',
    severity: 'error',
    message: `the key ${JSON.stringify(scalarText(tape, found))} is there twice`,
    hint: 'keep one of them: kubectl takes the last, other readers the first',
    document: number,
    ...placeOf(tape.source.text, startOf(tape, found)),
  };
}

function secondOf(tape: Tape, map: number, keys: readonly string[]): number {
  for (const key of keys) {
    const first = ownKey(tape, map, map + 1, key);
    const second = first === none ? none : ownKey(tape, map, nextOf(tape, nextOf(tape, first)), key);
    if (second !== none) return second;
  }
  return none;
}
