// What the aliases of a document may cost those who read it: other parsers look for an anchor again at every alias, and copy what a
// merge names. Counts, and expands nothing; the caller refuses to edit what is out of all proportion.
import { follow, isMergeKey, items, pairs } from './node.ts';
import { isMap, isSeq, kindOf, kinds, type Tape } from './tape.ts';

/** Steps that no honest manifest comes near: ten thousand aliases, or merges that copy a hundred million members. */
export const dearestAliases = 1e8;

/** Steps that a reader takes who looks through all anchors at each alias and copies all members at each merge. */
export function aliasCost(tape: Tape): number {
  let aliases = 0;
  let copies = 0;
  const known = new Map<number, number>();
  for (let node = 0; node < tape.count; node++) {
    if (kindOf(tape, node) === kinds.alias) aliases++;
    else if (isMap(tape, node)) copies = Math.max(copies, membersOf(tape, node, known));
  }
  return aliases * aliases + copies;
}

/** Members of a mapping with all that it merges. Targets stand before their aliases, so that they are mostly known. */
function membersOf(tape: Tape, map: number, known: Map<number, number>): number {
  const found = known.get(map);
  if (found !== undefined) return found;
  known.set(map, 0);
  let members = 0;
  for (const [key, value] of pairs(tape, map)) {
    members++;
    if (!isMergeKey(tape, key)) continue;
    const target = follow(tape, value);
    for (const source of target !== -1 && isSeq(tape, target) ? items(tape, target) : [target]) {
      const merged = source === -1 ? source : follow(tape, source);
      if (merged !== -1 && isMap(tape, merged)) members += membersOf(tape, merged, known);
    }
  }
  known.set(map, members);
  return members;
}
