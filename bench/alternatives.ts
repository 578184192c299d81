// Why slots with a lock: what other ways to split namespaces move without need, over random edits of three revisions' shares.
// `node bench/alternatives.ts` prints the table of docs/explanation/slots.md; a test of the documents holds the claim.
import { handOver, layOut, ownerOf, type Quota, type Run, slotCount, slots } from '../src/core/rollout/index.ts';
import { prng } from '../src/core/std/prng.ts';
import { sha256Prefix } from '../src/core/std/sha256.ts';
import { utf8 } from '../src/core/std/utf8.ts';
import { namespaces } from './fleet.ts';

const revisions = ['1-24-5', '1-25-2', '1-26-0'];

/** Who is on which revision before and after an edit. */
type Way = (before: Quota, after: Quota) => readonly [(name: string) => string, (name: string) => string];

const slotOf = slots('');
const byRuns =
  (runs: readonly Run[]) =>
  (name: string): string =>
    ownerOf(runs, slotOf(name)) ?? '';

const ways: readonly (readonly [name: string, way: Way])[] = [
  ['slots with a lock', (before, after) => [byRuns(layOut(before)), byRuns(handOver(layOut(before), after))]],
  ['cumulative ranges in version order', (before, after) => [byRuns(layOut(before)), byRuns(layOut(after))]],
  [
    'weighted rendezvous hashing',
    (before, after) => [(name) => rendezvous(name, before), (name) => rendezvous(name, after)],
  ],
];

/** The revision with the highest score, -share / ln(hash of revision and name). */
function rendezvous(name: string, quota: Quota): string {
  let best = '';
  let highest = Number.NEGATIVE_INFINITY;
  for (const [revision, share] of quota) {
    const score = share / -Math.log((hash(`${revision}\0${name}`) + 0.5) / 2 ** 32);
    if (share > 0 && score > highest) [best, highest] = [revision, score];
  }
  return best;
}

const hashes = new Map<string, number>();

function hash(text: string): number {
  const known = hashes.get(text) ?? sha256Prefix(utf8(text));
  hashes.set(text, known);
  return known;
}

export interface Result {
  readonly way: string;
  /** Of all namespaces, a mean over the edits: from a revision that does not lose, or to one that does not gain. */
  readonly needless: number;
  readonly worst: number;
  /** Needless, and to an older revision. */
  readonly back: number;
}

/** Random edits of three revisions' shares, in steps of five percent; the same every time. */
export function compare(names: readonly string[], edits: number): readonly Result[] {
  const draw = prng('alternatives');
  const pairs = Array.from({ length: edits }, () => [shares(draw.next()), shares(draw.next())] as const);
  return ways.map(([way, assign]) => {
    const found = pairs.map(([before, after]) => needlessMoves(names, before, after, assign(before, after)));
    const mean = (pick: (one: Needless) => number): number => found.reduce((sum, one) => sum + pick(one), 0) / edits;
    return {
      way,
      needless: mean(({ all }) => all),
      worst: Math.max(...found.map(({ all }) => all)),
      back: mean(({ back }) => back),
    };
  });
}

interface Needless {
  readonly all: number;
  readonly back: number;
}

function needlessMoves(names: readonly string[], before: Quota, after: Quota, [was, is]: ReturnType<Way>): Needless {
  const grows = (revision: string): number => Math.sign((after.get(revision) ?? 0) - (before.get(revision) ?? 0));
  const moved = names.map((name) => [was(name), is(name)] as const).filter(([from, to]) => from !== to);
  const needless = moved.filter(([from, to]) => grows(from) >= 0 || grows(to) <= 0);
  return {
    all: needless.length / names.length,
    back: needless.filter(([from, to]) => to < from).length / names.length,
  };
}

function shares(chance: number): Quota {
  const [a, b] = [Math.floor(chance * 21), Math.floor((chance * 441) % 21)].sort((x, y) => x - y) as [number, number];
  const parts = [a, b - a, 20 - b];
  return new Map(revisions.map((revision, index) => [revision, ((parts[index] ?? 0) * slotCount) / 20]));
}

if (import.meta.main) {
  process.stdout.write(
    '| way | moved without need, mean | worst edit | of the mean, back to an older revision |\n|---|---|---|---|\n',
  );
  for (const { way, needless, worst, back } of compare(namespaces(2000), 300))
    process.stdout.write(
      `| ${way} | ${[needless, worst, back].map((part) => `${(part * 100).toFixed(1)} %`).join(' | ')} |\n`,
    );
}
