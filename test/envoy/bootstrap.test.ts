// The bootstraps that the agent makes are those that Envoy takes: random places, read by every version; and one real start of each,
// which shows the node as istiod will see it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import * as fc from 'fast-check';
import { fakeHost } from '../../src/apps/agent/fake-host.ts';
import { runProxy } from '../../src/apps/agent/proxy.ts';
import { filesOf, type Place, place } from '../agree/environments.ts';
import { getOnce } from './load.ts';
import { envoyBinary, envoyVersions } from './parts.ts';
import { becomesReady, bounded } from './scene.ts';
import { startApp } from './servers.ts';
import { sideBySide } from './side-by-side.ts';
import { inbound, newMesh, startPlane, startXdsScene } from './xds-scene.ts';

const starts = sideBySide('starts with the bootstrap of the agent');
const folder = mkdtempSync(join(tmpdir(), 'envoy-bootstrap-'));
after(() => rmSync(folder, { recursive: true }));

/** Upstream's Envoy has neither Istio's discovery of peers nor, any more, lightstep. */
function isUpstreams({ env, role, mesh, proxyConfig }: Place): boolean {
  const discovers =
    role === 'waypoint' ||
    env['PEER_METADATA_DISCOVERY'] === 'true' ||
    /^[1t]/.test(env['ISTIO_META_ENABLE_HBONE'] ?? '');
  return !discovers && !/lightstep|"subjectAltNames":\["/.test(JSON.stringify([mesh, proxyConfig]));
}

async function bootstrapAt(given: Place): Promise<string | undefined> {
  const host = fakeHost({ files: filesOf(given), addresses: given.addresses });
  const code = runProxy([given.role], given.env, host);
  await host.advance(0);
  const text = host.written.get('./etc/istio/proxy/envoy-rev.json');
  host.endEnvoy({ kind: 'code', code: 0 });
  await host.advance(0);
  await code;
  return text;
}

for (const version of envoyVersions) {
  test(`Envoy ${version} takes what the agent makes of random places`, { timeout: 120_000 }, async () => {
    const places = fc.sample(place.filter(isUpstreams), { seed: envoyVersions.indexOf(version), numRuns: 12 });
    let taken = 0;
    for (const given of places) {
      const text = await bootstrapAt(given);
      if (text === undefined) continue; // a place that nobody starts in
      const file = join(folder, 'envoy.json');
      writeFileSync(file, text);
      const args = ['--mode', 'validate', '-c', file, '--allow-unknown-static-fields', '-l', 'critical'];
      const { status, stderr } = spawnSync(envoyBinary(version), args, { encoding: 'utf8', timeout: 60_000 });
      assert.equal(status, 0, `${stderr}\n${JSON.stringify(given)}`);
      taken++;
    }
    assert.ok(taken > 6, `${taken} places`);
  });

  starts(
    `Envoy ${version} starts with Fairway's bootstrap, gets its configuration, and tells its node`,
    bounded,
    async (t) => {
      const mesh = await newMesh();
      const plane = await startPlane(t, mesh);
      const env = {
        POD_NAME: 'web-1',
        POD_NAMESPACE: 'shop',
        INSTANCE_IP: '10.0.0.7',
        ISTIO_META_WORKLOAD_NAME: 'web',
      };
      const config = { customConfigFile: '', terminationDrainDuration: '0.1s' };
      const scene = await startXdsScene(t, { mesh, port: plane.port, version, env, config });
      const { ports } = scene;
      await startApp(t, ports.app);
      plane.set(...inbound(ports));
      await becomesReady(scene);
      await getOnce(ports.inbound, '/');
      await getOnce(ports.envoyStatus, '/healthz/ready');
      assert.match(await textAt(ports.prometheus, '/stats/prometheus'), /envoy_cluster_manager_cds_update_success/);
      const shown = await textAt(ports.admin, '/config_dump');
      assert.match(shown, /"id": "sidecar~10\.0\.0\.7~web-1\.shop~shop\.svc\.cluster\.local"/);
      assert.match(shown, /"cluster": "web\.shop"/);
      const made = join(scene.folder, 'config', 'envoy-rev.json');
      assert.ok(existsSync(made));
      scene.agent.process.kill('SIGTERM');
      assert.equal((await scene.agent.ended).code, 0);
      assert.equal(existsSync(made), false, 'what the agent made is gone');
    },
  );
}

async function textAt(port: number, path: string): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).text();
}
