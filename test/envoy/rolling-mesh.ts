// The mesh of the rolling restart: one root, two revisions of the small xDS server that know the same, the agent as one file, and somebody
// whom applications call.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { buildAgent } from '../../scripts/build-agent.ts';
import { type Authority, newAuthority } from '../xds/authority.ts';
import { cluster, endpoints, listener, type MeshTls, type Resource, routes } from '../xds/resources.ts';
import { startXdsServer, type XdsServer } from '../xds/server.ts';
import { type MeshFacts, podPorts } from './rolling-manifests.ts';

type Ends = Pick<TestContext, 'after'>;

/** This machine, as pods of `pod run` see it. */
const machine = '169.254.86.1';

export async function startMesh(t: Ends): Promise<{ readonly mesh: MeshFacts; readonly planes: readonly XdsServer[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'rolling-agent-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const authority = await newAuthority();
  const called = createServer((_request, response) => response.end('taken'));
  await new Promise<void>((resolve) => called.listen(0, '0.0.0.0', resolve));
  t.after(() => called.close());
  const resources = await resourcesOfMesh(authority, (called.address() as AddressInfo).port);
  const [a, b] = [await startPlane(t, authority, resources), await startPlane(t, authority, resources)];
  const agent = buildAgent('linux-x64', folder);
  return {
    mesh: { agent, root: authority.root, host: machine, planePorts: { a: a.port, b: b.port } },
    planes: [a, b],
  };
}

async function startPlane(t: Ends, authority: Authority, resources: readonly Resource[]): Promise<XdsServer> {
  const pair = await authority.issue({ type: 'dns', value: 'istiod.test' });
  const plane = await startXdsServer({ tls: { pair }, host: '0.0.0.0' });
  t.after(() => plane.end());
  plane.set(...resources);
  return plane;
}

/** The same for every proxy: inbound with mTLS, the replicas by mTLS, and what an application calls out to, in the clear. */
async function resourcesOfMesh(authority: Authority, calledPort: number): Promise<readonly Resource[]> {
  const pair = await authority.issue({ type: 'url', value: 'spiffe://cluster.local/ns/default/sa/web' });
  const tls: MeshTls = { pair, root: authority.root };
  const any = '0.0.0.0';
  return [
    cluster('app'),
    endpoints('app', [podPorts.app]),
    cluster('web', tls),
    endpoints('web', []),
    cluster('called'),
    endpoints('called', [{ host: machine, port: calledPort }]),
    listener('in', { host: any, port: podPorts.inbound, routes: 'in', direction: 'inbound', tls }),
    routes('in', 'app'),
    listener('web', { host: any, port: podPorts.callWeb, routes: 'web', direction: 'outbound' }),
    routes('web', 'web'),
    listener('out', { port: podPorts.callOut, routes: 'out', direction: 'outbound' }),
    routes('out', 'called'),
  ];
}
