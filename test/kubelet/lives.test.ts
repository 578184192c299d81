// Twenty pods live on a real kubelet, and the engine must have lived the same: statuses, times, events.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { compareLife } from '../../scripts/lives/compare.ts';
import type { RecordedLife } from '../../scripts/lives/recorded.ts';
import { kubeletPods } from './pods.ts';
import { prepareNamespace, recordLives } from './recorder.ts';

const rig = resolve(import.meta.dirname, '../rig/main.ts');
const sideBySide = 5;
const recorded: Record<string, RecordedLife> = {};

before(async () => {
  execFileSync(process.execPath, [rig, 'up', '--node'], { stdio: ['ignore', 'ignore', 'inherit'] });
  process.env['PATH'] = execFileSync(process.execPath, [rig, 'path'], { encoding: 'utf8' }).trim();
  await prepareNamespace();
  for (let index = 0; index < kubeletPods.length; index += sideBySide) {
    Object.assign(recorded, await recordLives(kubeletPods.slice(index, index + sideBySide)));
  }
  const file = join(tmpdir(), 'fairway-lives.json');
  writeFileSync(file, JSON.stringify(recorded, undefined, 1)); // for `npm run lives` and the eye, when one differs
});

after(() => {
  execFileSync(process.execPath, [rig, 'down'], { stdio: 'ignore' });
});

for (const { name, what, scenario } of kubeletPods) {
  test(`${name}: ${what}`, () => {
    const life = recorded[name];
    assert.ok(life !== undefined && life.timeline.length > 2, 'it was recorded');
    assert.deepEqual(compareLife(name, life, scenario).differences, []);
  });
}
