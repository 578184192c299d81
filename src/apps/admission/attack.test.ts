// Everything that is no honest review, sent to the whole server over TLS: it answers as an API server expects, allows nothing that it did not look
// at, and lives on.
import assert from 'node:assert/strict';
import { Agent, request as httpsRequest } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { after, before, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import * as fc from 'fast-check';
import { defaultConfigText, defaultValuesText } from '../../core/inject/index.ts';
import { issue, newAuthority } from './authority.ts';
import { longestBody } from './body.ts';
import { fakeCluster } from './fake-cluster.ts';
import { type RunningAdmission, serveAdmission } from './serve.ts';
import type { Certificate } from './server.ts';

const life = { nowMs: Date.now(), lifeMs: 3_600_000 };
let authority: Certificate;
let server: RunningAdmission;
let agent: Agent;

before(async () => {
  authority = await newAuthority(life);
  const certificate = await issue(authority, ['localhost'], life);
  const cluster = fakeCluster(() => ({ status: 404, body: {} }));
  const at = { host: '127.0.0.1', port: 0 };
  const quiet = (): void => {};
  server = await serveAdmission(
    { listen: at, metrics: at, instance: 'test', pollMs: 60_000, drainDelayMs: 0, drainDeadlineMs: 1000 },
    {
      ruleFiles: () => Promise.resolve({ 'rollouts.yml': 'production: {b-2: 100}\n' }),
      certificate: () => Promise.resolve(certificate),
      cluster,
      inject: { revisions: ['b-2'], compat: 'fairway' },
      nowMs: () => 0,
      pause: () => Promise.resolve(),
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    },
  );
  const values = defaultValuesText({ image: 'example.test/proxy:2', discovery: 'istiod.test:15012', revision: 'b-2' });
  const maps = { 'istio-sidecar-injector-b-2': { config: defaultConfigText(), values }, 'istio-b-2': { mesh: '{}\n' } };
  for (const [name, data] of Object.entries(maps)) cluster.put(`configmaps/${name}`, { metadata: { name }, data });
  cluster.sync();
  agent = new Agent({ keepAlive: true, ca: authority.cert });
});
after(async () => {
  agent.destroy();
  await server.drain();
});

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly body: string | Uint8Array | object;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Reply {
  readonly status: number;
  readonly text: string;
}

const paths = ['/krispr', '/inject/b-2'];

/** Resolves to 413 too where the server closes before everything was written. */
function send({ path = '/krispr', method = 'POST', body, headers = {} }: Sent): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const usual = { 'content-type': 'application/json' };
  const target = { host: 'localhost', port: server.port, path, method, agent, headers: { ...usual, ...headers } };
  const sent = httpsRequest(target, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () =>
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
    );
    response.on('error', reject);
  });
  sent.on('error', (error: NodeJS.ErrnoException) =>
    error.code === 'EPIPE' || error.code === 'ECONNRESET' ? resolve({ status: 413, text: '' }) : reject(error),
  );
  sent.end(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body));
  return promise;
}

const pod = { metadata: { name: 'p', labels: { 'istio.io/rev': 'a-1' } }, spec: { containers: [{ name: 'app' }] } };
function review(request: object = {}, rest: object = {}): object {
  const usual = {
    uid: 'u-1',
    operation: 'CREATE',
    namespace: 'shop',
    resource: { group: '', resource: 'pods' },
    object: pod,
  };
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { ...usual, ...request }, ...rest };
}

interface Answer {
  readonly uid: string;
  readonly allowed: boolean;
  readonly patch?: string;
}
const answerOf = ({ text }: Reply): Answer => (JSON.parse(text) as { response: Answer }).response;

