// Krispr in a real admission chain: its own manifests, its own certificates, real owners, two stand-ins for istiod's injectors.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Connection } from '../../src/adapters/kube/connect.ts';
import { injectedBy, type StandIn } from './injector.ts';
import { applyInjectorTexts, install, isKind } from './install.ts';
import {
  apply,
  cli,
  createPod,
  doctorFinds,
  type Finding,
  fairway,
  kubectl,
  newNamespace,
  type Pod,
  revisionOf,
  until,
} from './kube.ts';
import { leadTo, type Replica, startReplica, stopReplicas } from './replica.ts';
import { type Stage, stageUp } from './stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-cluster-'));
writeFileSync(join(folder, 'rollouts.yml'), 'production: {b-2: 100}\n');
writeFileSync(join(folder, 'fairway.yml'), 'revisions: {a-1: {}, b-2: {}, gone: {retired: true}}\n');

let stage: Stage | undefined;
let connection: Connection;
let injector: StandIn;
let installed: readonly object[];
before(async () => {
  stage = await stageUp('a-1', 'b-2');
  ({ connection, injector } = stage);
  installed = await install('--config', folder);
});
after(async () => {
  await stage?.end();
  rmSync(folder, { recursive: true });
});

const serve = (...args: readonly string[]): Promise<Replica> => startReplica('--config', folder, ...args);

/** Starts a replica and waits until reviews reach it, and it alone. */
async function serveAlone(...args: readonly string[]): Promise<Replica> {
  const replica = await serve(...args);
  leadTo(replica);
  await reached(replica);
  return replica;
}

async function reached(...replicas: readonly Replica[]): Promise<void> {
  const counts = (): Promise<number[]> =>
    Promise.all(replicas.map((replica) => replica.metric('fairway_admission_reviews_total')));
  await until('reviews reach the replicas, and only them', async () => {
    const start = await counts();
    for (let i = 0; i < 12; i++) await createPod(connection, 'default', { generateName: 'probe-' }, true);
    const now = await counts();
    const gained = now.map((count, i) => count - (start[i] ?? 0));
    return gained.reduce((sum, each) => sum + each, 0) === 12 && gained.every((each) => each > 0);
  });
}

const both = (pod: Pod): readonly (string | undefined)[] => [revisionOf(pod), injectedBy(pod)];

test('the API server takes every manifest, also of injectors, by strict validation', async () => {
  const made = await fairway(
    'admission',
    'manifests',
    '--image',
    'example.test/fairway:1',
    '--config',
    folder,
    '--inject',
    'a-1',
    'b-2',
    '--default-revision',
    'a-1',
    '--every-namespace',
  );
  assert.equal(made.status, 0);
  kubectl(['apply', '--server-side', '--dry-run=server', '--validate=strict', '-f', '-'], made.stdout);
});

const broken: readonly (readonly [what: string, args: readonly string[], status: number, message: RegExp])[] = [
  ['rules that cannot be used', ['--config', '.broken'], 2, /rollouts\.yml:1:/],
  ['rules that cannot be used, of a policy', ['--config', '.broken', '--mode', 'policy'], 2, /rollouts\.yml:1:/],
  ['a ConfigMap that is not there', ['--config-map', 'nowhere'], 2, /there is no ConfigMap fairway-system\/nowhere/],
  ['a certificate that is not there', ['--config', folder, '--tls-cert', '/no', '--tls-key', '/no'], 2, /\/no/],
  ['a key that is none', ['--config', folder, '--tls-cert', cli, '--tls-key', cli], 2, /certificate/],
];
for (const [what, args, status, message] of broken)
  test(`the server ends over ${what}`, async () => {
    const bad = join(folder, 'broken');
    mkdirSync(bad, { recursive: true });
    writeFileSync(join(bad, 'rollouts.yml'), 'production: {b-2: 99}\n');
    const ports = ['--listen', '127.0.0.1:0', '--metrics', '127.0.0.1:0'];
    const wanted = args.map((each) => (each === '.broken' ? bad : each));
    const done = await fairway('admission', 'serve', ...wanted, ...ports);
    assert.equal(done.status, status, done.stderr);
    assert.match(done.stderr, message);
  });

