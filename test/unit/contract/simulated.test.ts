// The contract of the container runtimes, kept by the simulated one in virtual time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDriver, livePod } from '../../../src/sim/pod/index.ts';
import { contractPolicy, golden, manifestOf, pendingEvents, writeGolden } from '../../contract/pod-runtime.ts';
import { contractScenarios, stretched } from '../../contract/scenarios.ts';
import { recorder } from '../../contract/transitions.ts';

const untilMs = 600_000;
const lives = Object.fromEntries(contractScenarios.map((scenario, index) => [scenario.name, live(scenario, index)]));
if (process.env['UPDATE_GOLDEN'] === '1') writeGolden(lives);

test('forty lives at least, each of them golden and no other', () => {
  assert.ok(contractScenarios.length >= 40);
  assert.deepEqual(Object.keys(golden()), Object.keys(lives));
});

for (const [name, lines] of Object.entries(lives)) {
  test(`simulated: ${name}`, () => assert.deepEqual(lines, golden()[name]));
}

for (const [index, scenario] of contractScenarios.entries()) {
  test(`simulated, six times slower: ${scenario.name}`, () =>
    assert.deepEqual(live(stretched(scenario, 6), index), golden()[scenario.name]));
}

function live(scenario: (typeof contractScenarios)[number], index: number): readonly string[] {
  const driver = createDriver(0);
  const { clock } = driver;
  const later = pendingEvents(scenario, (ms, input) => clock.at(clock.nowMs + ms, () => life.feed(input)));
  const watcher = recorder(later);
  const life = livePod({
    clock,
    policy: contractPolicy,
    manifest: manifestOf(scenario, index),
    scenario: {},
    observe: (happening) => {
      if (happening.kind === 'pod' || happening.kind === 'event') watcher.record(happening);
    },
  });
  driver.run(untilMs, life.isOver);
  assert.ok(life.isOver(), `${scenario.name} has an end`);
  return watcher.lines;
}
