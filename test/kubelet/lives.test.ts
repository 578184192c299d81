// Twenty pods live on a real kubelet, and the engine must have lived the same: statuses, times, events.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { compareLife } from '../../scripts/lives/compare.ts';
import type { RecordedLife } from '../../scripts/lives/recorded.ts';
import { type KubeletPod, kubeletPods } from './pods.ts';
import { prepareNamespace, recordLives, removePods } from './recorder.ts';

const rig = resolve(import.meta.dirname, '../rig/main.ts');
const sideBySide = 5;
const attemptsAlone = 2;
const recorded: Record<string, RecordedLife> = {};

before(async () => {
  execFileSync(process.execPath, [rig, 'up', '--node'], { stdio: ['ignore', 'ignore', 'inherit'] });
  process.env['PATH'] = execFileSync(process.execPath, [rig, 'path'], { encoding: 'utf8' }).trim();
  await prepareNamespace();
  for (let index = 0; index < kubeletPods.length; index += sideBySide) {
    await recordAll(kubeletPods.slice(index, index + sideBySide));
  }
  // A busy machine delays a kubelet by more than the engine allows for: what differs is recorded again, without company.
  for (let time = 1; time <= attemptsAlone; time++) {
    for (const pod of kubeletPods.filter(differs)) {
      await removePods();
      await recordAll([pod], `-${time}`);
    }
  }
  const file = join(tmpdir(), 'fairway-lives.json');
  writeFileSync(file, JSON.stringify(recorded, undefined, 1)); // for `npm run lives` and the eye, when one differs
});

after(() => {
  execFileSync(process.execPath, [rig, 'down'], { stdio: 'ignore' });
});

for (const pod of kubeletPods) {
  test(`${pod.name}: ${pod.what}`, () => {
    assert.ok((recorded[pod.name]?.timeline.length ?? 0) > 2, 'it was recorded');
    assert.deepEqual(differencesOf(pod), []);
  });
}

/** Lives the pods side by side, under names of their own. */
async function recordAll(pods: readonly KubeletPod[], suffix = ''): Promise<void> {
  const lives = await recordLives(pods.map((pod) => ({ ...pod, name: `${pod.name}${suffix}` })));
  for (const { name } of pods) recorded[name] = lives[`${name}${suffix}`] as RecordedLife;
}

function differs(pod: KubeletPod): boolean {
  return differencesOf(pod).length > 0;
}

function differencesOf({ name, scenario }: KubeletPod): readonly string[] {
  const life = recorded[name];
  return life === undefined ? ['it was not recorded'] : compareLife(name, life, scenario).differences;
}