const refused: readonly (readonly [what: string, sent: Partial<Sent>, status: number])[] = [
  ['GET', { method: 'GET', body: '' }, 405],
  ['PUT', { method: 'PUT', body: review() }, 405],
  ['no type', { headers: { 'content-type': '' } }, 415],
  ['YAML', { headers: { 'content-type': 'application/yaml' } }, 415],
  ['a type that only starts like JSON', { headers: { 'content-type': 'application/jsonp' } }, 415],
  ['a form', { headers: { 'content-type': 'multipart/form-data; boundary=x' } }, 415],
  ['nothing', { body: '' }, 400],
  ['half', { body: '{"kind":"AdmissionReview"' }, 400],
  ['zeroes', { body: new Uint8Array(1000) }, 400],
  ['compressed', { body: Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0), headers: { 'content-encoding': 'gzip' } }, 400],
  ['a list of reviews', { body: [review()] }, 400],
  ['another kind', { body: review({}, { kind: 'ConversionReview' }) }, 400],
  ['v1beta1', { body: review({}, { apiVersion: 'admission.k8s.io/v1beta1' }) }, 400],
  ['no version', { body: review({}, { apiVersion: undefined }) }, 400],
  ['no request', { body: review({}, { request: undefined }) }, 400],
  ['no uid', { body: review({ uid: undefined }) }, 400],
  ['an empty uid', { body: review({ uid: '' }) }, 400],
  ['a uid that is a list', { body: review({ uid: ['u'] }) }, 400],
  ['one byte too many', { body: Buffer.alloc(longestBody + 1, 0x20) }, 413],
  [
    'too many, and no length told',
    { body: Buffer.alloc(longestBody + 1, 0x20), headers: { 'transfer-encoding': 'chunked' } },
    413,
  ],
];
for (const path of paths)
  for (const [what, sent, status] of refused)
    test(`${path}: ${what}: ${status}`, async () => {
      const reply = await send({ path, body: review(), ...sent });
      assert.equal(reply.status, status, reply.text);
      assert.doesNotMatch(reply.text, /\n\s+at |allowed/, 'no stack, no answer');
    });

const addresses: readonly (readonly [path: string, status: number])[] = [
  ['/krispr/', 200],
  ['/krispr?timeout=2s', 200],
  ['/krispr/more', 404],
  ['/KRISPR', 404],
  ['//krispr', 404],
  ['/inject', 404],
  ['/inject/', 404],
  ['/inject/nobody', 404],
  ['/inject/constructor', 404],
  ['/inject/__proto__', 404],
  ['/inject/../krispr', 404],
  ['/inject/b%2D2/cluster/k1', 200],
  ['/inject/b-2?timeout=10s', 200],
  ['/inject/b-2/cluster/%zz', 400],
  ['/inject/b-2/cluster/%ff', 400],
];
for (const [path, status] of addresses)
  test(`${path}: ${status}`, async () => assert.equal((await send({ path, body: review() })).status, status));

/** Allowed without a look and without a patch: not what the webhook is asked about. */
const passed: readonly (readonly [what: string, request: object])[] = [
  ['UPDATE', { operation: 'UPDATE', oldObject: pod }],
  ['DELETE', { operation: 'DELETE', object: null, oldObject: pod }],
  ['CONNECT', { operation: 'CONNECT', subResource: 'exec', object: { command: ['sh'] } }],
  ['a binding', { subResource: 'binding', object: { target: { name: 'n' } } }],
  ['an ephemeral container', { operation: 'UPDATE', subResource: 'ephemeralcontainers' }],
  ['a status', { operation: 'UPDATE', subResource: 'status' }],
  ['a Deployment', { resource: { group: 'apps', version: 'v1', resource: 'deployments' } }],
];
for (const path of paths)
  for (const [what, request] of passed)
    test(`${path}: ${what} passes untouched`, async () => {
      const reply = await send({ path, body: review(request) });
      assert.deepEqual([reply.status, answerOf(reply)], [200, { uid: 'u-1', allowed: true }]);
    });