test('label and injector agree, for every kind of pod, and a dry run leaves no trace', async () => {
  const team = await newNamespace('order');
  const replica = await serveAlone();
  for (const metadata of [{ generateName: 'made-' }, { name: 'named' }])
    assert.deepEqual(both(await createPod(connection, team, { ...metadata, labels: { 'istio.io/rev': 'gone' } })), [
      'b-2',
      'b-2',
    ]);
  assert.deepEqual(both(await createPod(connection, team, { name: 'young', labels: { 'istio.io/rev': 'a-1' } })), [
    'a-1',
    'a-1',
  ]);
  assert.deepEqual(both(await createPod(connection, team, { name: 'plain' })), [undefined, undefined]);
  await until('an Event of the warning', () =>
    kubectl(['-n', team, 'get', 'events', '-o', 'name']).includes('fairway-krispr-'),
  );
  const dry = await newNamespace('dry');
  assert.deepEqual(both(await createPod(connection, dry, { name: 'dry', labels: { 'istio.io/rev': 'gone' } }, true)), [
    'b-2',
    'b-2',
  ]);
  assert.equal(await replica.metric('fairway_admission_labels_total', 'because="retired"'), 2);
  assert.equal(kubectl(['-n', dry, 'get', 'events', '-o', 'name']), '');
});

test('the order of names decides: behind the injectors Krispr makes labels that lie', async () => {
  const team = await newNamespace('disorder');
  const krispr = installed.find((each) => isKind(each, 'MutatingWebhookConfiguration')) as {
    metadata: { name: string };
    webhooks: object[];
  };
  const live = JSON.parse(kubectl(['get', 'mutatingwebhookconfiguration', krispr.metadata.name, '-o', 'json'])) as {
    webhooks: object[];
  };
  apply({ ...krispr, metadata: { ...krispr.metadata, name: 'zz-krispr' }, webhooks: live.webhooks });
  kubectl(['delete', 'mutatingwebhookconfiguration', krispr.metadata.name]);
  injector.configure('gone');
  const pod = { generateName: 'x-', labels: { 'istio.io/rev': 'gone' } };
  await until('the lie', async () => both(await createPod(connection, team, pod, true)).join() === 'b-2,gone');
  assert.deepEqual(
    (await find('krispr-too-late', 'order-broken')).map(({ code }) => code),
    [...Array<string>(3).fill('krispr-too-late'), 'order-broken', 'order-broken'],
  );
  apply(krispr);
  kubectl(['delete', 'mutatingwebhookconfiguration', 'zz-krispr', 'istio-sidecar-injector-gone']);
  await until('the truth', async () => both(await createPod(connection, team, pod, true)).join() === 'b-2,b-2');
});

/** What doctor finds of these kinds. */
const find = (...codes: readonly string[]): Promise<readonly Finding[]> =>
  doctorFinds({ folder, namespace: 'default' }, codes);

test('doctor: a sound cluster, and what it finds in one that is not', async () => {
  await newNamespace('sick', { 'istio-injection': 'enabled', 'istio.io/rev': 'a-1' });
  assert.deepEqual(
    await find('krispr-missing', 'krispr-too-late', 'order-broken', 'ca-bundle', 'double-injection'),
    [],
  );
  const found = (await find('revision-shadowed', 'injection-unserved')).map(({ code, path }) => `${code} ${path}`);
  assert.deepEqual(found.sort(), ['injection-unserved sick', 'revision-shadowed sick']);
  kubectl(['delete', 'namespace', 'sick', '--wait=false']);
  const outdated = deployment('outdated') as {
    metadata: object;
    spec: { selector: { matchLabels: object }; template: { metadata: { labels: object } } };
  };
  for (const labels of [outdated.spec.selector.matchLabels, outdated.spec.template.metadata.labels])
    Object.assign(labels, { 'istio.io/rev': 'gone' });
  Object.assign(outdated.metadata, { namespace: 'default' });
  apply(outdated);
  assert.deepEqual(
    (await find('selector-has-revision', 'revision-in-use')).map(({ code, path }) => `${code} ${path}`),
    ['selector-has-revision default/Deployment/outdated', 'revision-in-use default/Deployment/outdated'],
  );
  kubectl(['-n', 'default', 'delete', 'deployment', 'outdated']);
});

const deployment = (name: string, annotations: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'ages', annotations },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name, 'istio.io/rev': 'a-1' } },
      spec: { containers: [{ name: 'app', image: 'example.test/app:1' }] },
    },
  },
});

/** Kills the workload's pod and gives what its owner makes instead. */
async function replaced(selector: string): Promise<Pod> {
  const list = (): Pod[] =>
    (JSON.parse(kubectl(['-n', 'ages', 'get', 'pods', '-l', selector, '-o', 'json'])) as { items: Pod[] }).items;
  await until(`a pod of ${selector}`, () => list().length > 0);
  const old = new Set(list().map(({ metadata }) => metadata.name));
  kubectl(['-n', 'ages', 'delete', 'pods', '-l', selector, '--grace-period=0', '--force']);
  let found: Pod | undefined;
  await until(`another pod of ${selector}`, () => {
    found = list().find(({ metadata }) => !old.has(metadata.name) || selector.includes('db'));
    return found !== undefined;
  });
  assert.ok(found !== undefined);
  return found;
}

