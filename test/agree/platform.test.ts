// Live oracle: what Istio's own code and ours make of the answers of the clouds' metadata servers. Needs root, for a network namespace.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { istioSource } from '../istio/chart.ts';
import { buildIstio } from './istio-program.ts';
import { clouds } from './platform-cases.ts';

const template = join(
  istioSource(join(import.meta.dirname, 'istio-bootstrap', 'go.mod')),
  'tools/packaging/common/envoy_bootstrap.json',
);

interface Told {
  readonly what: string;
  readonly istio: unknown;
  readonly ours: unknown;
}

test('clouds: metadata and place as with Istio', { timeout: 300_000 }, () => {
  const scene = join(import.meta.dirname, 'platform-scene.ts');
  const inside = 'ip link set lo up && ip addr add 169.254.169.254/32 dev lo && exec "$@"';
  const program = [process.execPath, scene, buildIstio('istio-bootstrap'), template];
  const { status, stdout, stderr } = spawnSync('unshare', ['--net', 'sh', '-c', inside, 'sh', ...program], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  const told = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Told);
  assert.deepEqual(
    told.map(({ what }) => what),
    clouds.map(({ what }) => what),
  );
  for (const { what, istio, ours } of told) assert.deepEqual(ours, istio, what);
  assert.match(JSON.stringify(told[0]), /eu-west-1b/);
});
