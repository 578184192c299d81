import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ReadRules, readRules } from '../../core/admission/index.ts';
import { proxyLifecycle } from './proxy-lifecycle.ts';

function rules(fairway: string): ReadRules {
  const read = readRules({ 'rollouts.yml': 'production: {b-2: 100}\n', 'fairway.yml': fairway }, undefined);
  assert.ok(read.kind === 'valid', JSON.stringify(read));
  return read.value;
}

test('the API server is believed before fairway.yml, and each change is followed', () => {
  let read: ReadRules | undefined;
  let minor: number | undefined;
  const lifecycle = proxyLifecycle({ rules: () => read, minor: () => minor });
  assert.deepEqual(lifecycle(), {});
  read = rules('kubernetes: "1.31"\nlifecycle: {hold: true}\n');
  const said = lifecycle();
  assert.deepEqual([said.kubernetesMinor, said.hold], [31, true]);
  minor = 29;
  assert.deepEqual(lifecycle(), { ...said, kubernetesMinor: 29 });
  assert.equal(lifecycle(), lifecycle(), 'the same value, since answers are remembered by it');
  read = rules('revisions: {b-2: {}}\n');
  assert.deepEqual(lifecycle(), { kubernetesMinor: 29 });
});
