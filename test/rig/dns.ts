// The cluster's DNS server, a program that `up` starts on the bridge: names of services become addresses. Each question is answered
// from the API server at that moment, so there is nothing to keep in step. Knows no other names and asks nobody else.
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:https';
import { json } from 'node:stream/consumers';
import { layout, network } from './layout.ts';

interface Service {
  readonly spec: { readonly clusterIP?: string };
}

interface Slices {
  readonly items: readonly { readonly endpoints?: readonly { readonly addresses: readonly string[] }[] | null }[];
}

/** The addresses of a name; undefined: there is no such name. */
type Answer = readonly string[] | undefined;

const typeA = 1;
const nameError = 3;
const serverFailure = 2;
const agent = new Agent({ keepAlive: true });

const socket = createSocket('udp4');
socket.on('message', (query, from) => {
  void reply(query).then((answer) => socket.send(answer, from.port, from.address));
});
socket.bind(53, network.host);

async function reply(query: Buffer): Promise<Buffer> {
  const { name, type, end } = question(query);
  try {
    const addresses = await lookUp(name);
    return respond(query.subarray(0, end), type === typeA ? addresses : addresses && []);
  } catch {
    return respond(query.subarray(0, end), [], serverFailure);
  }
}

/** A headless service has the addresses of its endpoints. */
async function lookUp(name: string): Promise<Answer> {
  const [, service, namespace] = /^([^.]+)\.([^.]+)\.svc(?:\.cluster\.local)?$/.exec(name) ?? [];
  if (service === undefined) return undefined;
  const found = await read<Service>(`/api/v1/namespaces/${namespace}/services/${service}`);
  if (found === undefined) return undefined;
  const { clusterIP = 'None' } = found.spec;
  if (clusterIP !== 'None') return [clusterIP];
  const query = `labelSelector=kubernetes.io%2Fservice-name%3D${service}`;
  const slices = await read<Slices>(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices?${query}`);
  return (slices?.items ?? []).flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses));
}

/** An object of the API server, undefined where it has none. */
async function read<T>(path: string): Promise<T | undefined> {
  const { clusters, users } = JSON.parse(readFileSync(layout.kubeconfig, 'utf8')) as {
    clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }];
    users: [{ user: { token: string } }];
  };
  const { server, 'certificate-authority-data': ca } = clusters[0].cluster;
  const headers = { authorization: `Bearer ${users[0].user.token}` };
  const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
  get(`${server}${path}`, { agent, headers, ca: Buffer.from(ca, 'base64'), timeout: 5_000 }, (response) => {
    const status = response.statusCode ?? 0;
    if (status === 200 || status === 404)
      json(response).then((body) => resolve(status === 200 ? (body as T) : undefined), reject);
    else reject(new Error(`${path}: HTTP ${status}`));
  }).on('error', reject);
  return await promise;
}

/** The one question of a query (RFC 1035, section 4.1.2), and where it ends. */
function question(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.length >= at + 3 ? query.readUInt16BE(at + 1) : 0, end: at + 5 };
}

/** The header turned round and the records behind the question; options of the query (EDNS) are left out. */
function respond(query: Buffer, addresses: Answer, failure = nameError): Buffer {
  const head = Buffer.from(query);
  const code = addresses === undefined || failure === serverFailure ? failure : 0;
  head.writeUInt16BE(0x8580 | code, 2); // an answer, with authority
  head.writeUInt16BE(addresses?.length ?? 0, 6);
  head.writeUInt32BE(0, 8);
  const records = (addresses ?? []).map((address) =>
    Buffer.from([0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([head, ...records]);
}
