// Extensions, images, archives: what is read of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { encode, readMessage } from '../wire/index.ts';
import { type Extension, isRefreshed, moduleName, readExtension } from './extension.ts';
import { credentialIn, isSafeRealm, layerOf, parseChallenge, parseImage } from './image.ts';
import { fileInTar, wrappingOf } from './unbox.ts';

const type = 'type.googleapis.com/';
const httpWasm = `${type}envoy.extensions.filters.http.wasm.v3.Wasm`;
const networkWasm = `${type}envoy.extensions.filters.network.wasm.v3.Wasm`;

const empty = new Uint8Array(0);

function resourceOf(typeUrl: string, plugin: readonly (readonly [number, Uint8Array | number])[]): Uint8Array {
  const typed = encode([1, typeUrl], [2, encode([1, encode(...plugin)])]);
  return encode([1, `${type}envoy.config.core.v3.TypedExtensionConfig`], [2, encode([1, 'ns.plugin'], [2, typed])]);
}

const variable = (name: string, value: string): readonly [number, Uint8Array] => [2, encode([1, name], [2, value])];
const uri = encode([1, 'https://modules.test/a.wasm'], [2, 'cluster'], [3, encode([1, 30], [2, 500_000_000])]);
const remoteCode = encode([2, encode([1, uri], [2, 'nil'])]);
const machine = (code: Uint8Array, ...variables: (readonly [number, Uint8Array])[]): Uint8Array =>
  encode(
    [2, 'envoy.wasm.runtime.v8'],
    [3, code],
    [5, 1],
    ...(variables.length === 0 ? [] : [[7, encode(...variables)] as const]),
  );

test('a remote module: what is wanted, and the resource with a file', () => {
  const own = [
    variable('ISTIO_META_WASM_IMAGE_PULL_SECRET', 'secret'),
    variable('ISTIO_META_WASM_IMAGE_PULL_POLICY', 'Always'),
    variable('ISTIO_META_WASM_PLUGIN_RESOURCE_VERSION', '7'),
  ];
  const extension = readExtension(resourceOf(httpWasm, [[3, machine(remoteCode, ...own, variable('A', 'b'))]]));
  assert.ok(extension.kind === 'remote');
  assert.deepEqual(extension.wanted, {
    url: 'https://modules.test/a.wasm',
    sha256: '',
    timeoutMs: 30_500,
    pullSecret: 'secret',
    pullPolicy: 'always',
    resourceName: 'ns.plugin',
    resourceVersion: '7',
  });
  const local = encode([1, encode([1, '/data/a.wasm'])]);
  assert.deepEqual(extension.local('/data/a.wasm'), resourceOf(httpWasm, [[3, machine(local, variable('A', 'b'))]]));
  const bare = readExtension(resourceOf(networkWasm, [[3, machine(remoteCode, ...own)]]));
  assert.ok(bare.kind === 'remote');
  assert.deepEqual(bare.local('/data/a.wasm'), resourceOf(networkWasm, [[3, machine(local)]]), 'no variables are left');
});

const kinds: readonly (readonly [what: string, resource: Uint8Array, kind: Extension['kind']])[] = [
  ['no Wasm', resourceOf(`${type}other.Filter`, []), 'other'],
  ['a local module', resourceOf(httpWasm, [[3, machine(encode([1, empty]))]]), 'other'],
  ['no module at all', resourceOf(httpWasm, [[3, machine(empty)]]), 'malformed'],
  ['no configuration', encode([1, type], [2, encode([1, 'name'])]), 'malformed'],
  ['no message', Uint8Array.of(0xff), 'malformed'],
  [
    'a configuration that is no message',
    encode([1, type], [2, encode([2, encode([1, httpWasm], [2, Uint8Array.of(0xff)])])]),
    'malformed',
  ],
];
for (const [what, resource, kind] of kinds) {
  test(`an extension: ${what}`, () => assert.equal(readExtension(resource).kind, kind));
}

const failures: readonly (readonly [fields: readonly (readonly [number, number])[], passes: boolean])[] = [
  [[], false],
  [[[5, 1]], true], // fail_open, which is deprecated
  [[[7, 3]], true],
  [
    [
      [5, 1],
      [7, 2],
    ],
    false,
  ], // the policy wins
  [[[7, 1]], false],
];
for (const [fields, passes] of failures) {
  test(`without the module requests ${passes ? 'pass' : 'are refused'}: ${JSON.stringify(fields)}`, () => {
    const extension = readExtension(resourceOf(httpWasm, [[3, machine(remoteCode)], ...fields]));
    assert.ok(extension.kind === 'remote');
    assert.equal(extension.without.passes, passes);
    const typed = readMessage(extension.without.resource)?.message(2)?.message(2);
    assert.match(typed?.text(1) ?? '', /http\.rbac\.v3\.RBAC$/);
    assert.equal(typed?.message(2)?.bytes(1) === undefined, passes, 'no rules let through, empty ones refuse');
  });
}

test('any bytes are an extension of some kind', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => assert.ok(readExtension(bytes).kind !== 'remote')));
});

test('names of modules, and which are asked for again', () => {
  assert.equal(moduleName('https://a.test/b:c'), 'https://a.test/b:c');
  assert.equal(moduleName('oci://a.test:5000/b:v1'), 'oci://a.test:5000/b');
  assert.equal(moduleName(`oci://a.test/b@sha256:${'0'.repeat(64)}`), 'oci://a.test/b');
  const rows = [
    ['unspecified', 'oci://a/b:latest', true],
    ['unspecified', 'oci://a/b:v1', false],
    ['unspecified', 'https://a/b:latest', false],
    ['always', 'https://a/b', true],
    ['if-not-present', 'oci://a/b:latest', false],
  ] as const;
  for (const [pullPolicy, url, again] of rows)
    assert.equal(isRefreshed({ pullPolicy, url }), again, `${pullPolicy} ${url}`);
});

