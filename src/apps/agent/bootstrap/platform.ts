// Asks a cloud's metadata server about the machine, where the machine shows that it is in a cloud. Everything together is bounded: a server that does not
// answer must not hold a start, and what it has not told by then is left out.
import {
  awsPlatform,
  azurePlatform,
  azureVersion,
  cloudOf,
  gcpFromSettings,
  gcpPaths,
  gcpPlatform,
  gcpZoneIn,
  hostPort,
  noPlatform,
  type Platform,
} from '../../../core/bootstrap/index.ts';
import type { Host } from '../../../ports/host.ts';

type Env = Readonly<Record<string, string | undefined>>;

interface Place {
  readonly host: Host;
  readonly env: Env;
  /** CLOUD_PLATFORM. */
  readonly told: string;
  readonly addresses: readonly string[];
}

/** On the machine's own link milliseconds are usual; a busy machine, GKE's server, which is a pod, and Azure's need more. */
const answerMs = 500;
/** AWS lets the answer with a token travel no further than the machine unless told: a container must not wait for it long. */
const tokenMs = 200;
const linkLocal = '169.254.169.254';
const linkLocalV6 = 'fd00:ec2::254';

/** What the cloud tells; without a cloud nobody is asked. */
export async function discoverPlatform(place: Place): Promise<Platform> {
  const { host, env, told } = place;
  const cloud = cloudOf({
    told,
    hasGcpSettings: (env['GCP_METADATA'] ?? env['GCE_METADATA_HOST'] ?? '') !== '',
    maker: host.files.read('/sys/class/dmi/id/sys_vendor'),
    hypervisor: host.files.read('/sys/hypervisor/uuid'),
  });
  switch (cloud) {
    case 'aws':
      return aws(place);
    case 'azure':
      return azure(place);
    case 'gcp':
      return gcp(place);
    case undefined:
      return noPlatform;
  }
}

interface Question {
  readonly method?: 'GET' | 'PUT';
  readonly at: string;
  readonly port?: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Azure's server tells its versions with a refusal. */
  readonly evenRefused?: boolean;
}

/** Undefined: no answer, or a refusal. */
async function ask({ net }: Host, question: Question): Promise<string | undefined> {
  const { method = 'GET', at, port = 80, path, headers, timeoutMs, evenRefused = false } = question;
  const answer = await net.fetch({ method, host: at, port, path, headers, timeoutMs, maxBytes: 1 << 20 });
  if (answer.kind === 'failed' || (answer.status !== 200 && !evenRefused)) return undefined;
  return new TextDecoder().decode(answer.body).trim();
}

/** With a session's token, and without where none is to be had: its answer may not travel far enough for a container. */
async function aws({ host, addresses }: Place): Promise<Platform> {
  const isV6 = addresses.length > 0 && addresses.every((each) => each.includes(':'));
  const server = { at: isV6 ? linkLocalV6 : linkLocal, timeoutMs: answerMs };
  const life = { 'X-aws-ec2-metadata-token-ttl-seconds': '60' };
  const token = await ask(host, {
    ...server,
    method: 'PUT',
    path: '/latest/api/token',
    headers: life,
    timeoutMs: tokenMs,
  });
  const headers: Record<string, string> = token === undefined ? {} : { 'X-aws-ec2-metadata-token': token };
  const get = (path: string): Promise<string | undefined> =>
    ask(host, { ...server, path: `/latest/meta-data/${path}`, headers });
  const paths = ['placement/region', 'placement/availability-zone', 'instance-id'];
  const [region, zone, instance] = await Promise.all(paths.map(get));
  return awsPlatform({ region, zone, instance });
}

async function azure({ host }: Place): Promise<Platform> {
  const server = { at: linkLocal, timeoutMs: answerMs, headers: { Metadata: 'True' } };
  const versions = await ask(host, { ...server, path: '/metadata/instance?', evenRefused: true });
  const query = `api-version=${azureVersion(versions)}`;
  return azurePlatform(await ask(host, { ...server, path: `/metadata/instance?${query}` }));
}

async function gcp({ host, env }: Place): Promise<Platform> {
  const zone = gcpZoneIn(host.files.read('/etc/resolv.conf') ?? '');
  const settled = gcpFromSettings(env, zone);
  if (settled !== undefined) return settled;
  const { address: at, port } = gcpServer(env['GCE_METADATA_HOST']);
  const headers = { 'Metadata-Flavor': 'Google' };
  const answers = await Promise.all(
    Object.entries(gcpPaths).map(async ([name, path]) => {
      const question = { at, port, path: `/computeMetadata/v1/${path}`, headers, timeoutMs: answerMs };
      return [name, await ask(host, question)] as const;
    }),
  );
  return gcpPlatform(Object.fromEntries(answers), zone);
}

/** `HOST` or `HOST:PORT`, as Google's own libraries read it. */
function gcpServer(given = ''): { readonly address: string; readonly port: number } {
  return hostPort(given) ?? { address: given === '' ? linkLocal : given, port: 80 };
}
