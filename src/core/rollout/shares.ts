// The shares of one bucket: revision → percent, which add up to exactly 100. A revision key keeps the text that stands in the
// file. Reports every problem of the bucket.
import type { Fleet } from '../fleet/index.ts';
import {
  describe,
  isNull,
  type MapEntry,
  type MapNode,
  type Named,
  problemAt,
  type ScalarNode,
  type SpecNode,
  type Trouble,
} from '../spec-file/index.ts';
import type { Problem } from '../std/errors.ts';
import type { Quota } from './hand-over.ts';
import { revisionTrouble } from './naming.ts';
import { parsePercent, percentText } from './percent.ts';
import { slotCount } from './slot.ts';

/** How a bucket is written; the hint of many problems. */
export const usualForm = 'write pattern: {revision: percent}, for example `".*-staging": {1-24-5: 75, 1-25-2: 25}`';

interface SharesRead {
  /** Absent where a problem is an error. */
  readonly shares: Quota | undefined;
  readonly problems: readonly Problem[];
}

interface Context extends Named {
  readonly fleet?: Fleet | undefined;
}

/** The shares below a bucket's key. */
export function readShares(key: ScalarNode, value: SpecNode, context: Context): SharesRead {
  const trouble = typeTrouble(key, value);
  if (value.kind !== 'map' || trouble !== undefined)
    return { shares: undefined, problems: trouble === undefined ? [] : [problemAt(value, trouble, context)] };
  const problems = value.entries.flatMap((entry) => entryProblems(entry, context));
  const sum = sumProblem(key, value, context);
  if (sum !== undefined) problems.push(sum);
  return { shares: problems.length === 0 ? sharesOf(value) : undefined, problems };
}

function typeTrouble(key: ScalarNode, value: SpecNode): Trouble | undefined {
  const name = `bucket ${JSON.stringify(key.text)}`;
  if (value.kind === 'map' && value.entries.length > 0) return undefined;
  const empty = value.kind === 'map' || isNull(value);
  const message = empty ? `${name} is empty` : `${name}: expected a map of revisions, found ${describe(value)}`;
  return { code: 'rollouts-type', message, hint: usualForm };
}

function entryProblems({ key, value }: MapEntry, context: Context): Problem[] {
  const revision = revisionTrouble(key.text, context.fleet);
  const percent = percentOf(value);
  const found = revision === undefined ? [] : [problemAt(key, revision, context)];
  if (typeof percent === 'number') return found;
  const glued = isNull(value) ? /^(.+):(\S+)$/.exec(key.text) : null;
  if (glued !== null) return [problemAt(key, gluedTrouble(key.text, glued), context)];
  const message = `${JSON.stringify(key.text)}: ${percent.message}`;
  return [...found, problemAt(value, { code: 'share-invalid', message, hint: percent.hint }, context)];
}

function gluedTrouble(text: string, [, revision, percent]: RegExpExecArray): Trouble {
  const message = `no blank after the colon: the key is ${JSON.stringify(text)}, and it has no value`;
  return { code: 'share-invalid', message, hint: `write \`${revision}: ${percent}\`` };
}

function percentOf(value: SpecNode): ReturnType<typeof parsePercent> {
  if (value.kind === 'scalar') return parsePercent(value);
  return { message: `expected a percent, found ${describe(value)}`, hint: 'write a number from 0 to 100' };
}

/** Only where every share is a number and no key stands twice: else the sum means nothing. */
function sumProblem(key: ScalarNode, map: MapNode, context: Context): Problem | undefined {
  const shares = sharesOf(map);
  const sum = [...shares.values()].reduce((total, share) => total + share, 0);
  if (shares.size !== map.entries.length || sum === slotCount) return undefined;
  const off = percentText(Math.abs(slotCount - sum));
  const message = `the shares of ${JSON.stringify(key.text)} sum to ${percentText(sum)}, not to 100`;
  const hint = sum < slotCount ? `${off} is missing` : `${off} is too much`;
  return problemAt(key, { code: 'share-sum', message, hint }, context);
}

function sharesOf({ entries }: MapNode): Quota {
  const read = entries.map(({ key, value }) => [key.text, percentOf(value)] as const);
  return new Map(read.filter((entry): entry is readonly [string, number] => typeof entry[1] === 'number'));
}
