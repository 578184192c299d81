// The rolling restart: a Deployment moves from one revision of the mesh to the other and back under load, with `fairway pod run` as the
// kubelet, first with classic sidecars, then with native ones, and nothing is lost. `npm run measure:rolling` does it twenty times in a row.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rollUpdates } from './rolling.ts';
import { bounded } from './scene.ts';

test('three updates in a row: no request is lost, and no last call of an application', bounded, async (t) => {
  const orders = ['classic', 'classic', 'native', 'native'] as const;
  const { sent, lost, seconds, exits } = await rollUpdates(t, { orders, timing: 'ideal', perSecond: 200 });
  process.stderr.write(`${sent} requests in ${Math.round(seconds)} s\n`);
  assert.deepEqual(lost, []);
  assert.ok(sent > 0);
  const clean = Array.from({ length: 9 }, () => 0);
  assert.deepEqual(exits, { app: clean, 'istio-proxy': clean });
});
