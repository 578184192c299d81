// Runs the tests: `scripts/test.ts` all that needs neither root nor the shared material; `scripts/test.ts SUITE` the suite
// of test/SUITE. Unit tests share one process, the files of istiod one control plane; suites that spawn programs get a process a file. Laws draw from a fixed seed, so that a
// change is judged by the same examples each time; FAIRWAY_SEED=random (or a number) draws others.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const suite = process.argv[2] ?? 'unit';
const unit = suite === 'unit';
const files = globSync(
  unit ? ['src/**/*.test.ts', 'test/unit/**/*.test.ts', 'scripts/**/*.test.ts'] : [`test/${suite}/**/*.test.ts`],
).sort();
if (files.length === 0) {
  process.stderr.write(`no tests in suite "${suite}"\n`);
  process.exit(2);
}
/** Files of one machine-wide thing, or with loads and limits, come one after the other; those with a namespace each need not. */
const filesAtOnce = suite === 'netns' ? 2 : 1;
const isolation = unit || suite === 'istiod' ? ['--test-isolation=none'] : [`--test-concurrency=${filesAtOnce}`];
// A failed test must not keep the run alive by what it has left, and none may wait for ever.
const ends = ['--import', './scripts/ends.ts', `--test-timeout=${10 * 60 * 1000}`];
// Most processor time of many suites is the start of programs from sources: what Node has compiled once is kept, by content and version.
const compiled = { NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)) };
const reporter = process.stdout.isTTY
  ? []
  : ['--test-reporter=./scripts/reporter.mjs', '--test-reporter-destination=stdout'];
const done = spawnSync(
  process.execPath,
  ['--import', './scripts/seed.ts', '--test', ...isolation, ...ends, ...reporter, ...files],
  { stdio: 'inherit', env: { ...process.env, ...compiled } },
);
if (done.signal !== null) process.stderr.write(`the tests were ended by ${done.signal}\n`);
if (done.status !== 0) process.exit(done.status ?? 70);
