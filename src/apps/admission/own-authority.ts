// The server's own certificate authority, in one Secret that all replicas read and the elected one writes: carries out the steps of
// `src/core/rotation`, and keeps the roots in the webhook configurations, also when somebody else writes over them.
import { X509Certificate } from 'node:crypto';
import { type Authority, nextStep, type Policy, type Step, type Validity } from '../../core/rotation/index.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { backMs, issue, newAuthority } from './authority.ts';
import type { Leader } from './leader.ts';
import type { Log } from './log.ts';
import { startRounds } from './rounds.ts';
import type { Certificate } from './server.ts';

export interface OwnAuthority {
  /** The leaf to serve; waits for the first. */
  readonly certificate: () => Promise<Certificate>;
  readonly stop: () => Promise<void>;
}

export interface AuthorityOptions {
  readonly cluster: Cluster;
  readonly leader: Leader;
  readonly namespace: string;
  readonly secret: string;
  readonly service: string;
  /** Names of the webhook configurations whose roots are kept right. */
  readonly configurations: readonly string[];
  readonly policy: Policy;
  readonly everyMs: number;
  readonly nowMs: () => number;
  readonly log: Log;
}

/** What the Secret holds, by the names of its keys. */
interface Kept {
  readonly root?: Certificate;
  readonly next?: Certificate;
  readonly previous?: Certificate;
  readonly leaf?: Certificate;
}
const files = { root: 'root', next: 'next', previous: 'previous', leaf: 'tls' } as const;
type Part = keyof Kept;
const parts: readonly Part[] = ['root', 'next', 'previous', 'leaf'];

/** Works in rounds until stopped. A round that fails is logged, and the next one tries again. */
export function startAuthority(options: AuthorityOptions): OwnAuthority {
  const first = Promise.withResolvers<void>();
  let leaf: Certificate | undefined;
  let announced = false;
  const round = async (): Promise<void> => {
    const found = await readSecret(options);
    let { kept } = found;
    if (await options.leader.round()) {
      const after = await performSteps(kept, announced, options);
      if (after !== kept) await writeSecret(after, found.version, options);
      kept = after;
      announced = await announce(kept, options);
    }
    leaf = kept.leaf ?? leaf;
    if (leaf !== undefined) first.resolve();
  };
  const rounds = startRounds(round, { idleMs: options.everyMs }, (error) =>
    options.log.warn({ error: String(error) }, 'a round of the certificate authority failed'),
  );
  return {
    certificate: async () => {
      await first.promise;
      if (leaf === undefined) throw new Error('no certificate');
      return leaf;
    },
    stop: async () => {
      await rounds.stop();
      await options.leader.release();
    },
  };
}

interface Found {
  readonly kept: Kept;
  /** Absent: there is no Secret yet. */
  readonly version?: string;
}

async function readSecret({ cluster, namespace, secret }: AuthorityOptions): Promise<Found> {
  const { status, body } = await cluster.send({
    method: 'GET',
    path: `/api/v1/namespaces/${namespace}/secrets/${secret}`,
  });
  if (status === 404) return { kept: {} };
  if (status !== 200) throw new Error(`reading the Secret: HTTP ${status}`);
  const { metadata, data = {} } = body as {
    metadata: { resourceVersion: string };
    data?: Readonly<Record<string, string>>;
  };
  const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
  const pairs = parts.map(
    (part) => [part, { cert: text(`${files[part]}.crt`), key: text(`${files[part]}.key`) }] as const,
  );
  return { kept: Object.fromEntries(pairs.filter(([, { cert }]) => cert !== '')), version: metadata.resourceVersion };
}

async function writeSecret(
  kept: Kept,
  version: string | undefined,
  { cluster, namespace, secret }: AuthorityOptions,
): Promise<void> {
  const data = parts.flatMap((part) => {
    const { cert, key } = kept[part] ?? {};
    // A root that signs nothing any more needs no key.
    const secrets = part === 'previous' ? {} : { [`${files[part]}.key`]: base64(key ?? '') };
    return cert === undefined ? [] : Object.entries({ [`${files[part]}.crt`]: base64(cert), ...secrets });
  });
  const collection = `/api/v1/namespaces/${namespace}/secrets`;
  const metadata = { name: secret, namespace, ...(version === undefined ? {} : { resourceVersion: version }) };
  const body = { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata, data: Object.fromEntries(data) };
  const { status } = await cluster.send(
    version === undefined
      ? { method: 'POST', path: collection, body }
      : { method: 'PUT', path: `${collection}/${secret}`, body },
  );
  if (status >= 300) throw new Error(`writing the Secret: HTTP ${status}`);
}

