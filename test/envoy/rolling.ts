// A mesh of pods that `fairway pod run` runs: three replicas of an application, two clients, two revisions of a control plane whose endpoints
// follow the pods' readiness as endpoint slices do. Rolls the replicas from one revision to the other under load and counts what is lost.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { buildAgent } from '../../scripts/build-agent.ts';
import { runClient } from '../../src/apps/pod-runner/index.ts';
import { endpointConditions, type Pod } from '../../src/core/pod/index.ts';
import { type RunningPods, runPods } from '../process/run.ts';
import { type Authority, newAuthority } from '../xds/authority.ts';
import { cluster, endpoints, listener, type MeshTls, type Resource, routes } from '../xds/resources.ts';
import { startXdsServer, type XdsServer } from '../xds/server.ts';
import { type Load, startLoad } from './load.ts';
import {
  clientPod,
  configMap,
  type MeshFacts,
  podPorts,
  type RevisionName,
  type SidecarOrder,
  webDeployment,
} from './rolling-manifests.ts';
import { until } from './scene.ts';

export interface RollingOptions {
  /** What the pods are before the first update, and what each update makes of them. */
  readonly orders: readonly SidecarOrder[];
  /** `ideal`: what a kubelet does by ticks happens at once. */
  readonly timing: 'kubelet' | 'ideal';
  /** Over both clients. */
  readonly perSecond: number;
}

export interface Rolled {
  readonly sent: number;
  readonly lost: readonly string[];
  readonly seconds: number;
  /** Exit codes of the replicas that were replaced: an application's is 1 where its last call out was not answered. */
  readonly exits: Readonly<Record<'app' | 'istio-proxy', readonly number[]>>;
}

type Ends = Pick<TestContext, 'after'>;

const replicas = 3;
const patienceMs = 120_000;
const revisions: readonly RevisionName[] = ['a', 'b'];
/** This machine, as pods of `pod run` see it. */
const machine = '169.254.86.1';

/** One update after the other, from revision a to b and back. */
export async function rollUpdates(t: Ends, { orders, timing, perSecond }: RollingOptions): Promise<Rolled> {
  const { mesh, planes } = await startMesh(t);
  const [first, ...updates] = orders.map((order, index) =>
    webDeployment(mesh, { revision: revisions[index % 2] ?? 'a', order, replicas }),
  );
  const pods = runPods(
    [configMap(mesh), ...revisions.map((revision) => clientPod(mesh, revision)), first],
    ['-o', 'json', '--watch', '-q', '--timing', timing],
  );
  t.after(() => endRun(pods));
  const seen = followPods(pods, planes);
  await complete(pods);
  await until('both clients are ready', () => clientAddresses(seen).length === revisions.length, patienceMs);
  const loads = clientAddresses(seen).map((host) => startLoadOn(host, perSecond / revisions.length));
  const beganMs = performance.now();
  for (const update of updates) {
    const file = join(pods.folder, 'update.json');
    writeFileSync(file, JSON.stringify(update));
    await pods.meanwhile('apply', file);
    await complete(pods);
  }
  await until(
    'the last replaced pods have ended',
    () => replaced(seen).length === replicas * updates.length,
    patienceMs,
  );
  const results = await Promise.all(loads.map((load) => load.stop()));
  const sent = results.reduce((sum, each) => sum + each.sent, 0);
  const seconds = (performance.now() - beganMs) / 1000;
  return { sent, lost: results.flatMap(({ lost }) => lost), seconds, exits: exitsOf(replaced(seen)) };
}

async function startMesh(t: Ends): Promise<{ readonly mesh: MeshFacts; readonly planes: readonly XdsServer[] }> {
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

type Seen = ReadonlyMap<string, Pod>;

/** Every pod as it was last written; both planes learn of its readiness at once. */
function followPods(pods: RunningPods, planes: readonly XdsServer[]): Seen {
  const seen = new Map<string, Pod>();
  let told = '';
  createInterface({ input: pods.child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    const pod = JSON.parse(line) as Pod;
    seen.set(pod.metadata.name, pod);
    const ready = [...seen.values()].filter((each) => isWeb(each) && endpointConditions(each)?.ready === true);
    const places = ready.map(({ status }) => ({ host: status.podIP ?? '', port: podPorts.inbound }));
    if (JSON.stringify(places) === told) return;
    told = JSON.stringify(places);
    for (const plane of planes) plane.set(endpoints('web', places));
  });
  return seen;
}

function isWeb({ metadata }: Pod): boolean {
  return metadata.labels?.['app'] === 'web';
}

function clientAddresses(seen: Seen): readonly string[] {
  const ready = [...seen.values()].filter((pod) => !isWeb(pod) && endpointConditions(pod)?.ready === true);
  return ready.flatMap(({ status }) => status.podIP ?? []);
}

function startLoadOn(host: string, perSecond: number): Load {
  return startLoad({
    host,
    port: podPorts.callWeb,
    perSecond,
    path: '/ms/20',
    protocol: 'http1',
    requestsAtMost: 100_000,
  });
}

/** As `kubectl rollout status`: it does not wait for the old pods' end. */
async function complete({ folder, child }: RunningPods): Promise<void> {
  const client = runClient(join(folder, 'sock'));
  await until(
    'the roll-out is complete',
    async () => {
      if (child.exitCode !== null) throw new Error('pod run has ended');
      const { deployments } = await client.list().catch(() => ({ deployments: [] }));
      return deployments.some(({ status }) => status.complete);
    },
    patienceMs,
  );
}

/** Replicas of which nothing runs any more. */
function replaced(seen: Seen): readonly Pod[] {
  return [...seen.values()].filter(
    (pod) => isWeb(pod) && pod.metadata.deletionTimestamp !== undefined && isOver(statusesOf(pod)),
  );
}

type Statuses = NonNullable<Pod['status']['containerStatuses']>;

function statusesOf({ status }: Pod): Statuses {
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
}

function isOver(statuses: Statuses): boolean {
  return statuses.every(({ state }) => state.terminated !== undefined);
}

function exitsOf(pods: readonly Pod[]): Rolled['exits'] {
  const all = pods.flatMap(statusesOf);
  const of = (container: string): number[] =>
    all.flatMap(({ name, state }) => (name === container ? (state.terminated?.exitCode ?? []) : []));
  return { app: of('app'), 'istio-proxy': of('istio-proxy') };
}

/** The second signal ends the pods at once. */
async function endRun(pods: RunningPods): Promise<void> {
  const { child } = pods;
  child.kill('SIGINT');
  await pods.saw('once more ends them at once').catch(() => undefined);
  child.kill('SIGINT');
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await pods.ended;
  clearTimeout(timer);
  pods.remove();
}
