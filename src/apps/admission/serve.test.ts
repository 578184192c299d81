import assert from 'node:assert/strict';
import { connect as connectHttp2 } from 'node:http2';
import { Agent, request as httpsRequest } from 'node:https';
import { after, before, test } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { RuleFiles } from '../../core/admission/index.ts';
import { issue, newAuthority } from './authority.ts';
import { fakeCluster } from './fake-cluster.ts';
import type { Log } from './log.ts';
import { type AdmissionPorts, type RunningAdmission, serveAdmission } from './serve.ts';
import type { Certificate } from './server.ts';

const day = 86_400_000;
const now = Date.UTC(2026, 10, 30);
const life = { nowMs: Date.now(), lifeMs: 3_600_000 };

let authority: Certificate;
const agents: Agent[] = [];
const running: RunningAdmission[] = [];
before(async () => {
  authority = await newAuthority(life);
});
after(async () => {
  for (const agent of agents) agent.destroy();
  await Promise.all(running.map((server) => server.drain()));
});

interface World {
  readonly server: RunningAdmission;
  readonly cluster: ReturnType<typeof fakeCluster>;
  /** How often garbage was collected. */
  readonly collections: () => number;
  readonly lines: { readonly level: string; readonly message: string; readonly fields: Record<string, unknown> }[];
  readonly setFiles: (files: RuleFiles) => void;
  readonly setCertificate: (certificate: Certificate) => void;
  readonly post: (path: string, body: unknown, headers?: Readonly<Record<string, string>>) => Promise<Reply>;
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly response?: Readonly<Record<string, unknown>>;
}

/** A server whose cluster has injectors for a-1 and b-2. */
async function start(rollouts = 'production: {b-2: 100}\n', pause = Promise.resolve()): Promise<World> {
  let files: RuleFiles = { 'rollouts.yml': rollouts };
  let certificate = await issue(authority, ['localhost'], life);
  const cluster = fakeCluster(({ path }) => ({ status: path in served ? 200 : 404, body: served[path] ?? {} }));
  let collections = 0;
  const lines: World['lines'] = [];
  const line = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, message, fields: fields as Record<string, unknown> });
  const log: Log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
  const ports: AdmissionPorts = {
    ruleFiles: () => Promise.resolve(files),
    certificate: () => Promise.resolve(certificate),
    cluster,
    nowMs: () => now,
    pause: () => pause,
    collectGarbage: () => void collections++,
    log,
  };
  const at = { host: '127.0.0.1', port: 0 };
  const server = await serveAdmission(
    { listen: at, metrics: at, instance: 'test', pollMs: 5, drainDelayMs: 20, drainDeadlineMs: 1000 },
    ports,
  );
  running.push(server);
  for (const revision of ['a-1', 'b-2']) cluster.put('mutatingwebhookconfigurations', injector(revision));
  const agent = new Agent({ keepAlive: true, ca: authority.cert });
  agents.push(agent);
  return {
    server,
    cluster,
    collections: () => collections,
    lines,
    setFiles: (next) => (files = next),
    setCertificate: (next) => (certificate = next),
    post: (path, body, headers = {}) => send(agent, server.port, { path, body, headers }),
  };
}

interface Sent {
  readonly path: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
}

async function send(agent: Agent, port: number, { path, body, headers = {}, method = 'POST' }: Sent): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const sent = httpsRequest(
    { host: 'localhost', port, path, method, agent, headers: { 'content-type': 'application/json', ...headers } },
    (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const parsed =
          response.statusCode === 200 ? (JSON.parse(text) as { response: Record<string, unknown> }) : undefined;
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          ...(parsed === undefined ? {} : { response: parsed.response }),
        });
      });
    },
  );
  sent.on('error', reject);
  sent.end(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body));
  return promise;
}

function review(metadata: object, request: object = {}): object {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u-1',
      operation: 'CREATE',
      resource: { group: '', resource: 'pods' },
      namespace: 'shop',
      object: { metadata },
      ...request,
    },
  };
}

const injector = (revision: string): object => ({
  metadata: { uid: revision, name: revision },
  webhooks: [
    {
      rules: [{ operations: ['CREATE'], resources: ['pods'] }],
      objectSelector: { matchLabels: { 'istio.io/rev': revision } },
    },
  ],
});
const owned = (uid: string, days: number, owner?: object): object => ({
  metadata: {
    uid,
    name: uid,
    namespace: 'shop',
    creationTimestamp: new Date(now - days * day).toISOString(),
    ...(owner === undefined ? {} : { ownerReferences: [owner] }),
  },
});
const served: Readonly<Record<string, object>> = {
  '/apis/apps/v1/namespaces/shop/replicasets/clear': owned('clear', 90),
  '/apis/apps/v1/namespaces/shop/replicasets/picky': {
    ...owned('picky', 90),
    spec: { selector: { matchLabels: { 'istio.io/rev': 'a-1' } } },
  },
  '/apis/argoproj.io': { preferredVersion: { version: 'v1alpha1' } },
  '/apis/argoproj.io/v1alpha1': {
    resources: [
      { name: 'rollouts/status', kind: 'Rollout' },
      { name: 'rollouts', kind: 'Rollout' },
    ],
  },
};

