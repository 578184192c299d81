// `npm run lives -- TIMELINES.json SCENARIOS/ [NAME…]`: compares every recorded life that has a scenario (SCENARIOS/NAME.yaml) with the
// engine under kubelet timing. Exit status 1 when one differs.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatProblem } from '../src/core/std/errors.ts';
import { readScenario } from '../src/sim/pod/index.ts';
import { compareLife } from './lives/compare.ts';
import type { RecordedLives } from './lives/recorded.ts';

const [timelines, scenarios, ...names] = process.argv.slice(2);
if (timelines === undefined || scenarios === undefined) {
  process.stderr.write('usage: npm run lives -- TIMELINES.json SCENARIOS/ [NAME…]\n');
  process.exit(2);
}
const lives = JSON.parse(readFileSync(timelines, 'utf8')) as RecordedLives;
let compared = 0;
let differing = 0;
let statuses = 0;
let intervals = 0;
for (const [name, life] of Object.entries(lives)) {
  const path = join(scenarios, `${name}.yaml`);
  if ((names.length > 0 && !names.includes(name)) || !existsSync(path)) continue;
  const scenario = readScenario(readFileSync(path, 'utf8'), path);
  const verdict = scenario.kind === 'invalid' ? undefined : compareLife(name, life, scenario.value);
  const differences = verdict?.differences ?? scenario.problems.map(formatProblem);
  statuses += verdict?.statuses ?? 0;
  intervals += verdict?.intervals ?? 0;
  compared++;
  if (differences.length > 0) differing++;
  process.stdout.write(`${differences.length === 0 ? 'same  ' : 'DIFFER'} ${name}: ${life.what}\n`);
  for (const difference of differences) process.stdout.write(`  - ${difference}\n`);
}
process.stdout.write(
  `${compared} of ${Object.keys(lives).length} lives compared (${statuses} statuses, ${intervals} intervals), ${differing} differ\n`,
);
process.exitCode = differing > 0 || compared === 0 ? 1 : 0;
