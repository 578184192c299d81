// Certificates: who the workload is to its peers. Settles where its identity comes from, keeps it, and serves it to Envoy on the SDS
// socket. The door of this folder.
import {
  filesSocket,
  type IdentitySource,
  identitySource,
  type KeyKind,
  keyProviderOf,
  type OwnSource,
  ownSocket,
  socketFolder,
} from '../../../core/identity/index.ts';
import type { GrpcServer } from '../../../ports/grpc.ts';
import type { Host } from '../../../ports/host.ts';
import { policyOf } from '../envoy-program.ts';
import type { Log } from '../log.ts';
import type { Plan } from '../plan.ts';
import { ordersAt } from './ca.ts';
import { watchFiles } from './files.ts';
import { type KeptFiles, keepCertificates } from './output.ts';
import { sdsServer } from './sds.ts';
import { type Secrets, secretsFrom } from './secrets.ts';
import { isServed } from './served.ts';
import type { IdentitySettings } from './settings.ts';
import { keepWorkload, type OrderCounts, type Workload } from './workload.ts';

interface IdentityContext {
  readonly plan: Plan;
  readonly host: Host;
  readonly log: Log;
}

export interface RunningIdentity {
  readonly kind: 'running';
  /** The control plane's trust anchors, in PEM, all of them. */
  readonly setAnchors: (pem: string) => void;
  /** Undefined: no CA is asked. */
  readonly counts: () => OrderCounts | undefined;
  readonly end: () => void;
}

/** Serves secrets from now on; the first certificate may take longer. */
export async function startIdentity(
  context: IdentityContext,
): Promise<RunningIdentity | { readonly kind: 'failed'; readonly problem: string }> {
  const { plan, host, log } = context;
  const { settings, config } = plan;
  const socketIsServed = await isServed(host, `${socketFolder}/${settings.socketFile}`);
  const { source, problems } = identitySource(
    { ...settings, discoveryAddress: config.discoveryAddress },
    { exists: host.files.exists, socketIsServed },
  );
  if (source === undefined) return { kind: 'failed', problem: problems.map(({ message }) => message).join('; ') };
  log('info', 'identity comes from', sourceFields(source));
  return serve(context, source);
}

function sourceFields(source: IdentitySource): Readonly<Record<string, string>> {
  if (source.kind === 'external') return { source: 'another server', path: source.path };
  const { pair, roots, ca } = source;
  const where = ca === undefined ? {} : { ca: `${ca.host}:${ca.port}` };
  return { source: pair?.chain ?? 'ca', roots: roots ?? 'ca', ...where };
}

async function serve(context: IdentityContext, source: IdentitySource): Promise<RunningIdentity> {
  const { plan, host, log } = context;
  const own = source.kind === 'own' ? source : undefined;
  let workload: Workload | undefined;
  let output: KeptFiles | undefined;
  const changed = (): void => {
    sds.changed();
    output?.write();
  };
  const files = watchFiles({ host, log, debounceMs: plan.settings.fileDebounceMs, changed });
  const keyProvider = keyProviderOf(plan.config.raw);
  const secrets = secretsFrom({ host, files, own, keyProvider, workload: () => workload });
  const sds = sdsServer({ log, secrets, nonce: host.nonce });
  if (own !== undefined) output = outputOf(context, secrets);
  if (own?.ca !== undefined) workload = keepWorkload(workloadOf(context, own.ca, changed));
  changed(); // files are there already
  const listening = listen(context, own === undefined ? filesSocket : ownSocket, sds.answer);
  await listening.first;
  return {
    kind: 'running',
    setAnchors: (pem) => workload?.setAnchors(pem),
    counts: () => workload?.counts(),
    end: () => [workload, files, output, listening].forEach((part) => part?.end()),
  };
}

function outputOf({ plan, host, log }: IdentityContext, secrets: Secrets): KeptFiles | undefined {
  const { outputCerts: folder, kubernetesHost } = plan.settings;
  if (folder === '') return undefined;
  return keepCertificates({ host, log, folder, mode: kubernetesHost === '' ? 0o600 : 0o644 }, secrets);
}

function workloadOf(
  { plan, host, log }: IdentityContext,
  target: NonNullable<OwnSource['ca']>,
  changed: () => void,
): Parameters<typeof keepWorkload>[0] {
  const { settings, env } = plan;
  const { graceRatio, graceJitter } = settings;
  const order = ordersAt(host, {
    target,
    identity: {
      trustDomain: settings.trustDomain,
      namespace: settings.podNamespace,
      serviceAccount: settings.serviceAccount,
    },
    keyKind: keyKindOf(settings),
    keyForm: settings.pkcs8Key ? 'pkcs8' : 'traditional',
    lifeMs: settings.secretTtlMs,
    signer: settings.certSigner,
    showsToken: ['third-party-jwt', 'first-party-jwt'].includes(settings.jwtPolicy),
    headers: { clusterid: settings.clusterId, ...headersFrom(env) },
  });
  const keepHeld = policyOf(plan).has['held-certificate'];
  return { host, log, order, changed, policy: { graceRatio, graceJitter, keepHeld } };
}

function keyKindOf({ eccAlgorithm, eccCurve, rsaKeySize }: IdentitySettings): KeyKind {
  if (eccAlgorithm === 'ECDSA') return eccCurve === 'P384' ? 'ecdsa-p384' : 'ecdsa-p256';
  return `rsa-${rsaKeySize}`;
}

const headerPrefix = 'CA_HEADER_';

/** What the environment adds to each call of the CA. */
function headersFrom(env: Plan['env']): Readonly<Record<string, string>> {
  const given = Object.entries(env).flatMap(([name, value]) =>
    name.startsWith(headerPrefix) && value !== undefined
      ? [[name.slice(headerPrefix.length).toLowerCase(), value] as const]
      : [],
  );
  return Object.fromEntries(given);
}

const listenTries = 5;
const listenAgainMs = 1000;

/** The socket's folder may come later than the agent; as Istio's, it tries five times, at doubling distances, and goes on without. */
function listen(
  { host, log }: IdentityContext,
  path: string,
  answer: Parameters<Host['grpc']['serve']>[1],
): { readonly first: Promise<void>; readonly end: () => void } {
  let server: GrpcServer | undefined;
  let ended = false;
  let callOff: () => void = () => undefined;
  const attempt = async (tries: number, waitMs: number): Promise<void> => {
    try {
      server = await host.grpc.serve(path, answer);
      if (ended) server.end();
      else log('info', 'serving secrets', { path });
    } catch (error) {
      log(tries > 1 ? 'warn' : 'error', 'cannot serve secrets', { path, problem: String(error), triesLeft: tries - 1 });
      if (tries > 1 && !ended) callOff = host.clock.after(waitMs, () => void attempt(tries - 1, 2 * waitMs));
    }
  };
  const end = (): void => {
    ended = true;
    callOff();
    server?.end();
  };
  return { first: attempt(listenTries, listenAgainMs), end };
}
