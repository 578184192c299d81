// Modules in virtual time, from servers that the test plays.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256Hex } from '../../../core/std/sha256.ts';
import { utf8 } from '../../../core/std/utf8.ts';
import type { WantedModule } from '../../../core/wasm/index.ts';
import type { Fetched, HttpRequest } from '../../../ports/host.ts';
import { answer, fakeHost, refused } from '../fake-host.ts';
import { keepModules, type Module, type Modules } from './modules.ts';

const bounded = { timeout: 60_000 };
const module = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
const sha256 = sha256Hex(module);
const minute = 60_000;
const served = (body: Uint8Array, status = 200, headers: Record<string, string> = {}): Fetched => ({
  kind: 'answer',
  status,
  headers,
  body,
  cut: false,
});
const folderOf = (name: string): string => `/data/${sha256Hex(utf8(name))}`;

function scene(fetch: (request: HttpRequest) => Fetched) {
  const requests: HttpRequest[] = [];
  const host = fakeHost({ fetch: (request) => (requests.push(request), fetch(request)) });
  const downloads = {
    host,
    insecure: (name: string) => name === 'self-signed.test',
    requestTimeoutMs: 15_000,
    attempts: 5,
    maxBytes: 1000,
  };
  const modules = keepModules({ host, downloads, folder: '/data', expiryMs: 60 * minute, purgeMs: 10 * minute });
  return {
    host,
    modules,
    requests,
    paths: () => requests.map(({ method, host: name, path }) => `${method} ${name}${path}`),
  };
}

const wanted = (url: string, more: Partial<WantedModule> = {}): WantedModule => ({
  url,
  sha256: '',
  timeoutMs: 30_000,
  pullSecret: undefined,
  pullPolicy: 'unspecified',
  resourceName: 'ns.plugin',
  resourceVersion: '1',
  ...more,
});

/** Asks, and lets so much time pass meanwhile. */
async function got(
  { modules, host }: { readonly modules: Modules; readonly host: ReturnType<typeof fakeHost> },
  asked: WantedModule,
  ms = 0,
): Promise<Module> {
  const promise = modules.get(asked);
  await host.advance(ms);
  return promise;
}

const problemOf = (found: Module): string => (found.kind === 'failed' ? found.problem : 'none');

test(
  'a file by HTTPS: fetched once, kept by its checksum, removed a while after it was last asked for',
  bounded,
  async () => {
    const it = scene(() => served(module));
    const url = 'https://modules.test/a.wasm?v=1';
    const path = `${folderOf(url)}/${sha256}.wasm`;
    assert.deepEqual(await got(it, wanted(url)), { kind: 'file', path });
    assert.deepEqual(await got(it, wanted(url, { resourceVersion: '2' })), { kind: 'file', path });
    assert.deepEqual(await got(it, wanted(url, { sha256 })), { kind: 'file', path });
    assert.deepEqual(it.paths(), ['GET modules.test/a.wasm?v=1']);
    assert.partialDeepStrictEqual(it.requests[0], {
      port: 443,
      tls: true,
      verify: true,
      timeoutMs: 15_000,
      maxBytes: 1000,
    });
    await it.host.advance(50 * minute);
    assert.equal((await got(it, wanted(url))).kind, 'file');
    await it.host.advance(50 * minute);
    assert.equal(it.host.files.exists(path), true);
    await it.host.advance(30 * minute);
    assert.equal(it.host.files.exists(path), false);
    await got(it, wanted(url));
    assert.equal(it.requests.length, 2);
  },
);

test('another checksum, no module, too large, no scheme that is known', bounded, async () => {
  const it = scene(({ path }) =>
    path === '/cut' ? { ...served(module), cut: true } : path === '/a' ? served(module) : answer(200, 'text'),
  );
  const other = '0'.repeat(64);
  assert.equal(
    problemOf(await got(it, wanted('http://m.test/a', { sha256: other }))),
    `http://m.test/a has SHA-256 ${sha256} instead of ${other}`,
  );
  assert.equal(problemOf(await got(it, wanted('http://m.test/b'))), 'http://m.test/b is no Wasm module');
  assert.match(problemOf(await got(it, wanted('http://m.test/cut'), minute)), /more than 1000 bytes/);
  assert.match(problemOf(await got(it, wanted('ftp://m.test/a'), minute)), /no address of HTTP/);
  assert.match(problemOf(await got(it, wanted('', { pullSecret: '' }))), /pull secret/);
});

test('what may pass is asked again, ever later, until the time is over; what is final is not', bounded, async () => {
  let failures = 3;
  const it = scene(({ path }) =>
    path === '/404' ? answer(404) : failures-- > 0 ? (failures === 2 ? refused : answer(503)) : served(module),
  );
  assert.equal((await got(it, wanted('http://m.test/a'), minute)).kind, 'file');
  assert.deepEqual(
    it.host.requests.map((line) => Number(line.split(' ')[0])),
    [0, 500, 1500, 3500],
  );
  assert.match(problemOf(await got(it, wanted('http://m.test/404'))), /status 404/);
  assert.equal(it.requests.length, 5);
  failures = 100;
  assert.match(problemOf(await got(it, wanted('http://m.test/b', { timeoutMs: 2000 }), minute)), /status 503/);
  assert.equal(it.requests.length, 8, 'at 0, 0.5 and 1.5 s of two');
});

