// A pod whose traffic is mTLS: what goes out of its outbound listener in the clear comes back to its own inbound listener encrypted, with
// the workload's certificate at both ends, and reaches the application. The certificate comes from a CA of the test.
import { mkdirSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { type CertificateAuthority, startCertificateAuthority } from '../xds/certificate-authority.ts';
import { clusterOf, type Ports, podListeners, putListeners, writeBootstrap, writeClusters } from './bootstrap.ts';
import { getOnce } from './load.ts';
import { freePorts, type Scene, type SceneOptions, startScene, until } from './scene.ts';

export const tokenPath = 'var/run/secrets/tokens/istio-token';
export const rootPath = 'var/run/secrets/istio/root-cert.pem';
export const socketPath = 'var/run/secrets/workload-spiffe-uds/socket';
export const identity = 'spiffe://cluster.local/ns/shop/sa/cart';

export interface SecureScene extends Scene {
  readonly ca: CertificateAuthority;
}

export interface SecureOptions extends SceneOptions {
  /** What the listeners ask for instead of `default` and `ROOTCA`. */
  readonly secrets?: SecretNames;
  /** Life of the certificates; as asked for unless told. */
  readonly lifeMs?: number;
}

interface SecretNames {
  readonly own: string;
  readonly roots: string;
}

/** With a CA of the test. */
export async function startSecureScene(t: TestContext, options: SecureOptions = {}): Promise<SecureScene> {
  const [port = 0] = await freePorts(1); // it stays free while the CA is away
  const ca = await startCertificateAuthority(port);
  t.after(() => ca.end());
  ca.lifeMs = options.lifeMs;
  ca.callers.set('token-1', identity);
  const env = { CA_ADDR: `127.0.0.1:${ca.port}`, ...options.env };
  const scene = await startMtlsScene(t, { ...options, env, credentials: { root: ca.root(), token: 'token-1' } });
  return { ...scene, ca };
}

export interface MtlsOptions extends SecureOptions {
  /** What the kubelet would mount. */
  readonly credentials: { readonly root: string; readonly token: string };
}

/** With the CA that the environment tells. */
export function startMtlsScene(t: TestContext, { credentials, ...options }: MtlsOptions): Promise<Scene> {
  const pod = { POD_NAMESPACE: 'shop', SERVICE_ACCOUNT: 'cart', ISTIO_META_CLUSTER_ID: 'Kubernetes' };
  return startScene(t, {
    ...options,
    env: { FILE_MOUNTED_CERTS: '', ...pod, ...options.env },
    prepare: (place) => {
      put(place.folder, tokenPath, `${credentials.token}\n`);
      put(place.folder, rootPath, credentials.root);
      writeSecure(place.folder, place.ports, options.secrets ?? { own: 'default', roots: 'ROOTCA' });
      options.prepare?.(place);
    },
  });
}

/** A file of the pod, its folders made. */
export function put(folder: string, path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Bootstrap, listeners and clusters with mTLS by secrets of the agent's socket. */
function writeSecure(folder: string, ports: Ports, names: SecretNames): void {
  writeBootstrap(folder, ports, [sdsCluster()]);
  const { inbound, outbound } = podListeners(folder, ports);
  const required = { require_client_certificate: true };
  const secured = {
    ...inbound,
    filter_chains: inbound.filter_chains.map((chain) => ({
      ...chain,
      transport_socket: tls('Downstream', required, names),
    })),
  };
  putListeners(folder, 'secure', [secured, outbound]);
  const mesh = {
    ...clusterOf('elsewhere', ports.inbound),
    transport_socket: tls('Upstream', {}, names),
    // Handshakes under load, not kept connections alone.
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
        common_http_protocol_options: { max_requests_per_connection: 10 },
        explicit_http_config: { http_protocol_options: {} },
      },
    },
  };
  writeClusters(folder, [clusterOf('app', ports.app), mesh]);
}

function sdsCluster(): object {
  const address = { pipe: { path: `./${socketPath}` } };
  return {
    name: 'sds-grpc',
    connect_timeout: '1s',
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
        explicit_http_config: { http2_protocol_options: {} },
      },
    },
    load_assignment: { cluster_name: 'sds-grpc', endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] },
  };
}

function tls(side: 'Downstream' | 'Upstream', more: object, { own, roots }: SecretNames): object {
  const secret = (name: string): object => ({
    name,
    sds_config: {
      resource_api_version: 'V3',
      api_config_source: {
        api_type: 'GRPC',
        transport_api_version: 'V3',
        grpc_services: [{ envoy_grpc: { cluster_name: 'sds-grpc' } }],
      },
    },
  });
  return {
    name: 'envoy.transport_sockets.tls',
    typed_config: {
      '@type': `type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.${side}TlsContext`,
      common_tls_context: {
        tls_certificate_sds_secret_configs: [secret(own)],
        validation_context_sds_secret_config: secret(roots),
      },
      ...more,
    },
  };
}

/** Renewed every two seconds, with time to spare on a slow machine. */
export const renewedOften = { lifeMs: 20_000, env: { SECRET_GRACE_PERIOD_RATIO: '0.9' } } as const;

/** A slow machine takes its time. */
export const patienceMs = 40_000;

export async function speaksMtls({ ports }: Scene): Promise<void> {
  const works = (): Promise<boolean> =>
    getOnce(ports.outbound, '/').then(
      () => true,
      () => false,
    );
  await until('mTLS works', works, patienceMs);
}

/** Waits until Envoy shows another certificate; gives what it shows. */
export async function nextCertificate(scene: Scene, before: string | undefined): Promise<string> {
  let serial: string | undefined;
  await until(
    'another certificate is in use',
    async () => {
      serial = (await activeCertificate(scene))?.serial;
      return serial !== undefined && serial !== before;
    },
    patienceMs,
  );
  return serial ?? '';
}

interface ActiveCertificate {
  /** Of the certificate that Envoy shows to its peers. */
  readonly serial: string;
  readonly identities: readonly string[];
  readonly rootSerials: readonly string[];
}

interface CertificateJson {
  readonly serial_number?: string;
  readonly subject_alt_names?: readonly { readonly uri?: string }[];
}

/** What Envoy's administration says it uses; undefined: nothing yet. */
export async function activeCertificate({ ports }: Scene): Promise<ActiveCertificate | undefined> {
  const { certificates = [] } = JSON.parse(await fetchText(ports.admin, '/certs')) as {
    readonly certificates?: readonly {
      readonly ca_cert?: readonly CertificateJson[];
      readonly cert_chain?: readonly CertificateJson[];
    }[];
  };
  const complete = certificates.find(
    ({ ca_cert = [], cert_chain = [] }) => ca_cert.length > 0 && cert_chain.length > 0,
  );
  if (complete === undefined) return undefined;
  const { ca_cert = [], cert_chain = [] } = complete;
  return {
    serial: cert_chain[0]?.serial_number ?? '',
    identities: cert_chain[0]?.subject_alt_names?.flatMap(({ uri }) => uri ?? []) ?? [],
    rootSerials: ca_cert.map(({ serial_number = '' }) => serial_number),
  };
}

function fetchText(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks).toString()));
    }).on('error', reject);
  });
}
