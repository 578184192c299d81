import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GoFunction, parseTemplate, sprig, type Value } from '../../gotemplate/index.ts';
import { messageStruct, podStruct } from '../../gotypes/index.ts';
import { meshType, trimmedProxyConfig } from '../../mesh/index.ts';
import type { JsonObject } from '../../std/json.ts';
import { parseMesh, proxyConfigOf, withProxyConfig } from '../mesh.ts';
import { conform } from './conform.ts';
import { canonicalQuantity } from './quantity.ts';
import { podType, wholePod } from './schema.ts';

const rows: readonly (readonly [name: string, given: JsonObject, canonical: JsonObject])[] = [
  [
    'empty values go',
    { metadata: { name: '', labels: {} }, spec: { hostNetwork: false, volumes: [], nodeName: 'n' } },
    { metadata: {}, spec: { nodeName: 'n' } },
  ],
  [
    'zero behind a pointer stays',
    { spec: { terminationGracePeriodSeconds: 0, securityContext: { runAsUser: 0 } } },
    { spec: { terminationGracePeriodSeconds: 0, securityContext: { runAsUser: 0 } } },
  ],
  [
    'an empty source stays',
    { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
    { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
  ],
  ['unknown fields go', { spec: { future: 1 }, kind: 'Pod' }, {}],
  [
    'quantities are canonical',
    { spec: { containers: [{ name: 'a', resources: { limits: { cpu: '2000m', memory: 1024 } } }] } },
    { spec: { containers: [{ name: 'a', resources: { limits: { cpu: '2', memory: '1024' } } }] } },
  ],
  ['null is absent', { spec: { containers: null, nodeName: null } }, {}],
];
for (const [name, given, canonical] of rows) {
  test(`conform: ${name}`, () => {
    const once = conform(wholePod(), given, '');
    const bare = Object.fromEntries(
      Object.entries(once).filter(([, value]) => Object.keys(value as object).length > 0),
    );
    const wanted = Object.fromEntries(
      Object.entries(canonical).filter(([, value]) => Object.keys(value as object).length > 0),
    );
    assert.deepEqual(bare, wanted);
    assert.deepEqual(conform(wholePod(), once, ''), once);
  });
}

const quantities: readonly (readonly [text: string, canonical: string | undefined])[] = [
  ['2000m', '2'],
  ['1024Mi', '1Gi'],
  ['1.5Gi', '1536Mi'],
  ['0', '0'],
  ['0.1', '100m'],
  ['1000', '1k'],
  ['1e3', '1e3'],
  ['512', '512'],
  ['100Ki', '100Ki'],
  ['0.5Ki', '512'],
  ['-1', '-1'],
  ['12x', undefined],
  ['', undefined],
];
for (const [text, canonical] of quantities)
  test(`quantity ${text} is ${canonical}`, () => assert.equal(canonicalQuantity(text), canonical));

function render(text: string, data: Readonly<Record<string, Value>>): string {
  return parseTemplate(text, {
    name: 't',
    functions: { ...sprig, same: new GoFunction(['any'], undefined, ([value]) => value) },
  }).render(data);
}

test('a pod in a template has the names and zero values of Go', () => {
  const spec = { containers: [{ name: 'a', ports: [{ containerPort: 80 }] }], serviceAccountName: 'sa' };
  const pod = podStruct(podType('PodSpec'), conform(podType('PodSpec'), spec, ''));
  const text =
    '{{ .p.ServiceAccountName }} {{ .p.HostNetwork }} {{ len .p.Volumes }} {{ with .p.SecurityContext }}x{{ else }}nil{{ end }} {{ range .p.Containers }}{{ range .Ports }}{{ .ContainerPort }}{{ toJson . }}{{ end }}{{ end }}';
  assert.equal(render(text, { p: pod }), 'sa false 0 nil 80{"containerPort":80}');
  assert.throws(() => render('{{ .p.Nothing }}', { p: pod }), /can't evaluate field Nothing in type v1\.PodSpec/);
});

test('a message in a template answers getters, also where it is nil', () => {
  const mesh = parseMesh('defaultConfig: {interceptionMode: TPROXY, holdApplicationUntilProxyStarts: true}');
  const config = messageStruct(meshType('ProxyConfig'), proxyConfigOf(mesh));
  const text =
    '{{ .c.InterceptionMode }} {{ .c.HoldApplicationUntilProxyStarts.GetValue }} {{ .c.GetTracing.GetTlsSettings.GetCaCertificates }}| {{ .c.StatusPort }} {{ .c.InterceptionMode.String }}';
  assert.equal(render(text, { c: config }), 'TPROXY true | 15020 TPROXY');
});

test('mesh configuration: fields replace, metadata merges, defaults are left out of PROXY_CONFIG', () => {
  const mesh = parseMesh(
    'trustDomain: td\ndefaultConfig:\n  drainDuration: 23s\n  proxyMetadata: {A: a, B: b}\n  image: {imageType: debug}\n',
  );
  const own = proxyConfigOf(
    withProxyConfig(mesh, 'proxyMetadata: {B: c}\nstatusPort: 0\nconcurrency: 0\nunknown: 1\n'),
  );
  assert.deepEqual(trimmedProxyConfig(own), {
    drainDuration: '23s',
    concurrency: 0,
    proxyMetadata: { A: 'a', B: 'c' },
    image: { imageType: 'debug' },
  });
  assert.equal(own['statusPort'], undefined);
  assert.equal(mesh.config['trustDomain'], 'td');
  assert.deepEqual(trimmedProxyConfig(proxyConfigOf(parseMesh(''))), {});
});

test('mesh configuration that is none is refused with its field', () => {
  assert.throws(
    () => parseMesh('defaultConfig: {concurrency: many}'),
    /concurrency: want a whole number, found "many"/,
  );
  assert.throws(() => parseMesh('defaultConfig: {interceptionMode: MAGIC}'), /one of REDIRECT, TPROXY, NONE/);
  assert.throws(() => parseMesh('[]'), /not a map/);
});