async function performSteps(from: Kept, announced: boolean, options: AuthorityOptions): Promise<Kept> {
  const { policy, nowMs, log } = options;
  let kept = from;
  let told = announced;
  for (
    let step = nextStep(facts(kept, told, options), policy, nowMs());
    step !== undefined;
    step = nextStep(facts(kept, told, options), policy, nowMs())
  ) {
    log.info({ step }, 'certificate authority');
    kept = await perform(kept, step, options);
    told = told && step !== 'make-next';
  }
  return kept;
}

async function perform(kept: Kept, step: Step, options: AuthorityOptions): Promise<Kept> {
  const { policy, nowMs } = options;
  const rootLife = { nowMs: nowMs(), lifeMs: policy.rootLifeMs };
  const { root, next } = kept;
  switch (step) {
    case 'make-root':
      return { root: await newAuthority(rootLife) };
    case 'make-next':
      return { ...kept, next: await newAuthority(rootLife) };
    case 'promote-next': {
      const { next: promoted, root: before, ...rest } = kept;
      return { ...rest, ...(promoted && { root: promoted }), ...(before && { previous: before }) };
    }
    case 'issue-leaf':
      return root === undefined
        ? kept
        : { ...kept, leaf: await issue(root, dnsNames(options), { nowMs: nowMs(), lifeMs: policy.leafLifeMs }) };
    case 'drop-previous':
      return { ...(root && { root }), ...(next && { next }), ...(kept.leaf && { leaf: kept.leaf }) };
  }
}

/** As API servers call it, and as others in the cluster may. */
function dnsNames({ service, namespace }: AuthorityOptions): readonly string[] {
  return [`${service}.${namespace}.svc`, `${service}.${namespace}.svc.cluster.local`, `${service}.${namespace}`];
}

function facts(kept: Kept, announced: boolean, options: AuthorityOptions): Authority {
  const { root, next, previous, leaf } = kept;
  return {
    ...(root && { root: validity(root) }),
    ...(next && { next: validity(next) }),
    ...(previous && { previous: validity(previous) }),
    ...(leaf && { leaf: leafFacts(leaf, kept, options) }),
    announced,
  };
}

function leafFacts(
  leaf: Certificate,
  { root, previous }: Kept,
  options: AuthorityOptions,
): NonNullable<Authority['leaf']> {
  const parsed = new X509Certificate(leaf.cert);
  const by = (signer: Certificate | undefined): boolean =>
    signer !== undefined && parsed.verify(new X509Certificate(signer.cert).publicKey);
  const signedBy = by(root) ? 'root' : by(previous) ? 'previous' : 'unknown';
  return {
    ...validity(leaf),
    signedBy,
    namesFit: dnsNames(options).every((name) => parsed.checkHost(name) !== undefined),
  };
}

function validity({ cert }: Certificate): Validity {
  const { validFrom, validTo } = new X509Certificate(cert);
  return { fromMs: Date.parse(validFrom) + backMs, untilMs: Date.parse(validTo) };
}

interface Webhook {
  readonly name: string;
  readonly clientConfig: {
    readonly caBundle?: string;
    readonly service?: { readonly name: string; readonly namespace: string };
  };
}

/** Puts the trusted roots into every configuration that calls this service; resolves to whether all that exist have them. */
async function announce({ previous, root, next }: Kept, options: AuthorityOptions): Promise<boolean> {
  const caBundle = base64([previous, root, next].map((each) => each?.cert ?? '').join(''));
  const done = await Promise.all(options.configurations.map((name) => repair(name, caBundle, options)));
  return done.every((each) => each);
}

async function repair(
  name: string,
  caBundle: string,
  { cluster, service, namespace, log }: AuthorityOptions,
): Promise<boolean> {
  const path = `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${name}`;
  const { status, body } = await cluster.send({ method: 'GET', path });
  if (status === 404) return true;
  const webhooks = status === 200 ? ((body as { webhooks?: readonly Webhook[] }).webhooks ?? []) : [];
  const ours = webhooks.filter(
    ({ clientConfig }) => clientConfig.service?.name === service && clientConfig.service.namespace === namespace,
  );
  const wrong = ours.filter(({ clientConfig }) => clientConfig.caBundle !== caBundle);
  if (wrong.length === 0) return status === 200;
  const patch = { webhooks: wrong.map((webhook) => ({ name: webhook.name, clientConfig: { caBundle } })) };
  const patched = await cluster.send({
    method: 'PATCH',
    path,
    body: patch,
    contentType: 'application/strategic-merge-patch+json',
  });
  log.info(
    { configuration: name, webhooks: wrong.map((webhook) => webhook.name), status: patched.status },
    'caBundle put right',
  );
  return patched.status < 300;
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
