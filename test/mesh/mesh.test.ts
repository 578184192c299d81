// Fairway's admission server in the place of istiod's injectors, on a real node with Istio's own control planes of two revisions: pods run,
// talk by mutual TLS, and move from one revision to the other and back, by CI and by Krispr.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Connection } from '../../src/adapters/kube/connect.ts';
import { apply, clusterDown, fairway, kubectl, until } from '../cluster/kube.ts';
import { stopReplicas } from '../cluster/replica.ts';
import { type Cell, cellName, cellsOfCi } from './support/cells.ts';
import { type Loss, rollOutUnderLoad } from './support/drain.ts';
import { dryRun, knownRevisions, obeys, standIn } from './support/injectors.ts';
import { application, newRepository } from './support/shop.ts';
import {
  client,
  namespace,
  type Pod,
  podsOf,
  proxyOf,
  type Revision,
  revisions,
  rolledOut,
  stageUp,
  startClient,
  useAgent,
} from './support/stage.ts';

const names = ['web', 'cart', 'stock'] as const;
const repository = newRepository(names.map((name) => application({ name })));
const [older, newer] = revisions;
const guardSeconds = 15;
let connection: Connection;

before(async () => {
  connection = await stageUp();
  follow(older);
  repository.write('fairway.yml', knownRevisions);
  await standIn(repository.folder);
});
after(async () => {
  await stopReplicas();
  clusterDown(connection);
  repository.remove();
});

/** The edit that moves a fleet. */
function follow(revision: Revision): void {
  repository.write('rollouts.yml', `production: {${revision}: 100}\n`);
}

/** What a pod says about its revision: the label, its proxy's image, and who injected it. */
function carried(pod: Pod): readonly [label: string | undefined, image: string | undefined, by: string] {
  const proxy = proxyOf(pod);
  const own = proxy?.env?.some(({ name }) => name === 'FAIRWAY_DRAIN_DEADLINE') ?? false;
  return [pod.metadata.labels['istio.io/rev'], proxy?.image.split(':')[1], own ? 'fairway' : 'istiod'];
}

/** All three workloads have arrived, with one pod each, and answer the client. */
async function arrived(revision: Revision, by = 'fairway'): Promise<void> {
  rolledOut(...names);
  for (const name of names) {
    assert.deepEqual(podsOf(name).map(carried), [[revision, revision, by]], name);
    await until(`${name} answers`, async () => (await greet(name)).pod.startsWith(`${name}-`));
  }
}

