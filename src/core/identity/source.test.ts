import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Facts, identitySource, type SourceSettings } from './source.ts';

const settings: SourceSettings = {
  caAddress: '',
  discoveryAddress: 'istiod.istio-system.svc:15012',
  istiodSan: '',
  caRootCa: '',
  caProvider: 'Citadel',
  pilotCertProvider: 'istiod',
  provCert: '',
  outputCerts: '',
  fileMountedCerts: false,
  socketFile: 'socket',
  credentialFetcher: 'JWT',
};
const root = './var/run/secrets/istio/root-cert.pem';
const certs = ['cert-chain.pem', 'key.pem', 'root-cert.pem'].map((name) => `./etc/certs/${name}`);
const mounted = ['cert-chain.pem', 'key.pem', 'root-cert.pem'].map(
  (name) => `./var/run/secrets/workload-spiffe-credentials/${name}`,
);

function facts(files: readonly string[], socketIsServed = false): Facts {
  return { exists: (path) => files.includes(path), socketIsServed };
}

/** `pair | roots | host:port as NAME by ROOT with CLIENT`, or the problems. */
function told(given: Partial<SourceSettings>, files: readonly string[] = [root], served = false): string {
  const { source, problems } = identitySource({ ...settings, ...given }, facts(files, served));
  if (source === undefined) return problems.map(({ message }) => message).join('; ');
  if (source.kind === 'external') return `external ${source.path}`;
  const { pair, roots, ca } = source;
  const where = ca === undefined ? 'nobody' : `${ca.host}:${ca.port}`;
  const how =
    ca?.tls === undefined
      ? ''
      : ` as ${ca.tls.serverName} by ${ca.tls.rootFile ?? 'system'}${ca.tls.clientFiles === undefined ? '' : ` with ${ca.tls.clientFiles.chain}`}`;
  return `${pair?.chain ?? 'ca'} | ${roots ?? 'ca'} | ${where}${how}`;
}

const rows: readonly (readonly [
  name: string,
  given: Partial<SourceSettings>,
  files: readonly string[],
  result: string,
])[] = [
  ['a pod', {}, [root], `ca | ca | istiod.istio-system.svc:15012 as istiod.istio-system.svc by ${root}`],
  ['no root: nothing starts', {}, [], `the CA's root is missing: ${root}`],
  [
    'a name to expect',
    { istiodSan: 'istiod.example' },
    [root],
    `ca | ca | istiod.istio-system.svc:15012 as istiod.example by ${root}`,
  ],
  [
    'a CA of its own has its own name',
    { caAddress: 'ca.example:8443', istiodSan: 'x' },
    [root],
    `ca | ca | ca.example:8443 as ca.example by ${root}`,
  ],
  [
    'a forwarded port',
    { caAddress: 'localhost:15012' },
    [root],
    `ca | ca | localhost:15012 as istiod.istio-system.svc by ${root}`,
  ],
  ['IPv6', { caAddress: '[fd00::1]:15012' }, [root], `ca | ca | fd00::1:15012 as fd00::1 by ${root}`],
  ['in the clear', { caAddress: 'istiod:15010' }, [], 'ca | ca | istiod:15010'],
  ['no port', { caAddress: 'istiod' }, [root], 'CA_ADDR "istiod" is not host:port'],
  ['a port too large', { caAddress: 'istiod:70000' }, [root], 'CA_ADDR "istiod:70000" is not host:port'],
  [
    'the system’s roots',
    { caRootCa: 'SYSTEM' },
    [],
    'ca | ca | istiod.istio-system.svc:15012 as istiod.istio-system.svc by system',
  ],
  [
    'a root of its own',
    { caRootCa: '/r.pem' },
    ['/r.pem'],
    'ca | ca | istiod.istio-system.svc:15012 as istiod.istio-system.svc by /r.pem',
  ],
  [
    'a custom provider',
    { pilotCertProvider: 'custom', outputCerts: '/etc/certs/' },
    ['./etc/certs/root-cert.pem'],
    'ca | ./etc/certs/root-cert.pem | istiod.istio-system.svc:15012 as istiod.istio-system.svc by ./etc/certs/root-cert.pem',
  ],
  [
    'no provider',
    { pilotCertProvider: 'none' },
    [],
    'PILOT_CERT_PROVIDER is none, but a CA is asked: CA_ROOT_CA tells its root',
  ],
  [
    'a VM, whose root may come later',
    { provCert: './etc/certs', outputCerts: './etc/certs' },
    certs,
    'ca | ca | istiod.istio-system.svc:15012 as istiod.istio-system.svc by ./etc/certs/root-cert.pem with ./etc/certs/cert-chain.pem',
  ],
  ['files in the well-known place', {}, certs, './etc/certs/cert-chain.pem | ./etc/certs/root-cert.pem | nobody'],
  [
    'a root alone in the well-known place',
    {},
    [root, './etc/certs/root-cert.pem'],
    `ca | ./etc/certs/root-cert.pem | istiod.istio-system.svc:15012 as istiod.istio-system.svc by ${root}`,
  ],
  [
    'mounted by name',
    { fileMountedCerts: true },
    [],
    './etc/certs/cert-chain.pem | ./etc/certs/root-cert.pem | nobody',
  ],
  ['mounted by presence', {}, mounted, `${mounted[0]} | ${mounted[2]} | nobody`],
  [
    'mounted, one is missing',
    {},
    [root, ...mounted.slice(1)],
    `ca | ca | istiod.istio-system.svc:15012 as istiod.istio-system.svc by ${root}`,
  ],
  [
    'GKE’s files',
    { caProvider: 'GkeWorkloadCertificate' },
    [],
    './var/run/secrets/workload-spiffe-credentials/certificates.pem | ./var/run/secrets/workload-spiffe-credentials/ca_certificates.pem | nobody',
  ],
  [
    'a socket of somebody else that nobody serves',
    { socketFile: 'spire' },
    [root],
    'WORKLOAD_IDENTITY_SOCKET_FILE: nobody serves ./var/run/secrets/workload-spiffe-uds/spire',
  ],
  [
    'everything that is wrong, at once',
    {
      socketFile: '../socket',
      caProvider: 'GoogleCA',
      credentialFetcher: 'Mock',
      provCert: '/c',
      fileMountedCerts: true,
      caAddress: 'x',
    },
    [],
    'WORKLOAD_IDENTITY_SOCKET_FILE "../socket" is not the name of a file; CA_PROVIDER "GoogleCA" is none of Citadel, GkeWorkloadCertificate; CREDENTIAL_FETCHER_TYPE "Mock" is not JWT; PROV_CERT is for a CA, FILE_MOUNTED_CERTS is for none: only one can be set',
  ],
];
for (const [name, given, files, result] of rows)
  test(`source: ${name}`, () => assert.equal(told(given, files), result));

test('another server on the socket has the identity, whatever else is set', () => {
  assert.equal(told({}, [], true), 'external ./var/run/secrets/workload-spiffe-uds/socket');
  assert.equal(told({ socketFile: 'spire' }, [], true), 'external ./var/run/secrets/workload-spiffe-uds/spire');
  assert.match(told({ socketFile: 'a/b' }, [], true), /not the name of a file/);
});
