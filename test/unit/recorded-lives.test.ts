// Lives of pods recorded on a real kubelet, against the engine. The pods run their own commands; a scenario tells only what a manifest
// cannot: images and volumes that are not there, a node's size, memory that runs out.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { compareLife } from '../../scripts/lives/compare.ts';
import type { RecordedLives } from '../../scripts/lives/recorded.ts';
import type { Scenario } from '../../src/sim/pod/index.ts';

const lives = JSON.parse(readFileSync('test/lives/testdata/lives.json', 'utf8')) as RecordedLives;

const restart = { at: 14, do: 'kubelet-restart', down: 2 } as const;

const scenarios: Readonly<Record<string, Scenario>> = {
  'no-registry': { images: { '127.0.0.1:1/none:1': { present: false, fails: 'ErrImagePull' } } },
  'no-configmap': { volumes: { fails: 'configmap "nope" not found' } },
  'side-image': { images: { 'rig.test/busybox:2': 'absent' } },
  'resize-infeasible': { kubelet: { allocatable: { cpu: '2' } } },
  // The kubelet's restart was asked for in one of the lives that ran side by side.
  'k-crashloop': { events: [restart] },
  'k-sidecar': { events: [restart] },
  'k-init': { events: [restart] },
  'k-main-ends': { events: [restart] },
  'k-startup': { events: [restart] },
  'k-termination': { events: [{ at: 10, do: 'delete' }, restart] },
  // To find the sandbox took the recorder long: these are the times at which it was gone.
  'x-never': { events: [{ at: 61.1, do: 'lose-sandbox' }] },
  'x-onfailure': { events: [{ at: 62.1, do: 'lose-sandbox' }] },
  'x-init': { events: [{ at: 35.9, do: 'lose-sandbox' }] },
  'x-deaf': { events: [{ at: 57, do: 'lose-sandbox' }] },
  'oom-always': { containers: { m: { run: [{ sleep: 1.3 }, { exit: { code: 137, reason: 'OOMKilled' } }] } } },
};

for (const [name, life] of Object.entries(lives)) {
  test(`recorded life ${name}: ${life.what}`, () => {
    assert.deepEqual(compareLife(name, life, scenarios[name] ?? {}, 10).differences, []);
  });
}
