// The rolling restart: a Deployment moves from one revision of the mesh to the other and back under load, with `fairway pod run` as the
// kubelet, and nothing is lost. `npm run measure:rolling` does it twenty times in a row.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rollUpdates } from './rolling.ts';
import { bounded } from './scene.ts';

for (const [order, updates] of [
  ['classic', 3],
  ['native', 1],
] as const) {
  test(`${updates} updates in a row, ${order} sidecars: no request is lost, no last call out`, bounded, async (t) => {
    const { sent, lost, seconds, exits } = await rollUpdates(t, { order, updates, perSecond: 200 });
    process.stderr.write(`${order}: ${sent} requests in ${seconds} s\n`);
    assert.deepEqual(lost, []);
    assert.ok(sent > 0);
    const clean = Array.from({ length: 3 * updates }, () => 0);
    assert.deepEqual(exits, { app: clean, 'istio-proxy': clean });
  });
}