interface Greeting {
  readonly pod: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function greet(name: string): Promise<Greeting> {
  const { status, body } = await client<{ status: number; body: string }>(`/fetch?url=http://${name}/`);
  return status === 200 ? (JSON.parse(body) as Greeting) : { pod: '', headers: {} };
}

test('pods start with the sidecar of their revision, and talk by mutual TLS alone', async () => {
  apply({
    apiVersion: 'security.istio.io/v1',
    kind: 'PeerAuthentication',
    metadata: { name: 'default', namespace },
    spec: { mtls: { mode: 'STRICT' } },
  });
  await repository.deploy();
  await startClient(newer);
  await arrived(older);
  const { headers } = await greet('web');
  assert.match(headers['x-forwarded-client-cert'] ?? '', /URI=spiffe:\/\/cluster\.local\/ns\/shop\/sa\/default/);
  await until('plain text is refused', async () => {
    const address = podsOf('web')[0]?.status.podIP;
    return await fetch(`http://${address}:8080/`).then(
      () => false,
      () => true,
    );
  });
});

test('one edit of rollouts.yml and CI move three Deployments, and the edit back moves them back', async () => {
  for (const revision of [newer, older]) {
    follow(revision);
    await repository.deploy();
    await arrived(revision);
  }
});

test('a roll-out under load loses nothing behind the shutdown guard', async () => {
  await startClient(older);
  await loseNothing([{ application: 'exit', sidecar: 'native' }], guardSeconds);
});

async function loseNothing(cells: readonly Cell[], guard: number | undefined): Promise<void> {
  const losses = await rollOut(cells, guard);
  assert.deepEqual(
    losses.map(({ lost }) => lost),
    cells.map(() => []),
  );
}

/** Gently, and with a long guard: on a machine that is busy everybody hears of an endpoint's end late. */
async function rollOut(cells: readonly Cell[], guard: number | undefined, pace = 0.3): Promise<readonly Loss[]> {
  const share = { least: 0.1, pace };
  const [losses = []] = await rollOutUnderLoad({ cells, share, guardSeconds: guard, rounds: 1 });
  return losses;
}

test('the guard that Krispr puts into pods at admission: without it a roll-out loses requests, with it none', async () => {
  const bare: Cell = { application: 'exit', sidecar: 'classic' }; // manifests and CI know nothing of the guard here
  const [without] = await rollOut([bare], undefined, 1);
  assert.notDeepEqual(without?.lost, [], `${without?.sent} were sent`);
  repository.write('fairway.yml', `${knownRevisions}mutators: {shutdown-guard: {seconds: ${guardSeconds}}}\n`);
  await until('the server follows', () => isGuarded(dryRun()));
  const pods = (): readonly Pod[] => podsOf(cellName(bare));
  const guarded = until('guarded pods', () => pods().length > 0 && pods().every(isGuarded));
  await Promise.all([loseNothing([bare], undefined), guarded]);
  repository.write('fairway.yml', knownRevisions);
  await until('the server follows back', () => !isGuarded(dryRun()));
});

interface Guarded {
  readonly containers: readonly {
    readonly lifecycle?: { readonly preStop?: { readonly sleep?: { seconds: number } } };
  }[];
  readonly terminationGracePeriodSeconds?: number;
}

/** The application's container waits before it is told to end, and the pod has the time for it. */
function isGuarded(pod: Pod): boolean {
  const { containers, terminationGracePeriodSeconds } = pod.spec as Guarded;
  const sleeps = containers.some(({ lifecycle }) => lifecycle?.preStop?.sleep?.seconds === guardSeconds);
  return sleeps && terminationGracePeriodSeconds === 30 + guardSeconds;
}

test("Fairway's own agent in the place of Istio's, from here on: certificates and mutual TLS", async () => {
  useAgent('fairway');
  await startClient(older);
  kubectl(['-n', namespace, 'rollout', 'restart', ...names.map((name) => `deployment/${name}`)]);
  await arrived(older);
  const log = kubectl(['-n', namespace, 'logs', podsOf('web')[0]?.metadata.name ?? '', '-c', 'istio-proxy']);
  assert.match(log, /workload certificate issued/);
});

test('with all of Fairway long requests, HTTP/2, WebSockets and calls while shutting down lose nothing', async () => {
  await obeys(repository, { exitOnZero: true });
  await loseNothing(cellsOfCi, guardSeconds);
  await obeys(repository, { exitOnZero: false });
});

test('with remutateAfter: 0 a restart is enough, forth and back', async () => {
  repository.write('fairway.yml', `remutateAfter: 0\n${knownRevisions}`);
  for (const revision of [newer, older]) {
    follow(revision);
    await until(`the server follows to ${revision}`, () => dryRun().metadata.labels['istio.io/rev'] === revision);
    kubectl(['-n', namespace, 'rollout', 'restart', ...names.map((name) => `deployment/${name}`)]);
    await arrived(revision);
  }
});

test("give-back: istiod's own injectors serve again", async () => {
  for (const revision of revisions) {
    const { status, stderr } = await fairway('admission', 'give-back', revision);
    assert.equal(status, 0, stderr);
    kubectl(['delete', 'mutatingwebhookconfiguration', `fairway-2-inject-${revision}`]);
  }
  kubectl(['-n', namespace, 'rollout', 'restart', ...names.map((name) => `deployment/${name}`)]);
  await arrived(older, 'istiod');
});
