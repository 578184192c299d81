// Plan: 10,000 namespaces against 40 and 1,000 patterns, everything from the text of both files to the finished plan.
import { completionBound, defaultFleet } from '../src/core/fleet/index.ts';
import { plan, type Side } from '../src/core/plan/index.ts';
import { findConflicts, parseRollouts } from '../src/core/rollout/index.ts';
import { namespaces, rollouts } from './fleet.ts';
import { type Row, stopwatch } from './measure.ts';

export const title = 'plan';

/** One row a size; the goal is in its name. */
export function run(): Row[] {
  const inventory = { namespaces: namespaces(10_000).map((name) => ({ name, labels: new Map() })), workloads: [] };
  const fleet = defaultFleet();
  const side = (text: string): Side => {
    const read = parseRollouts(text);
    if (read.kind === 'invalid') throw new Error(JSON.stringify(read.problems[0]));
    return { rollouts: read.value, fleet };
  };
  return [
    { patterns: 40, goalMs: 60 },
    { patterns: 1000, goalMs: 300 },
  ].flatMap(({ patterns, goalMs }) => {
    const [before, after] = [rollouts(patterns, 25), rollouts(patterns, 50)];
    const [from, to] = [side(before), side(after)];
    const work = (): number => plan({ from, to, inventory, bound: completionBound(fleet, 0), nowMs: 0 }).moves.length;
    const whole = (): number =>
      plan({ from: side(before), to: side(after), inventory, bound: completionBound(fleet, 0), nowMs: 0 }).moves.length;
    return [
      { name: `plan 10,000 namespaces × ${patterns} patterns, files parsed`, ...stopwatch(work), goalMs },
      { name: `the same from the text of both files`, ...stopwatch(whole) },
      {
        name: `conflicts among ${patterns} patterns, all names`,
        ...stopwatch(() => findConflicts(to.rollouts).length),
      },
    ];
  });
}