test('ages of real owners: young until 14 days, old after, by the clock of the server', async () => {
  await newNamespace('ages');
  const stamped = deployment('stamped', { 'fairway.dev/stamped-at': '2020-01-01T00:00:00Z' });
  const statefulSet = { ...deployment('db'), kind: 'StatefulSet' };
  const daemonless = { ...deployment('bare'), kind: 'ReplicaSet' };
  const selecting = deployment('picky') as { spec: { selector: { matchLabels: object } } };
  Object.assign(selecting.spec.selector.matchLabels, { 'istio.io/rev': 'a-1' });
  apply(deployment('web'), stamped, statefulSet, daemonless, selecting);
  const apps = ['web', 'stamped', 'db', 'bare', 'picky'];
  for (const [offset, expected] of [
    ['335h', ['a-1', 'a-1', 'a-1', 'a-1', 'a-1']],
    ['337h', ['b-2', 'b-2', 'b-2', 'b-2', 'a-1']],
  ] as const) {
    await serveAlone('--now-offset', offset);
    const pods = await Promise.all(apps.map((app) => replaced(`app=${app}`)));
    assert.deepEqual(pods.map(revisionOf), expected, offset);
    assert.deepEqual(pods.map(injectedBy), expected, offset);
  }
});

test('an owner of a kind that nobody watches ages from its first sight, also across a restart of the server', async () => {
  const team = await newNamespace('strange');
  kubectl(['-n', team, 'create', 'configmap', 'owner']);
  const uid = kubectl(['-n', team, 'get', 'configmap', 'owner', '-o', 'jsonpath={.metadata.uid}']);
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, controller: true }];
  const labels = { 'istio.io/rev': 'a-1' };
  const made = (dryRun: boolean): Promise<Pod> =>
    createPod(connection, team, { generateName: 'x-', labels, ownerReferences }, dryRun);
  await stopReplicas();
  await serveAlone();
  assert.equal(revisionOf(await made(false)), 'a-1');
  const sights = [
    '-n',
    'fairway-system',
    'get',
    'configmap',
    'fairway-first-sights',
    '--ignore-not-found',
    '-o',
    'yaml',
  ];
  await until('the sight is kept', () => kubectl(sights).includes(uid));
  await stopReplicas();
  await serveAlone('--now-offset', '337h');
  await until('its age', async () => revisionOf(await made(true)) === 'b-2');
});

/** Creates pods at once, so many at a time; counts what came of them. */
async function burst(count: number, during: (done: number) => void = () => {}): Promise<Map<string, number>> {
  const results = new Map<string, number>();
  let started = 0;
  let done = 0;
  const worker = async (): Promise<void> => {
    while (started < count) {
      started++;
      const result = await createPod(connection, 'burst', { generateName: 'x-', labels: { 'istio.io/rev': 'gone' } })
        .then((pod) => both(pod).join('/'))
        .catch((error: Error) => error.message.slice(0, 200));
      results.set(result, (results.get(result) ?? 0) + 1);
      during(++done);
    }
  };
  await Promise.all(Array.from({ length: 25 }, worker));
  return results;
}

test('500 pods at once, two replicas: all labelled and injected', async () => {
  await newNamespace('burst');
  const pair = await Promise.all([serve(), serve()]);
  leadTo(...pair);
  await reached(...pair);
  assert.deepEqual(await burst(500), new Map([['b-2/b-2', 500]]));
  for (const replica of pair) assert.ok((await replica.metric('fairway_admission_labels_total')) > 100);
});

test('a replica that is killed in the middle fails no creation; what it missed keeps its label', async () => {
  const pair = await Promise.all([serve(), serve()]);
  leadTo(...pair);
  await reached(...pair);
  const results = await burst(500, (done) => {
    if (done === 100) pair[0]?.process.kill('SIGKILL');
    if (done === 300) leadTo(...pair.slice(1));
  });
  const [labelled = 0, missed = 0] = ['b-2/b-2', 'gone/'].map((result) => results.get(result) ?? 0);
  assert.equal(labelled + missed, 500, JSON.stringify([...results]));
  assert.ok(labelled >= 300, JSON.stringify([...results]));
});