test('redirects are followed, and no further than they should', bounded, async () => {
  const it = scene(({ host, path }) => {
    if (path === '/loop') return served(module, 302, { location: '/loop' });
    if (host === 'a.test') return served(module, 307, { location: 'https://b.test/x' });
    return served(module);
  });
  assert.equal((await got(it, wanted('https://a.test/m'))).kind, 'file');
  assert.deepEqual(it.paths(), ['GET a.test/m', 'GET b.test/x']);
  assert.match(problemOf(await got(it, wanted('https://a.test/loop'), minute)), /more than 10 redirects/);
});

const archive = Uint8Array.of(0x1f, 0x8b, ...module); // the fake host's gzip is two bytes before the content
const layerDigest = `sha256:${sha256Hex(module)}`;
const manifest = JSON.stringify({
  layers: [{ mediaType: 'application/vnd.module.wasm.content.layer.v1+wasm', digest: layerDigest }],
});
const manifestSha = sha256Hex(utf8(manifest));

function registry({ path, headers }: HttpRequest): Fetched {
  if (path.startsWith('/token')) {
    const isKnown = headers?.['authorization'] === 'Basic dTpw';
    return isKnown ? answer(200, '{"token":"T"}') : answer(401);
  }
  if (headers?.['authorization'] !== 'Bearer T') {
    const challenge = 'Bearer realm="https://auth.test/token",service="r",scope="repository:team/filter:pull"';
    return answer(401, '', { 'www-authenticate': challenge });
  }
  if (path.includes('/manifests/')) return answer(200, manifest);
  return served(module);
}

const pullSecret = '{"auths":{"self-signed.test":{"auth":"dTpw"}}}';

test(
  'an image: token, manifest, layer; again only where the policy says so, and then the manifest alone',
  bounded,
  async () => {
    const it = scene(registry);
    const url = 'oci://self-signed.test/team/filter:latest';
    const path = `${folderOf('oci://self-signed.test/team/filter')}/${manifestSha}.wasm`;
    assert.deepEqual(await got(it, wanted(url, { pullSecret })), { kind: 'file', path });
    assert.deepEqual(it.paths(), [
      'GET self-signed.test/v2/team/filter/manifests/latest',
      'GET auth.test/token?service=r&scope=repository%3Ateam%2Ffilter%3Apull',
      'GET self-signed.test/v2/team/filter/manifests/latest',
      `GET self-signed.test/v2/team/filter/blobs/${layerDigest}`,
    ]);
    assert.deepEqual(
      it.requests.map(({ verify }) => verify),
      [false, true, false, false],
    );
    await got(it, wanted(url, { pullSecret }));
    assert.equal(it.requests.length, 4, 'the same version of the extension');
    await got(it, wanted(url, { pullSecret, resourceVersion: '2' }));
    assert.equal(it.requests.length, 7, 'another version: no layer again');
    await got(it, wanted(url, { pullSecret, resourceVersion: '3', pullPolicy: 'if-not-present' }));
    await got(it, wanted(`oci://self-signed.test/team/filter@sha256:${manifestSha}`));
    assert.equal(it.requests.length, 7, 'what is there under its digest needs nobody');
  },
);

test('a password beyond ASCII', bounded, async () => {
  const it = scene(({ headers }) => {
    if (headers?.['authorization'] === undefined) return answer(401, '', { 'www-authenticate': 'Basic realm="r"' });
    return answer(404);
  });
  const secret = '{"auths":{"m.test":{"username":"u","password":"pässwörd"}}}';
  await got(it, wanted('oci://m.test/a', { pullSecret: secret }));
  const shown = `Basic ${Buffer.from('u:pässwörd').toString('base64')}`;
  assert.deepEqual(
    it.requests.map(({ headers }) => headers?.['authorization']),
    [undefined, shown],
  );
});

test('images that cannot be had', bounded, async () => {
  const it = scene(registry);
  assert.match(problemOf(await got(it, wanted('oci://self-signed.test/team/filter:v1'))), /status 401, and no token/);
  assert.match(problemOf(await got(it, wanted('oci://Bad/..'))), /no reference of an image/);
  const other = `oci://self-signed.test/team/filter@sha256:${'0'.repeat(64)}`;
  assert.match(problemOf(await got(it, wanted(other, { pullSecret }))), /the manifest has digest/);
  const inside = scene(() => answer(401, '', { 'www-authenticate': 'Bearer realm="http://169.254.169.254/"' }));
  assert.match(problemOf(await got(inside, wanted('oci://evil.test/a'))), /not followed/);
  assert.equal(inside.requests.length, 1);
  const swapped = scene((request) => (request.path.includes('/manifests/') ? answer(200, manifest) : served(archive)));
  assert.match(problemOf(await got(swapped, wanted('oci://m.test/a'))), /the layer .* has digest/);
});
