// Compares each webhook's caBundle with what its server shows in a handshake, by the addresses behind its Service, and Fairway's own also with the
// Secret of its authority. A server that cannot be reached from here is no finding against it.
import { X509Certificate } from 'node:crypto';
import { type ConnectionOptions, connect } from 'node:tls';
import type { Configuration, Trust } from '../../core/injectors/index.ts';
import { appName, caSecretName } from '../../core/install/index.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { list } from './list.ts';

const handshakeMs = 3000;
/** Replicas share what they show; more than a few need not be asked. */
const mostAddresses = 3;

interface Target {
  readonly webhook: string;
  readonly bundle: string;
  readonly service: Service;
}

interface Service {
  readonly namespace: string;
  readonly name: string;
  readonly port?: number;
}

/** One answer for each Service and bundle, named after the first webhook that leads there. */
export async function readTrust(cluster: Cluster, configurations: readonly Configuration[]): Promise<readonly Trust[]> {
  const targets = new Map<string, Target>();
  for (const { metadata, webhooks = [] } of configurations)
    for (const { name, clientConfig } of webhooks) {
      const { service, caBundle: bundle } = clientConfig ?? {};
      if (service === undefined || bundle === undefined || bundle === '') continue;
      const key = JSON.stringify([service.namespace, service.name, service.port, bundle]);
      if (!targets.has(key))
        targets.set(key, { webhook: `${metadata.name}/${name}`, bundle, service: service as Service });
    }
  return Promise.all(Array.from(targets.values(), (target) => trustIn(cluster, target)));
}

async function trustIn(cluster: Cluster, { webhook, bundle, service }: Target): Promise<Trust> {
  const ca = Buffer.from(bundle, 'base64').toString('utf8');
  const kept = service.name === appName ? await secretTrust(cluster, service, ca) : undefined;
  if (kept !== undefined && kept !== 'trusted') return { kind: 'refused', webhook, ...kept };
  const servername = `${service.name}.${service.namespace}.svc`;
  const addresses = (await addressesOf(cluster, service).catch(() => [])).slice(0, mostAddresses);
  const shown = await Promise.all(addresses.map((at) => handshake({ ...at, ca, servername })));
  const refused = shown.find((each) => each.kind === 'refused');
  if (refused !== undefined) return { kind: 'refused', webhook, by: refused.by, reason: refused.reason };
  if (kept === 'trusted' || shown.some(({ kind }) => kind === 'trusted')) return { kind: 'trusted', webhook };
  const [first] = shown;
  const reason = first?.kind === 'unreached' ? `${first.by}: ${first.reason}` : `${servername} has no ready address`;
  return { kind: 'unchecked', webhook, reason };
}

/** Undefined where the Secret is not there or may not be read: somebody else's certificate, or rights that are small on purpose. */
async function secretTrust(
  cluster: Cluster,
  { namespace }: Service,
  ca: string,
): Promise<'trusted' | { readonly by: string; readonly reason: string } | undefined> {
  const path = `/api/v1/namespaces/${namespace}/secrets/${caSecretName}`;
  const { status, body } = await cluster.send({ method: 'GET', path });
  const root = status === 200 ? (body as { data?: Record<string, string> }).data?.['root.crt'] : undefined;
  if (root === undefined) return undefined;
  const own = fingerprints(Buffer.from(root, 'base64').toString('utf8'))[0];
  if (own !== undefined && fingerprints(ca).includes(own)) return 'trusted';
  return { by: `the root in the Secret ${namespace}/${caSecretName}`, reason: 'it is not among its certificates' };
}

function fingerprints(pem: string): readonly string[] {
  return pem.split(/(?<=-----END CERTIFICATE-----)/).flatMap((each) => {
    try {
      return each.trim() === '' ? [] : [new X509Certificate(each).fingerprint256];
    } catch {
      return [];
    }
  });
}

interface Address {
  readonly host: string;
  readonly port: number;
}

interface Slice {
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[];
  readonly endpoints?: readonly {
    readonly addresses: readonly string[];
    readonly conditions?: { readonly ready?: boolean };
  }[];
}

interface ServiceObject {
  readonly spec?: { readonly ports?: readonly { readonly name?: string; readonly port: number }[] };
}

/** The pods behind the Service. Never its own address: outside of the cluster anybody may answer there, or a proxy in the name of all. */
async function addressesOf(cluster: Cluster, { namespace, name, port = 443 }: Service): Promise<readonly Address[]> {
  const { body } = await cluster.send({ method: 'GET', path: `/api/v1/namespaces/${namespace}/services/${name}` });
  const ports = (body as ServiceObject | undefined)?.spec?.ports ?? [];
  const portName = ports.find((each) => each.port === port)?.name ?? '';
  const selector = encodeURIComponent(`kubernetes.io/service-name=${name}`);
  const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices?labelSelector=${selector}`;
  const slices = (await list(cluster, path)) as readonly Slice[];
  return slices.flatMap(({ ports: offered = [], endpoints = [] }) => {
    const target = offered.find((each) => (each.name ?? '') === portName)?.port;
    const ready = endpoints.filter(({ conditions }) => conditions?.ready !== false);
    return target === undefined
      ? []
      : ready.flatMap(({ addresses }) => addresses.map((host) => ({ host, port: target })));
  });
}

type Shown =
  | { readonly kind: 'trusted' }
  | { readonly kind: 'refused'; readonly by: string; readonly reason: string }
  | { readonly kind: 'unreached'; readonly by: string; readonly reason: string };

/** What API servers check: the chain up to the bundle, and the Service's name. */
function handshake({
  host,
  port,
  ca,
  servername,
}: Address & { readonly ca: string; readonly servername: string }): Promise<Shown> {
  const by = `${host}:${port}`;
  const { promise, resolve } = Promise.withResolvers<Shown>();
  const options: ConnectionOptions = { host, port, ca, servername, rejectUnauthorized: false, timeout: handshakeMs };
  const socket = connect(options, () => {
    const { authorized, authorizationError: error } = socket;
    resolve(authorized ? { kind: 'trusted' } : { kind: 'refused', by: `what ${by} serves`, reason: String(error) });
    socket.destroy();
  });
  const giveUp = (reason: string): void => {
    resolve({ kind: 'unreached', by, reason });
    socket.destroy();
  };
  socket.on('timeout', () => giveUp('no answer'));
  socket.on('error', (error: NodeJS.ErrnoException) => giveUp(error.code ?? error.message));
  return promise;
}