const reference = (kind: string, uid: string) => ({ apiVersion: 'apps/v1', kind, name: uid, uid, controller: true });
const labelled = (revision: string, replicaSet?: string) => ({
  generateName: 'web-',
  labels: { 'istio.io/rev': revision },
  ...(replicaSet === undefined ? {} : { ownerReferences: [reference('ReplicaSet', replicaSet)] }),
});

function patchIn({ response }: Reply): unknown {
  const patch = response?.['patch'];
  return typeof patch === 'string' ? JSON.parse(Buffer.from(patch, 'base64').toString('utf8')) : undefined;
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 400; i++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.fail(`never: ${what}`);
}

async function metric(server: RunningAdmission, line: string): Promise<boolean> {
  return (await (await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`)).text()).split('\n').includes(line);
}

test('an old workload moves, a young one stays, both from what the watches told', async () => {
  const { server, cluster, post } = await start();
  cluster.sync();
  cluster.put('deployments', owned('web', 900));
  cluster.put('replicasets', owned('old', 30, reference('Deployment', 'web')));
  assert.deepEqual(patchIn(await post('/krispr', review(labelled('a-1', 'old')))), [
    { op: 'replace', path: '/metadata/labels/istio.io~1rev', value: 'b-2' },
  ]);
  cluster.put('replicasets', owned('young', 2, reference('Deployment', 'web')));
  assert.equal(patchIn(await post('/krispr?timeout=2s', review(labelled('a-1', 'old')))), undefined);
  cluster.remove('replicasets', 'young');
  assert.notEqual(patchIn(await post('/krispr', review(labelled('a-1', 'old')))), undefined);
  assert.ok(await metric(server, 'fairway_admission_labels_total{revision="b-2",because="age"} 2'));
  assert.ok(
    await metric(
      server,
      'fairway_admission_reviews_total{path="/krispr",verdict="leave",because="young",dry_run="false"} 1',
    ),
  );
});

test('ready when every cache is, and not while it drains; in-flight and idle connections end well', async () => {
  const { promise: pause, resolve: goOn } = Promise.withResolvers<void>();
  const { server, cluster, post } = await start(undefined, pause);
  const ready = async () => (await fetch(`http://127.0.0.1:${server.metricsPort}/readyz`)).status;
  assert.equal(await ready(), 503);
  cluster.sync();
  assert.equal(await ready(), 200);
  assert.ok(
    cluster.followed.includes('controllerrevisions') &&
      cluster.followed.includes('cronjobs') &&
      cluster.followed.includes('namespaces'),
  );
  assert.equal((await post('/krispr', review(labelled('b-2')))).headers['connection'], 'keep-alive');
  const drained = server.drain();
  assert.equal(await ready(), 503);
  const last = await post('/krispr', review(labelled('b-2')));
  assert.deepEqual([last.status, last.headers['connection']], [200, 'close']);
  goOn();
  await drained;
  await assert.rejects(post('/krispr', review(labelled('b-2'))));
});

test('what reading the cluster left is collected once, before the server is ready', async () => {
  const { server, cluster, collections } = await start();
  assert.deepEqual([server.isReady(), collections()], [false, 0]);
  cluster.sync();
  assert.deepEqual([server.isReady(), server.isReady(), collections()], [true, true, 1]);
});

test('a warning becomes an Event of the workload, once, and never on a dry run', async () => {
  const { cluster, post, lines } = await start();
  cluster.sync();
  const gone = labelled('a-0', 'nobody');
  const posted = () => cluster.sent.filter(({ method }) => method === 'POST');
  const dry = await post('/krispr', review(gone, { dryRun: true }));
  assert.equal(posted().length, 0);
  for (let i = 0; i < 3; i++) await post('/krispr', review(gone));
  assert.deepEqual(dry.response?.['warnings'], ['krispr: no injector serves revision a-0: using b-2']);
  assert.equal(posted().length, 1);
  const [event] = posted();
  assert.equal(event?.path, '/apis/events.k8s.io/v1/namespaces/shop/events');
  const { reason, regarding, note } = event.body as Record<string, unknown>;
  assert.deepEqual(
    { reason, regarding, note },
    {
      reason: 'KrisprUnserved',
      regarding: { kind: 'ReplicaSet', namespace: 'shop', name: 'nobody' },
      note: 'no injector serves revision a-0: using b-2',
    },
  );
  assert.equal(lines.filter(({ message }) => message === 'pod labelled').length, 4);
});

test('before the first complete copy nothing is taken for old or unserved', async () => {
  const { cluster, post } = await start();
  cluster.put('statefulsets', owned('old', 30));
  const verdict = async (revision: string) =>
    (await post('/krispr', review(labelled(revision, 'old')))).response?.['auditAnnotations'];
  assert.deepEqual(await verdict('a-1'), { verdict: 'leave owner-unknown' });
  assert.deepEqual(await verdict('gone'), { verdict: 'leave owner-unknown' });
  cluster.sync();
  assert.deepEqual(await verdict('a-1'), { verdict: 'label age', revision: 'a-1 -> b-2' });
  assert.deepEqual(await verdict('gone'), { verdict: 'label unserved', revision: 'gone -> b-2' });
});

test('a ReplicaSet without an owner is known once its selector was read', async () => {
  const { cluster, post } = await start();
  cluster.sync();
  for (const name of ['clear', 'picky', 'lost']) cluster.put('replicasets', owned(name, 90));
  const verdict = async (name: string) =>
    (await post('/krispr', review(labelled('a-1', name)))).response?.['auditAnnotations'];
  assert.deepEqual(await verdict('clear'), { verdict: 'label age', revision: 'a-1 -> b-2' });
  assert.deepEqual(await verdict('picky'), { verdict: 'leave selector' });
  assert.deepEqual(await verdict('lost'), { verdict: 'leave owner-unknown' });
});

test('kinds of fairway.yml are followed as the cluster serves them; one that it lacks is told', async () => {
  const { cluster, setFiles, post, lines } = await start();
  cluster.sync();
  const kinds = ['Rollout', 'Gone'].map((kind) => `{apiVersion: argoproj.io, kind: ${kind}, template: /spec/template}`);
  const owner = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', name: 'web', uid: 'web', controller: true };
  const pod = review({ ...labelled('a-1'), ownerReferences: [owner] });
  assert.deepEqual((await post('/krispr', pod)).response?.['auditAnnotations'], { verdict: 'leave young' });
  setFiles({ 'rollouts.yml': 'production: {b-2: 100}\n', 'fairway.yml': `kinds: [${kinds.join(', ')}]\n` });
  await until('the kinds', () => lines.some(({ fields }) => fields['kind'] === 'Gone'));
  assert.ok(cluster.followed.includes('rollouts'));
  cluster.put('rollouts', owned('web', 90));
  assert.deepEqual((await post('/krispr', pod)).response?.['auditAnnotations'], {
    verdict: 'label age',
    revision: 'a-1 -> b-2',
  });
});

test('the shutdown guard is in the same patch, where an injector takes the pod and the cluster is new enough', async () => {
  const { server, cluster, setFiles, post } = await start();
  setFiles({ 'rollouts.yml': 'production: {b-2: 100}\n', 'fairway.yml': 'mutators: {shutdown-guard: {seconds: 6}}\n' });
  cluster.put('namespaces', { metadata: { uid: 'n', name: 'shop', labels: {} } });
  cluster.sync();
  const spec = { containers: [{ name: 'app' }], terminationGracePeriodSeconds: 30 };
  const sent = (revision: string) => post('/krispr', review({}, { object: { metadata: labelled(revision), spec } }));
  const paths = async (revision: string) =>
    ((patchIn(await sent(revision)) as { path: string }[] | undefined) ?? []).map(({ path }) => path);
  const guarded = ['/spec/containers/0/lifecycle', '/spec/terminationGracePeriodSeconds', '/metadata/annotations'];
  await until('the rules', async () => (await paths('b-2')).length > 0);
  assert.deepEqual(await paths('b-2'), guarded);
  assert.deepEqual(await paths('gone'), ['/metadata/labels/istio.io~1rev', ...guarded]);
  assert.ok(await metric(server, 'fairway_admission_guarded_total 3'));
  cluster.remove('mutatingwebhookconfigurations', 'b-2');
  assert.deepEqual(await paths('b-2'), []);
});

test('a pod of an ambient namespace, on the host network or opted out is left alone', async () => {
  const { cluster, post } = await start();
  cluster.put('namespaces', { metadata: { uid: 'n', name: 'mist', labels: { 'istio.io/dataplane-mode': 'ambient' } } });
  const spec = { hostNetwork: true };
  const outside = [
    review(labelled('gone'), { namespace: 'mist' }),
    review({}, { object: { metadata: labelled('gone'), spec } }),
    review({ ...labelled('gone'), annotations: { 'sidecar.istio.io/inject': 'false' } }),
  ];
  for (const body of outside)
    assert.deepEqual((await post('/krispr', body)).response?.['auditAnnotations'], { verdict: 'leave outside' });
});

test('an edit of the files is followed; a broken one keeps what was', async () => {
  const { server, setFiles, post } = await start('production: {a-1: 100}\n');
  const audit = async () => (await post('/krispr', review(labelled('c-9')))).response?.['auditAnnotations'];
  setFiles({
    'rollouts.yml': 'production: {b-2: 100}\n',
    'fairway.yml': 'revisions: {b-2: {}, c-9: {retired: true}}\n',
  });
  await until('the edit', async () => JSON.stringify(await audit()).includes('c-9 -> b-2'));
  setFiles({ 'rollouts.yml': 'production: {b-2: 99}\n' });
  await until('the broken edit', () => metric(server, 'fairway_admission_rules_broken 1'));
  assert.deepEqual(await audit(), { verdict: 'label retired', revision: 'c-9 -> b-2' });
});

test('no rules, no server', async () => {
  await assert.rejects(start('production: {a-1: 99}\n'), /99/);
});

const refusals: readonly (readonly [what: string, sent: Partial<Sent>, status: number])[] = [
  ['another method', { method: 'GET', body: '' }, 405],
  ['another path', { path: '/other' }, 404],
  ['a path below', { path: '/krispr/x' }, 404],
  ['another content type', { headers: { 'content-type': 'application/yaml' } }, 415],
  ['no body', { body: '' }, 400],
  ['half a body', { body: '{"kind":' }, 400],
  ['a body that nests', { body: `${'['.repeat(100_000)}${']'.repeat(100_000)}` }, 400],
  ['a body beyond the limit', { body: Buffer.alloc(7 * 2 ** 20 + 1, 0x20) }, 413],
  ['no review', { body: '{"kind":"Pod"}' }, 400],
  ['no uid', { body: review({}, { uid: undefined }) }, 400],
];
test('what is no review is refused, and the server lives on', async () => {
  const { server, post } = await start();
  for (const [what, sent, status] of refusals) {
    const agent = new Agent({ ca: authority.cert });
    const reply = await send(agent, server.port, { path: '/krispr', body: review(labelled('b-2')), ...sent }).catch(
      (error: Error) => error,
    );
    // A server that answers before it has read all may close while the client still writes.
    if (reply instanceof Error) assert.equal(status, 413, `${what}: ${reply.message}`);
    else assert.deepEqual([what, reply.status], [what, status]);
  }
  assert.equal(
    (await post('/krispr', review({ ...labelled('b-2'), annotations: { big: 'x'.repeat(4 * 2 ** 20) } }))).status,
    200,
  );
  assert.ok(await metric(server, 'fairway_admission_in_flight 0'));
});

test('HTTP/2 is served too', async () => {
  const { server } = await start();
  const session = connectHttp2(`https://localhost:${server.port}`, { ca: authority.cert });
  const stream = session.request({ ':method': 'POST', ':path': '/krispr', 'content-type': 'application/json' });
  stream.end(JSON.stringify(review(labelled('b-2'))));
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  assert.equal(
    (JSON.parse(Buffer.concat(chunks).toString('utf8')) as { response: { allowed: boolean } }).response.allowed,
    true,
  );
  await server.drain();
  assert.equal(session.closed || session.destroyed, true);
});

test('a new certificate serves new connections; an open one goes on; a broken one changes nothing', async () => {
  const { server, setCertificate, post, lines } = await start();
  const serial = async (): Promise<string> => {
    const socket: TLSSocket = connectTls({
      host: 'localhost',
      port: server.port,
      ca: authority.cert,
      servername: 'localhost',
    });
    await new Promise((resolve) => socket.once('secureConnect', resolve));
    const { serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return serialNumber;
  };
  await post('/krispr', review(labelled('b-2')));
  const first = await serial();
  setCertificate(await issue(authority, ['localhost'], life));
  await until('the new certificate', async () => (await serial()) !== first);
  const second = await serial();
  assert.equal((await post('/krispr', review(labelled('b-2')))).status, 200);
  const [one, other] = [await issue(authority, ['localhost'], life), await issue(authority, ['localhost'], life)];
  for (const broken of [
    { cert: 'broken', key: 'broken' },
    { cert: '', key: one.key },
    { cert: one.cert, key: '' },
    { cert: one.cert, key: other.key },
  ]) {
    const complaints = (): number =>
      lines.filter(({ level, message }) => level === 'error' && message.includes('certificate')).length;
    const known = complaints();
    setCertificate(broken);
    await until('the complaint', () => complaints() > known);
    assert.equal(await serial(), second);
  }
});
