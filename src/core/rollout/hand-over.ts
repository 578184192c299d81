// Who owns which slot, and how slots change hands when shares change (docs/explanation/slots.md). The least number of slots moves, and
// only from revisions whose share falls to ones whose share grows.
import { compareRevisions } from './version-order.ts';

/** Units [from, to) of one revision. Units are slots, or the names of an exact bucket by their rank. */
export interface Run {
  readonly revision: string;
  readonly from: number;
  readonly to: number;
}

/** How many units each revision shall own. */
export type Quota = ReadonlyMap<string, number>;

/** The rule without memory: the oldest revision from unit 0 up. */
export function layOut(quota: Quota): readonly Run[] {
  let from = 0;
  return [...quota]
    .filter(([, size]) => size > 0)
    .sort(([a], [b]) => compareRevisions(a, b))
    .map(([revision, size]) => ({ revision, from, to: (from += size) }));
}

/**
 * The runs after the shares became `quota`; both must cover the same units. Losers give, oldest first: each first to takers
 * newer than itself, newest first, from its highest units down, then to older takers, oldest first, from its lowest up.
 */
export function handOver(runs: readonly Run[], quota: Quota): readonly Run[] {
  const owned = Map.groupBy(runs, ({ revision }) => revision);
  const wanted = (revision: string): number => (quota.get(revision) ?? 0) - sizeOf(owned.get(revision) ?? []);
  const revisions = [...new Set([...owned.keys(), ...quota.keys()])].sort(compareRevisions);
  const needs = new Map(revisions.map((revision) => [revision, Math.max(0, wanted(revision))]));
  const losers = revisions.filter((revision) => wanted(revision) < 0);
  const given = losers.flatMap((loser) => give(owned.get(loser) ?? [], -wanted(loser), needs));
  const kept = runs.filter(({ revision }) => !losers.includes(revision));
  return joined([...kept, ...given]);
}

/** A loser's runs after it gave `surplus` units to those in `needs`, which shrink; what it keeps is among the result. */
function give(runs: readonly Run[], surplus: number, needs: Map<string, number>): Run[] {
  const stock = [...runs].sort((a, b) => a.from - b.from);
  const loser = stock[0]?.revision ?? '';
  const takers = [...needs.keys()].sort(compareRevisions);
  const newer = takers.filter((taker) => compareRevisions(taker, loser) > 0).toReversed();
  const older = takers.filter((taker) => compareRevisions(taker, loser) < 0);
  const given: Run[] = [];
  let left = surplus;
  for (const taker of [...newer, ...older]) {
    const amount = Math.min(left, needs.get(taker) ?? 0);
    if (amount === 0) continue;
    const from = newer.includes(taker) ? 'top' : 'bottom';
    given.push(...take(stock, amount, from).map((run) => ({ ...run, revision: taker })));
    needs.set(taker, (needs.get(taker) ?? 0) - amount);
    left -= amount;
  }
  return [...stock, ...given];
}

/** Removes `amount` units from one end of the stock, which is sorted and shrinks. */
function take(stock: Run[], amount: number, end: 'top' | 'bottom'): Run[] {
  const taken: Run[] = [];
  for (let left = amount; left > 0; ) {
    const run = end === 'top' ? stock.pop() : stock.shift();
    if (run === undefined) break;
    const size = Math.min(left, run.to - run.from);
    left -= size;
    const cut = end === 'top' ? run.to - size : run.from + size;
    const low = { ...run, to: cut };
    const high = { ...run, from: cut };
    taken.push(end === 'top' ? high : low);
    if (size === run.to - run.from) continue;
    if (end === 'top') stock.push(low);
    else stock.unshift(high);
  }
  return taken;
}

function sizeOf(runs: readonly Run[]): number {
  return runs.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** Sorted, and neighbours of one revision made one: the canonical form that the lock holds. */
function joined(runs: readonly Run[]): readonly Run[] {
  const result: Run[] = [];
  for (const run of [...runs].sort((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last?.revision === run.revision) result[result.length - 1] = { ...last, to: run.to };
    else result.push(run);
  }
  return result;
}

/** The revision that owns a unit. */
export function ownerOf(runs: readonly Run[], unit: number): string | undefined {
  return runs.find(({ from, to }) => from <= unit && unit < to)?.revision;
}

/** Largest remainder: how many of `count` names each revision gets; equal remainders go to the older revision. */
export function quotaOf(shares: Quota, count: number, whole: number): Quota {
  const rows = [...shares]
    .sort(([a], [b]) => compareRevisions(a, b))
    .map(([revision, share]) => ({
      revision,
      size: Math.floor((share * count) / whole),
      rest: (share * count) % whole,
    }));
  const left = count - rows.reduce((sum, { size }) => sum + size, 0);
  const first = new Set([...rows].sort((a, b) => b.rest - a.rest).slice(0, left));
  return new Map(rows.map((row) => [row.revision, row.size + (first.has(row) ? 1 : 0)]));
}
