import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterAnswer } from '../../ports/cluster.ts';
import { configMapFiles } from './config-map.ts';
import { fakeCluster } from './fake-cluster.ts';

const rules = (revision: string) => ({ data: { 'rollouts.yml': `production: {${revision}: 100}\n` } });
const place = { namespace: 'fairway-system', name: 'fairway-config' };

async function read(answers: ClusterAnswer[]) {
  const warned: object[] = [];
  const none = (): void => {};
  const log = { debug: none, info: none, warn: (fields: object) => void warned.push(fields), error: none };
  const cluster = fakeCluster(() => answers.shift() ?? { status: 500, body: {} });
  return { cluster, warned, files: await configMapFiles({ cluster, ...place, againMs: 1, log }) };
}

test('read once the API server answers, then followed; what is deleted stays in use', async () => {
  const { cluster, warned, files } = await read([
    { status: 503, body: {} },
    { status: 200, body: rules('a-1') },
  ]);
  assert.deepEqual(warned, [{ configMap: 'fairway-system/fairway-config', error: 'HTTP 503' }]);
  assert.deepEqual(await files.ruleFiles(), rules('a-1').data);
  let told = 0;
  files.onRuleFiles?.(() => void told++);
  cluster.put('configmaps/fairway-config', { metadata: { uid: '1' }, ...rules('b-2') });
  assert.deepEqual([told, await files.ruleFiles()], [1, rules('b-2').data]);
  cluster.remove('configmaps/fairway-config', '1');
  assert.deepEqual(await files.ruleFiles(), rules('b-2').data);
  files.stop();
});

test('one that is not there is said', async () => {
  await assert.rejects(read([{ status: 404, body: {} }]), /there is no ConfigMap fairway-system\/fairway-config/);
});
