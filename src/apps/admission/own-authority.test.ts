import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, test } from 'node:test';
import { usualTerm } from '../../core/election/index.ts';
import type { ClusterAnswer, ClusterRequest } from '../../ports/cluster.ts';
import { fakeCluster } from './fake-cluster.ts';
import { takePart } from './leader.ts';
import { type OwnAuthority, startAuthority } from './own-authority.ts';

/** Just enough of an API server: objects by path, versions, conflicts, merges of webhooks by name. */
function store() {
  const objects = new Map<string, { resourceVersion: number; body: Record<string, unknown> }>();
  let version = 1;
  const put = (path: string, body: object): ClusterAnswer => {
    const stored = {
      ...body,
      metadata: { ...(body as { metadata?: object }).metadata, resourceVersion: String(++version) },
    };
    objects.set(path, { resourceVersion: version, body: stored });
    return { status: 200, body: stored };
  };
  const answer = ({ method, path, body }: ClusterRequest): ClusterAnswer => {
    const whole = method === 'POST' ? `${path}/${(body as { metadata: { name: string } }).metadata.name}` : path;
    const found = objects.get(whole);
    if (method === 'POST')
      return found === undefined ? { ...put(whole, body as object), status: 201 } : { status: 409, body: {} };
    if (found === undefined) return { status: 404, body: {} };
    if (method === 'GET') return { status: 200, body: found.body };
    if (method === 'PATCH') return put(whole, merged(found.body, body as { webhooks: Webhook[] }));
    const asked = (body as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
    return asked === String(found.resourceVersion) ? put(whole, body as object) : { status: 409, body: {} };
  };
  return { put, answer, get: (path: string) => objects.get(path)?.body };
}

interface Webhook {
  readonly name: string;
  readonly clientConfig: { readonly caBundle?: string; readonly service?: object };
}

function merged(body: Record<string, unknown>, patch: { readonly webhooks: readonly Webhook[] }): object {
  const webhooks = (body['webhooks'] as readonly Webhook[]).map((webhook) => {
    const change = patch.webhooks.find(({ name }) => name === webhook.name);
    return { ...webhook, clientConfig: { ...webhook.clientConfig, ...change?.clientConfig } };
  });
  return { ...body, webhooks };
}

const configurationPath = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/fairway-1-krispr';
const service = { name: 'fairway-admission', namespace: 'fairway-system' };
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const started: OwnAuthority[] = [];
after(async () => {
  await Promise.all(started.map((authority) => authority.stop()));
});

const minute = 60_000;

/** Some replicas on one store and one clock that tests move by hand. */
function replicas(...names: readonly string[]) {
  const kept = store();
  kept.put(configurationPath, {
    webhooks: [
      { name: 'krispr.fairway.dev', clientConfig: { service } },
      { name: 'of.somebody.else', clientConfig: { service: { name: 'other', namespace: 'x' }, caBundle: 'theirs' } },
    ],
  });
  let nowMs = Date.UTC(2026, 10, 30);
  let reads = 0;
  const rounds = async (count: number): Promise<void> => {
    const enough = reads + count + 1;
    await until(() => reads >= enough);
  };
  const answer = (request: ClusterRequest): ClusterAnswer => {
    if (request.path.endsWith('/secrets/fairway-admission-ca') && request.method === 'GET') reads++;
    return kept.answer(request);
  };
  const start = (name: string): OwnAuthority => {
    const cluster = fakeCluster(answer);
    const leader = takePart({
      cluster,
      namespace: service.namespace,
      lease: 'lease',
      candidate: { name, term: usualTerm },
      nowMs: () => nowMs,
    });
    const authority = startAuthority({
      cluster,
      leader,
      namespace: service.namespace,
      secret: 'fairway-admission-ca',
      service: service.name,
      configurations: ['fairway-1-krispr', 'fairway-2-inject-not-applied'],
      policy: { rootLifeMs: 600 * minute, leafLifeMs: 60 * minute, settleMs: 5 * minute },
      everyMs: 1,
      nowMs: () => nowMs,
      log: quiet,
    });
    started.push(authority);
    return authority;
  };
  return { kept, all: names.map(start), start, pass: (ms: number) => (nowMs += ms), rounds };
}

function webhooksOf(kept: ReturnType<typeof store>): readonly Webhook[] {
  return (kept.get(configurationPath)?.['webhooks'] ?? []) as readonly Webhook[];
}

const bundle = (kept: ReturnType<typeof store>): readonly X509Certificate[] => {
  const [webhook] = webhooksOf(kept);
  const text = Buffer.from(webhook?.clientConfig.caBundle ?? '', 'base64').toString('utf8');
  return text
    .split(/(?<=-----END CERTIFICATE-----\n)/)
    .filter((each) => each !== '')
    .map((each) => new X509Certificate(each));
};

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 1000; i++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.fail('never');
}

test('two replicas share one leaf, which the configurations can check, and touch nobody else', async () => {
  const { kept, all } = replicas('a', 'b');
  const [first, second] = await Promise.all(all.map((authority) => authority.certificate()));
  assert.deepEqual(first, second);
  await until(() => bundle(kept).length === 1);
  const [root] = bundle(kept);
  const leaf = new X509Certificate(first?.cert ?? '');
  assert.ok(root !== undefined && leaf.verify(root.publicKey) && leaf.checkIssued(root) && root.ca);
  assert.equal(leaf.checkHost('fairway-admission.fairway-system.svc'), 'fairway-admission.fairway-system.svc');
  const [, other] = webhooksOf(kept);
  assert.equal(other?.clientConfig.caBundle, 'theirs');
});

test('a bundle that somebody overwrites is put right', async () => {
  const { kept, all } = replicas('a');
  await all[0]?.certificate();
  await until(() => bundle(kept).length === 1);
  kept.put(configurationPath, {
    webhooks: [{ name: 'krispr.fairway.dev', clientConfig: { service, caBundle: 'wrong' } }],
  });
  await until(() => webhooksOf(kept)[0]?.clientConfig.caBundle !== 'wrong');
  assert.equal(bundle(kept).length, 1);
});

test('over the life of a root: renewed leaves, an announced root, both trusted, then one; always checkable', async () => {
  const { kept, all, pass, rounds } = replicas('a');
  const [authority] = all;
  assert.ok(authority !== undefined);
  const sizes: number[] = [];
  const serials = new Set<string>();
  for (let i = 0; i < 150; i++) {
    const leaf = new X509Certificate((await authority.certificate()).cert);
    await until(() => bundle(kept).some((root) => leaf.verify(root.publicKey)));
    serials.add(leaf.serialNumber);
    if (sizes.at(-1) !== bundle(kept).length) sizes.push(bundle(kept).length);
    pass(3 * minute);
    await rounds(2);
  }
  assert.deepEqual(sizes, [1, 2, 1]);
  assert.ok(serials.size > 8, String(serials.size));
});

test('when the elected replica is gone, another takes over after the term', async () => {
  const { kept, all, start, pass } = replicas('a');
  await all[0]?.certificate();
  await until(() => bundle(kept).length === 1);
  await all[0]?.stop();
  const { spec = {} } = kept.get('/apis/coordination.k8s.io/v1/namespaces/fairway-system/leases/lease') ?? {};
  assert.equal((spec as { holderIdentity?: string }).holderIdentity, '', 'given back');
  const heir = start('b');
  pass(50 * minute);
  const leaf = new X509Certificate((await heir.certificate()).cert);
  await until(() => bundle(kept).some((root) => leaf.verify(root.publicKey)));
});
