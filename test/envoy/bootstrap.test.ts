// The bootstraps that the agent makes are those that Envoy takes: random places, read by every version; and one real start of each,
// which shows the node as istiod will see it.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import * as fc from 'fast-check';
import { fakeHost } from '../../src/apps/agent/fake-host.ts';
import { runProxy } from '../../src/apps/agent/proxy.ts';
import { filesOf, type Place, place } from '../agree/environments.ts';
import { envoyBinary, envoyVersions } from './parts.ts';
import { agentSource, bounded, freePorts, until } from './scene.ts';

const folder = mkdtempSync(join(tmpdir(), 'envoy-bootstrap-'));
after(() => rmSync(folder, { recursive: true }));

/** Upstream's Envoy has neither Istio's discovery of peers nor, any more, lightstep. */
function isUpstreams({ env, role, mesh, proxyConfig }: Place): boolean {
  const discovers = role === 'waypoint' || env['PEER_METADATA_DISCOVERY'] === 'true' || /^[1t]/.test(env['ISTIO_META_ENABLE_HBONE'] ?? '');
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

  test(`Envoy ${version} starts with Fairway's bootstrap and shows the node`, bounded, async (t) => {
    const cwd = mkdtempSync(join(folder, 'start-'));
    const [admin = 0, status = 0, ready = 0, metrics = 0] = await freePorts(4);
    const config = { binaryPath: envoyBinary(version), proxyAdminPort: admin, statusPort: status, concurrency: 1 };
    const env = {
      PATH: process.env['PATH'],
      PROXY_CONFIG: JSON.stringify({ ...config, discoveryAddress: '127.0.0.1:1', terminationDrainDuration: '1s' }),
      ENVOY_STATUS_PORT: String(ready),
      ENVOY_PROMETHEUS_PORT: String(metrics),
      POD_NAME: 'web-1',
      POD_NAMESPACE: 'shop',
      INSTANCE_IP: '10.0.0.7',
      ISTIO_META_WORKLOAD_NAME: 'web',
      FAIRWAY_TERMINATION_LOG: '',
    };
    const agent = spawn(process.execPath, [agentSource, 'proxy', 'sidecar'], { cwd, env, stdio: 'ignore', detached: true });
    const ended = new Promise((resolve) => agent.on('exit', resolve));
    t.after(async () => {
      endGroup(agent.pid);
      await ended;
    });
    await until('Envoy tells its node', async () => (await dumpOf(admin)).includes('sidecar~10.0.0.7~web-1.shop'), 40_000);
    const shown = await dumpOf(admin);
    assert.match(shown, /"WORKLOAD_NAME": "web"/);
    assert.match(shown, /"cluster": "web\.shop"/);
    agent.kill('SIGTERM');
    assert.equal(await ended, 0);
    assert.equal(existsSync(join(cwd, 'etc/istio/proxy/envoy-rev.json')), false, 'what the agent made is gone');
  });
}

/** What Envoy says of its configuration; empty while it does not answer. */
async function dumpOf(admin: number): Promise<string> {
  try {
    return await (await fetch(`http://127.0.0.1:${admin}/config_dump`)).text();
  } catch {
    return '';
  }
}

/** The agent and its Envoy, if they are still there. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Both have ended.
  }
}
