// Where the control plane is, whom the agent trusts there, and what it shows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metadataOf, type Upstream, type UpstreamSettings, type UpstreamTls, upstreamOf } from './upstream.ts';

const settings: UpstreamSettings = {
  discoveryAddress: 'istiod.istio-system.svc:15012',
  controlPlaneAuthPolicy: 'MUTUAL_TLS',
  xdsRootCa: '',
  provCert: '',
  fileMountedCerts: false,
  pilotCertProvider: 'istiod',
  istiodSan: '',
  clusterId: '',
  proxyMetadata: {},
};
const mesh = './var/run/secrets/istio/root-cert.pem';
const legacy = './etc/certs/root-cert.pem';
const mounted = {
  fileMountedCerts: true,
  proxyMetadata: {
    ISTIO_META_TLS_CLIENT_ROOT_CERT: '/c/root',
    ISTIO_META_TLS_CLIENT_CERT_CHAIN: '/c/chain',
    ISTIO_META_TLS_CLIENT_KEY: '/c/key',
  },
};

function found(given: Partial<UpstreamSettings>, files: readonly string[]): Upstream {
  return upstreamOf({ ...settings, ...given }, (path) => files.includes(path));
}

const vm = { chain: '/p/cert-chain.pem', key: '/p/key.pem' };
const rows: readonly (readonly [
  string,
  Partial<UpstreamSettings>,
  readonly string[],
  Partial<UpstreamTls> | string,
])[] = [
  ['the mesh root', {}, [mesh], { rootFile: mesh, clientFiles: undefined, serverName: 'istiod.istio-system.svc' }],
  ['no root', {}, [], /the root for xDS is not there/.source],
  ['XDS_ROOT_CA wins', { xdsRootCa: '/x', provCert: '/p' }, [legacy, mesh], { rootFile: '/x', clientFiles: vm }],
  ['SYSTEM', { xdsRootCa: 'SYSTEM' }, [mesh], { rootFile: undefined }],
  ['the old place comes next', { provCert: '/p' }, [legacy, mesh], { rootFile: legacy, clientFiles: vm }],
  ['PROV_CERT, there or not', { provCert: '/p' }, [mesh], { rootFile: '/p/root-cert.pem', clientFiles: vm }],
  [
    'mounted files',
    mounted,
    ['/c/root', mesh],
    { rootFile: '/c/root', clientFiles: { chain: '/c/chain', key: '/c/key' } },
  ],
  ['mounted files that are not there', mounted, [mesh], /not there: \/c\/root/.source],
  ['no provider', { pilotCertProvider: 'none' }, [mesh], /PILOT_CERT_PROVIDER is none/.source],
  ['ISTIOD_SAN', { istiodSan: 'istiod.else' }, [mesh], { serverName: 'istiod.else' }],
  ['a forwarded port', { discoveryAddress: 'localhost:15012' }, [mesh], { serverName: 'istiod.istio-system.svc' }],
  ['no address', { discoveryAddress: 'istiod' }, [mesh], /"istiod" is not host:port/.source],
];
for (const [what, given, files, wanted] of rows) {
  test(`upstream: ${what}`, () => {
    const result = found(given, files);
    if (typeof wanted === 'string') assert.match(result.kind === 'problem' ? result.problem : '', new RegExp(wanted));
    else assert.partialDeepStrictEqual(result.kind === 'upstream' ? result.tls : result, wanted);
  });
}

test('upstream: plain text, and addresses of IPv6', () => {
  for (const controlPlaneAuthPolicy of ['NONE', undefined]) {
    const plain = { controlPlaneAuthPolicy, discoveryAddress: '[fd00::1]:15010' };
    assert.deepEqual(found(plain, []), { kind: 'upstream', host: 'fd00::1', port: 15_010, tls: undefined });
  }
});

test('metadata: cluster, token, headers of the environment', () => {
  const env = { XDS_HEADER_X_Team: 'a', XDS_HEADER_none: undefined, OTHER: 'b' };
  assert.deepEqual(metadataOf({ clusterId: 'c1', token: ' t\n', env }), {
    x_team: 'a',
    clusterid: 'c1',
    authorization: 'Bearer t',
  });
  assert.deepEqual(metadataOf({ clusterId: '', token: undefined, env: {} }), { clusterid: '' });
});
