// A mesh of pods that `fairway pod run` runs: three replicas of an application, two clients, two revisions of a control plane whose endpoints
// follow the pods' readiness as endpoint slices do. Rolls the replicas from one revision to the other under load and counts what is lost.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { runClient } from '../../src/apps/pod-runner/index.ts';
import { endpointConditions, type Pod } from '../../src/core/pod/index.ts';
import { type RunningPods, runPods } from '../process/run.ts';
import { endpoints } from '../xds/resources.ts';
import type { XdsServer } from '../xds/server.ts';
import { type Load, startLoad } from './load.ts';
import {
  clientPod,
  configMap,
  podPorts,
  type RevisionName,
  type SidecarOrder,
  webDeployment,
} from './rolling-manifests.ts';
import { startMesh } from './rolling-mesh.ts';
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

/** One update after the other, from revision a to b and back. */
export async function rollUpdates(t: Ends, options: RollingOptions): Promise<Rolled> {
  const { pods, seen, updates } = await startPods(t, options);
  await complete(pods);
  await until('both clients are ready', () => clientAddresses(seen).length === revisions.length, patienceMs);
  const loads = clientAddresses(seen).map((host) => startLoadOn(host, options.perSecond / revisions.length));
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

interface Running {
  readonly pods: RunningPods;
  readonly seen: Seen;
  /** The Deployment as each update makes it. */
  readonly updates: readonly object[];
}

async function startPods(t: Ends, { orders, timing }: RollingOptions): Promise<Running> {
  const { mesh, planes } = await startMesh(t);
  const [first, ...updates] = orders.map((order, index) =>
    webDeployment(mesh, { revision: revisions[index % 2] ?? 'a', order, replicas }),
  );
  const clients = revisions.map((revision) => clientPod(mesh, revision));
  const pods = runPods([configMap(mesh), ...clients, first], ['-o', 'json', '--watch', '-q', '--timing', timing]);
  t.after(() => endRun(pods));
  return { pods, seen: followPods(pods, planes), updates };
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