test('a replica that is asked to end answers everything that still reaches it', async () => {
  const pair = await Promise.all([serve(), serve()]);
  leadTo(...pair);
  await reached(...pair);
  const results = await burst(600, (done) => {
    if (done !== 100) return;
    pair[0]?.process.kill('SIGTERM');
    leadTo(...pair.slice(1));
  });
  assert.deepEqual(results, new Map([['b-2/b-2', 600]]));
  assert.equal(await pair[0]?.exited, 0);
});

test('root and leaf change under load, and no review is missed', async () => {
  await newNamespace('burst');
  const lives = ['--root-life', '60s', '--leaf-life', '20s'];
  kubectl(['-n', 'fairway-system', 'delete', 'secret', 'fairway-admission-ca', '--ignore-not-found']);
  await stopReplicas();
  const pair = await Promise.all([serve(...lives), serve(...lives)]);
  leadTo(...pair);
  await reached(...pair);
  const total = new Map<string, number>();
  const promoted = (): boolean => pair.some((replica) => replica.log().includes('"step":"drop-previous"'));
  const endMs = Date.now() + 90_000;
  while (!promoted() && Date.now() < endMs)
    for (const [result, count] of await burst(50)) total.set(result, (total.get(result) ?? 0) + count);
  assert.ok(promoted(), 'the root was changed');
  assert.deepEqual([...total.keys()], ['b-2/b-2']);
});

test('a caBundle that somebody overwrites is right again in seconds', async () => {
  const path = '{.webhooks[0].clientConfig.caBundle}';
  const read = (): string =>
    kubectl(['get', 'mutatingwebhookconfiguration', 'fairway-1-krispr', '-o', `jsonpath=${path}`]);
  const whole = read();
  const patch = '[{"op":"remove","path":"/webhooks/0/clientConfig/caBundle"}]';
  const configuration = ['mutatingwebhookconfiguration', 'fairway-1-krispr'];
  // What the patch made, not what is there a moment later: it may be right again by then.
  const patched = kubectl(['patch', ...configuration, '--type=json', '-p', patch, '-o', `jsonpath=${path}`]);
  assert.equal(patched, '');
  await until('the bundle', () => read().length >= whole.length / 2);
});

test("Fairway's own injector in the place of istiod's: the API server takes what it makes, and Krispr comes before it", async () => {
  const team = await newNamespace('own');
  applyInjectorTexts('b-2');
  const injected = ['--config', folder, '--inject', 'b-2'] as const;
  const made = await fairway('admission', 'manifests', '--image', 'x', ...injected, '--only', 'webhooks');
  await install(...injected, '--only', 'server');
  // Or one that knows nothing of the injector's configuration would hold the Lease.
  await stopReplicas();
  await serveAlone('--inject', 'b-2');
  const early = await fairway('admission', 'take-over', 'b-2');
  assert.equal(early.status, 2);
  assert.match(early.stderr, /fairway-2-inject-b-2 cannot be called yet/);
  kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], made.stdout);
  await until(
    'the take-over',
    async () => (await fairway('admission', 'take-over', 'b-2')).stdout === 'istio-sidecar-injector-b-2: changed\n',
  );
  let pod: Pod | undefined;
  await until('a pod with a proxy', async () => {
    pod = await createPod(connection, team, { generateName: 'own-', labels: { 'istio.io/rev': 'gone' } }).catch(
      () => undefined,
    );
    return pod !== undefined;
  });
  assert.ok(pod !== undefined);
  assert.deepEqual(both(pod), ['b-2', 'b-2']);
  const { spec } = pod as unknown as { spec: { initContainers: { name: string; image: string }[] } };
  assert.deepEqual(spec.initContainers.find(({ name }) => name === 'istio-proxy')?.image, 'example.test/proxy:2');
  const refused = createPod(connection, team, {
    name: 'odd',
    labels: { 'istio.io/rev': 'b-2' },
    annotations: { 'fairway.dev/proxy-lifecycle': 'x' },
  });
  await assert.rejects(refused, /fairway\.dev\/proxy-lifecycle/);
  kubectl(['delete', 'mutatingwebhookconfiguration', 'fairway-2-inject-b-2']);
  assert.equal((await fairway('admission', 'give-back', 'b-2')).stdout, 'istio-sidecar-injector-b-2: changed\n');
  await until(
    "istiod's injector again",
    async () =>
      injectedBy(
        await createPod(connection, team, { generateName: 'back-', labels: { 'istio.io/rev': 'b-2' } }, true),
      ) === 'b-2',
  );
});
