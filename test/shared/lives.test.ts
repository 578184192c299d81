// The lives that were recorded on a real kubelet, against the engine: by the scenarios of test/lives, and by the pods' own commands.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compareLife } from '../../scripts/lives/compare.ts';
import type { RecordedLife, RecordedLives } from '../../scripts/lives/recorded.ts';
import { readScenario, type Scenario } from '../../src/sim/pod/index.ts';
import { readSharedJson } from './shared.ts';

const lives = readSharedJson('kubelet/timelines.json') as RecordedLives;
const folder = fileURLToPath(new URL('../lives/', import.meta.url));

function scenarioOf(name: string): Scenario {
  const read = readScenario(readFileSync(`${folder}${name}.yaml`, 'utf8'), `${name}.yaml`);
  assert.equal(read.kind, 'valid', JSON.stringify(read.problems));
  return read.value;
}

for (const [name, life] of Object.entries(lives)) {
  test(`life ${name}: ${life.what}`, () => {
    assert.deepEqual(compareLife(name, life, scenarioOf(name)).differences, []);
  });
}

test('each scenario has a life, and each life a scenario', () => {
  const scenarios = readdirSync(folder).flatMap((file) => (file.endsWith('.yaml') ? [file.slice(0, -5)] : []));
  assert.deepEqual(scenarios.sort(), Object.keys(lives).sort());
});

/** What a manifest does not tell: images, failing starts, memory, and programs that are no shell scripts. */
const beyondShell = new Set(['no-image', 'no-command', 'bad-config', 'oom', 'probes-http-tcp']);

for (const [name, life] of Object.entries(lives)) {
  if (beyondShell.has(name)) continue;
  test(`life ${name} by the pod's own commands and the recording's own actions`, () => {
    const { kubelet } = scenarioOf(name);
    assert.deepEqual(compareLife(name, life, kubelet === undefined ? {} : { kubelet }).differences, []);
  });
}

/** A comparison that cannot fail proves nothing: each change of a recording must be found. */
const changes: readonly (readonly [name: string, change: (life: RecordedLife) => RecordedLife])[] = [
  ['another exit code', (life) => altered(life, '"exitCode":1', '"exitCode":2')],
  ['another phase', (life) => altered(life, '"phase":"Failed"', '"phase":"Succeeded"')],
  ['another reason of a condition', (life) => altered(life, 'PodFailed', 'PodCompleted')],
  ['another count of restarts', (life) => altered(life, '"restarts":0', '"restarts":1')],
  ['ready where it is not', (life) => altered(life, '"ready":false', '"ready":true')],
  [
    'an event that never was',
    (life) => ({ ...life, events: [...life.events, { ms: 9000, reason: 'BackOff', container: 'a' }] }),
  ],
  ['an order of events', (life) => ({ ...life, events: life.events.toReversed() })],
  [
    'an interval',
    (life) => ({
      ...life,
      timeline: life.timeline.map((entry, index) => (index < 5 ? entry : { ...entry, ms: entry.ms + 3000 })),
    }),
  ],
];

function altered(life: RecordedLife, from: string, to: string): RecordedLife {
  return {
    ...life,
    timeline: JSON.parse(JSON.stringify(life.timeline).replaceAll(from, to)) as RecordedLife['timeline'],
  };
}

for (const [name, change] of changes) {
  test(`a changed recording differs: ${name}`, () => {
    const life = lives['exit-one-never'];
    assert.ok(life !== undefined);
    assert.notDeepEqual(compareLife('exit-one-never', change(life), scenarioOf('exit-one-never')).differences, []);
  });
}