const digest = `sha256:${'a1'.repeat(32)}`;
const references: readonly (readonly [text: string, wanted: string | undefined])[] = [
  ['registry.test/team/filter:v1', 'registry.test team/filter v1'],
  ['registry.test:5000/filter', 'registry.test:5000 filter latest'],
  ['localhost/filter', 'localhost filter latest'],
  [`registry.test/filter:v1@${digest}`, `registry.test filter ${digest}`],
  ['team/filter:v1', 'index.docker.io team/filter v1'],
  ['filter', 'index.docker.io library/filter latest'],
  ['registry.test/../etc', undefined],
  ['registry.test/Filter', undefined],
  ['', undefined],
];
for (const [text, wanted] of references) {
  test(`an image: ${text}`, () => {
    const found = parseImage(text);
    assert.equal(found && `${found.registry} ${found.repository} ${found.identifier}`, wanted);
  });
}

test('layers: the three variants, and none', () => {
  const manifest = (...mediaTypes: readonly string[]): string =>
    JSON.stringify({ layers: mediaTypes.map((mediaType, i) => ({ mediaType, digest: `d${i}` })) });
  const docker = 'application/vnd.docker.image.rootfs.diff.tar.gzip';
  const oci = 'application/vnd.oci.image.layer.v1.tar+gzip';
  const wasm = 'application/vnd.module.wasm.content.layer.v1+wasm';
  assert.deepEqual(layerOf(manifest(docker, docker)), { digest: 'd1', kind: 'archive' });
  assert.deepEqual(layerOf(manifest(oci)), { digest: 'd0', kind: 'archive' });
  assert.deepEqual(layerOf(manifest(wasm, 'application/vnd.module.wasm.runtime_config')), {
    digest: 'd0',
    kind: 'module',
  });
  assert.match(JSON.stringify(layerOf(manifest('text/plain'))), /text.plain/);
  assert.match(JSON.stringify(layerOf('[]')), /no JSON/);
});

test('challenges, and where a registry must not send the agent', () => {
  assert.deepEqual(parseChallenge('Bearer realm="https://auth.test/token",service="r",scope="repository:a:pull"'), {
    scheme: 'bearer',
    realm: 'https://auth.test/token',
    service: 'r',
    scope: 'repository:a:pull',
  });
  assert.equal(parseChallenge('Basic realm="r"')?.scheme, 'basic');
  assert.equal(parseChallenge('Negotiate'), undefined);
  for (const realm of [
    'https://auth.test/token',
    'http://8.8.8.8/',
    'https://[2001:db8::1]:5/x',
    'https://172.32.0.1/',
  ])
    assert.equal(isSafeRealm(realm), true, realm);
  for (const realm of [
    'file:///etc/passwd',
    '',
    'https://localhost/',
    'http://127.0.0.1:15000/quitquitquit',
    'http://169.254.169.254/latest',
    'http://metadata.google.internal/',
    'https://user@10.0.0.1/',
    'https://172.16.0.1/',
    'https://[::1]/',
    'https://[fd00::1]/',
    'https://[::ffff:127.0.0.1]/',
  ])
    assert.equal(isSafeRealm(realm), false, realm);
});

test('pull secrets', () => {
  const secret = JSON.stringify({
    auths: { 'https://registry.test/v1/': { auth: 'dTpw' }, 'other.test': { username: 'u', password: 'p' } },
  });
  assert.deepEqual(credentialIn(secret, 'registry.test'), { kind: 'encoded', text: 'dTpw' });
  assert.deepEqual(credentialIn(secret, 'other.test'), { kind: 'plain', user: 'u', password: 'p' });
  assert.equal(credentialIn(secret, 'else.test'), undefined);
  assert.equal(credentialIn('no JSON', 'registry.test'), undefined);
});

function tarOf(...files: readonly (readonly [name: string, content: string, kind?: string])[]): Uint8Array {
  const blocks = files.map(([name, content, kind = '0']) => {
    const head = Buffer.alloc(512);
    head.write(name);
    head.write(`${content.length.toString(8).padStart(11, '0')} `, 124);
    head.write(`${kind}ustar`, 156);
    head.write('ustar', 257);
    return Buffer.concat([head, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)]);
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

test('archives: the file asked for, the first one, none; a cut one', () => {
  const tar = tarOf(['dir/', '', '5'], ['a.txt', 'x'.repeat(600)], ['deep/plugin.wasm', 'module']);
  const found = (name: string | undefined): string | undefined => {
    const file = fileInTar(tar, name);
    return file && Buffer.from(file).toString();
  };
  assert.equal(found('plugin.wasm'), 'module');
  assert.equal(found(undefined), 'x'.repeat(600));
  assert.equal(found('none'), undefined);
  assert.equal(fileInTar(tar.subarray(0, 1100), undefined), undefined);
  assert.equal(wrappingOf(tar), 'tar');
  assert.equal(wrappingOf(Uint8Array.of(0x1f, 0x8b, 8)), 'gzip');
  assert.equal(wrappingOf(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)), 'wasm');
  assert.equal(wrappingOf(Uint8Array.of(0, 0x61, 0x73, 0x6d)), 'unknown');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => void [fileInTar(bytes, undefined), wrappingOf(bytes)]),
  );
});
