// The settings of certificates: rows of the table of `proxy`. Names and defaults are Istio's (pilot-agent/options).
import { ownSocket, socketFolder } from '../../../core/identity/index.ts';
import { choice, duration, share, text, truth } from '../kinds.ts';
import type { Values } from '../table.ts';

export const identityRows = {
  trustDomain: text('cluster.local', {
    env: 'TRUST_DOMAIN',
    doc: "the mesh's trust domain: first part of the identity",
  }),
  podNamespace: text('', { env: 'POD_NAMESPACE', doc: "the pod's namespace: second part of the identity" }),
  serviceAccount: text('', { env: 'SERVICE_ACCOUNT', doc: "the pod's service account: third part of the identity" }),
  clusterId: text('', { env: 'ISTIO_META_CLUSTER_ID', doc: 'the cluster, as the CA knows it' }),
  caProvider: text('Citadel', {
    env: 'CA_PROVIDER',
    doc: '`Citadel`: istiod, or who answers at `CA_ADDR`; `GkeWorkloadCertificate`: files that are mounted. Any other is refused, since the certificates would come from elsewhere',
  }),
  caAddress: text('', {
    env: 'CA_ADDR',
    doc: 'host:port of the CA; empty: the discovery address. Port 15010 is asked in the clear. `CA_HEADER_NAME=value` sends metadata along',
  }),
  caRootCa: text('', { env: 'CA_ROOT_CA', doc: "file with the CA's root; `SYSTEM`: what the machine trusts" }),
  pilotCertProvider: text('istiod', {
    env: 'PILOT_CERT_PROVIDER',
    doc: "whose root istiod's certificate has: `custom` is `./etc/certs/root-cert.pem`, `none` is nobody's",
  }),
  istiodSan: text('', {
    env: 'ISTIOD_SAN',
    doc: "the name to expect of istiod's certificate, where `CA_ADDR` is not set",
  }),
  certSigner: text('', { env: 'ISTIO_META_CERT_SIGNER', doc: 'which of several signers the CA shall use' }),
  jwtPolicy: text('third-party-jwt', {
    env: 'JWT_POLICY',
    doc: 'with `third-party-jwt` and `first-party-jwt` the token in `./var/run/secrets/tokens/istio-token` is shown, read again for each call; else none',
  }),
  credentialFetcher: text('JWT', {
    env: 'CREDENTIAL_FETCHER_TYPE',
    doc: '`JWT`: credentials for the CA are the token file. Another one is refused',
  }),
  provCert: text('', {
    env: 'PROV_CERT',
    doc: 'folder with `cert-chain.pem`, `key.pem`, `root-cert.pem` to call the CA with, on a VM; a certificate that has ended is not shown',
  }),
  outputCerts: text('', {
    env: 'OUTPUT_CERTS',
    doc: 'folder to write `cert-chain.pem`, `key.pem`, `root-cert.pem` to',
  }),
  kubernetesHost: text('', {
    env: 'KUBERNETES_SERVICE_HOST',
    doc: 'set in a cluster: files of `OUTPUT_CERTS` are then readable for all containers, else for the owner alone',
  }),
  fileMountedCerts: truth('false', {
    env: 'FILE_MOUNTED_CERTS',
    doc: 'certificates are in `./etc/certs`, and no CA is asked',
  }),
  fileDebounceMs: duration('100ms', {
    env: 'FILE_DEBOUNCE_DURATION',
    doc: 'how long after a change of a certificate file it is read',
  }),
  secretTtlMs: duration('24h', { env: 'SECRET_TTL', doc: 'the life that is asked for; the CA may give another' }),
  graceRatio: share('0.5', {
    env: 'SECRET_GRACE_PERIOD_RATIO',
    doc: 'a certificate is renewed when this share of its life is left',
  }),
  graceJitter: share('0.01', {
    env: 'SECRET_GRACE_PERIOD_RATIO_JITTER',
    doc: 'that share varies by so much, so that a fleet does not renew at once',
  }),
  rsaKeySize: choice('2048', { env: 'WORKLOAD_RSA_KEY_SIZE', doc: 'bits of an RSA key' }, ['2048', '3072', '4096']),
  eccAlgorithm: choice('', { env: 'ECC_SIGNATURE_ALGORITHM', doc: '`ECDSA`: an elliptic key instead of an RSA key' }, [
    '',
    'ECDSA',
  ]),
  eccCurve: choice('P256', { env: 'ECC_CURVE', doc: 'the curve of an elliptic key' }, ['P256', 'P384']),
  pkcs8Key: truth('false', { env: 'PKCS8_KEY', doc: 'keys are written as PKCS#8 instead of PKCS#1 or SEC 1' }),
  socketFile: text('socket', {
    env: 'WORKLOAD_IDENTITY_SOCKET_FILE',
    doc: `file in \`${socketFolder}\`; where another server listens there, it serves the identity, and ours serves files. Ours is \`${ownSocket}\``,
  }),
};

export type IdentitySettings = Values<typeof identityRows>;