/** Pods that cannot be read: Krispr, which fails open, allows them as they are; an injector, which fails closed, does not. */
const unreadable: readonly (readonly [what: string, object: unknown])[] = [
  ['no object', undefined],
  ['a text', 'pod'],
  ['a list', [pod]],
  ['no metadata', { spec: pod.spec }],
  ['labels that are a list', { ...pod, metadata: { labels: ['istio.io/rev'] } }],
  ['annotations that are a text', { ...pod, metadata: { annotations: 'x' } }],
];
for (const [what, object] of unreadable)
  test(`a pod that cannot be read: ${what}`, async () => {
    const answers = await Promise.all(
      paths.map(async (path) => answerOf(await send({ path, body: review({ object }) }))),
    );
    assert.deepEqual(
      answers.map(({ uid, allowed, patch }) => [uid, allowed, patch]),
      [
        ['u-1', true, undefined],
        ['u-1', false, undefined],
      ],
    );
  });

/** For an injector: Krispr never walks what it does not know. */
test('deep nesting ends no server', async () => {
  const deep = (levels: number): string =>
    JSON.stringify(review()).replace('"spec":', `"deep":${'['.repeat(levels)}${']'.repeat(levels)},"spec":`);
  for (const [path, levels, status] of [
    ['/krispr', 100_000, 200],
    ['/inject/b-2', 100_000, 400],
    ['/inject/b-2', 200, 200],
  ] as const)
    assert.equal((await send({ path, body: deep(levels) })).status, status, `${path} ${levels}`);
});

test('names that objects inherit are ordinary names', async () => {
  const labels = '{"__proto__":"x","constructor":"y","istio.io/rev":"a-1","toString":"z"}';
  const body = JSON.stringify(review()).replace('{"istio.io/rev":"a-1"}', labels);
  for (const path of paths) assert.equal(answerOf(await send({ path, body })).allowed, true);
  assert.equal(({} as Record<string, unknown>)['x'], undefined);
});

test('the largest body that is allowed is read', async () => {
  const text = JSON.stringify(review());
  for (const path of paths) assert.equal((await send({ path, body: text.padEnd(longestBody, ' ') })).status, 200);
});

const strange = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.json(),
  fc.record({ metadata: fc.jsonValue(), spec: fc.jsonValue() }).map((object) => review({ object })),
  fc.jsonValue({ maxDepth: 2 }).map((containers) => review({ object: { metadata: {}, spec: { containers } } })),
);
test('any body: refused, or answered with its own uid', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), strange, async (path, body) => {
      const reply = await send({ path, body });
      assert.ok(reply.status === 200 || reply.status === 400, `${reply.status} ${reply.text}`);
      if (reply.status === 200)
        assert.deepEqual([answerOf(reply).uid, typeof answerOf(reply).allowed], ['u-1', 'boolean']);
    }),
    { numRuns: 150 },
  );
});

test('clients that speak no TLS, or go in the middle, take nobody with them', async () => {
  const closed = (socket: ReturnType<typeof connectTcp>): Promise<unknown> =>
    new Promise((resolve) => socket.on('error', () => {}).on('close', resolve));
  const plain = connectTcp(server.port, '127.0.0.1', () => plain.end('GET / HTTP/1.1\r\n\r\n'));
  await closed(plain);
  const half = connectTls({ host: 'localhost', port: server.port, ca: authority.cert }, () => {
    half.write(
      'POST /krispr HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"kind"',
      () => half.destroy(),
    );
  });
  await closed(half);
  const smuggled = connectTls({ host: 'localhost', port: server.port, ca: authority.cert }, () => {
    smuggled.end(
      'POST /krispr HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    );
  });
  let answer = '';
  smuggled.on('data', (chunk: Buffer) => (answer += chunk.toString('utf8')));
  await closed(smuggled);
  assert.match(answer, /^HTTP\/1\.1 400/);
  assert.equal((await send({ body: review() })).status, 200);
  const metrics = async (): Promise<string> => (await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`)).text();
  for (let i = 0; i < 1000 && !(await metrics()).includes('fairway_admission_in_flight 0'); i++)
    await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok((await metrics()).includes('fairway_admission_in_flight 0'));
});
