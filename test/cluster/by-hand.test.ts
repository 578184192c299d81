// What a platform team does by hand, against a real API server: certificates of its own in a Secret's volume, renewed while pods are made; and a
// take-over that breaks off between two configurations.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Connection } from '../../src/adapters/kube/connect.ts';
import { issue, newAuthority } from '../../src/apps/admission/authority.ts';
import type { Certificate } from '../../src/apps/admission/server.ts';
import { injectedBy, type StandIn } from './injector.ts';
import { applyInjectorTexts, install } from './install.ts';
import { createPod, doctorFinds, fairway, kubeconfigOf, kubectl, newNamespace, revisionOf, until } from './kube.ts';
import { leadTo, type Replica, startReplica } from './replica.ts';
import { type Stage, stageUp } from './stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-by-hand-'));
const path = (...names: readonly string[]): string => join(folder, ...names);
const life = { nowMs: Date.now(), lifeMs: 86_400_000 };
const revision = 'b-2';

let stage: Stage | undefined;
let connection: Connection;
let injector: StandIn;
let replica: Replica;
let roots: readonly [old: Certificate, next: Certificate];
before(async () => {
  roots = [await newAuthority(life), await newAuthority(life)];
  writeFileSync(path('rollouts.yml'), `production: {${revision}: 100}\n`);
  writeFileSync(path('fairway.yml'), 'revisions: {b-2: {}, gone: {retired: true}}\n');
  mkdirSync(path('volume'));
  project(await leafOf(roots[0]));
  stage = await stageUp(revision);
  ({ connection, injector } = stage);
  applyInjectorTexts(revision);
  await newNamespace('shop');
  await trust(...roots);
  const files = ['--tls-cert', path('volume', 'tls.crt'), '--tls-key', path('volume', 'tls.key')];
  replica = await startReplica('--config', folder, '--inject', revision, ...files);
  leadTo(replica);
  await until('a pod reaches it', async () => (await made()) === revision);
});
after(async () => {
  await stage?.end();
  rmSync(folder, { recursive: true });
});

const leafOf = (root: Certificate): Promise<Certificate> => issue(root, ['fairway-admission.fairway-system.svc'], life);

/** Installs the webhooks with these roots, as somebody who renews certificates does. */
async function trust(...trusted: readonly Certificate[]): Promise<void> {
  writeFileSync(path('ca.crt'), trusted.map(({ cert }) => cert).join(''));
  const given = ['--tls-secret', 'given', '--ca-file', path('ca.crt')];
  await install('--config', folder, '--inject', revision, ...given);
}

let writes = 0;
/** Puts a Secret's contents into the volume as a kubelet does (its AtomicWriter): a new folder, and one rename of the link that leads to it. */
function project({ cert, key }: Certificate): void {
  const data = `..${++writes}`;
  mkdirSync(path('volume', data));
  writeFileSync(path('volume', data, 'tls.crt'), cert);
  writeFileSync(path('volume', data, 'tls.key'), key);
  symlinkSync(data, path('volume', '..data_tmp'));
  renameSync(path('volume', '..data_tmp'), path('volume', '..data'));
  if (writes > 1) return rmSync(path('volume', `..${writes - 1}`), { recursive: true });
  for (const name of ['tls.crt', 'tls.key']) symlinkSync(join('..data', name), path('volume', name));
}

/** The label that a dry-run pod of a retired revision ends with: that revision still, where Krispr was not reached. */
async function made(): Promise<string | undefined> {
  return revisionOf(
    await createPod(connection, 'shop', { generateName: 'x-', labels: { 'istio.io/rev': 'gone' } }, true),
  );
}

const used = (): number => replica.log().split('"msg":"certificate in use"').length - 1;

/** Makes pods until something holds; every one of them has to be labelled. */
async function labelledUntil(what: string, holds: () => boolean): Promise<void> {
  await until(what, async () => {
    assert.deepEqual(await Promise.all([made(), made(), made()]), [revision, revision, revision]);
    return holds();
  });
}

test('a Secret that is renewed in its volume: used within seconds, and no pod misses Krispr', async () => {
  const before_ = used();
  project(await leafOf(roots[1]));
  await labelledUntil('the renewed certificate', () => used() > before_);
  // With another bundle API servers make new connections: they have to trust what is served now.
  await trust(roots[1]);
  const stale = { code: 'ca-bundle' };
  await until('only the new root counts', async () => {
    const found = await doctorFinds({ folder, namespace: 'shop' }, [stale.code]);
    return found.length === 0 && (await made()) === revision;
  });
});

test('a pair that does not fit, or half a pair, changes nothing and is told; the next that fits is used', async () => {
  const [one, other] = [await leafOf(roots[1]), await leafOf(roots[1])];
  const before_ = used();
  for (const broken of [
    { cert: one.cert, key: other.key },
    { cert: one.cert, key: '' },
    { cert: 'no certificate', key: one.key },
  ]) {
    const told = (): number => replica.log().split('the certificate cannot be used').length;
    const toldBefore = told();
    project(broken);
    await labelledUntil('the complaint', () => told() > toldBefore);
  }
  assert.equal(used(), before_);
  project(other);
  await labelledUntil('the pair that fits', () => used() > before_);
});

const second = `istio-sidecar-injector-${revision}-second`;

/** An account that may change one of the two configurations only: with it a take-over ends in its middle, as one that is killed there. */
function halfAnAccount(): string {
  const name = 'half';
  kubectl(['-n', 'shop', 'create', 'serviceaccount', name]);
  const verbs = ['--verb=list,get', '--resource=mutatingwebhookconfigurations'];
  kubectl(['create', 'clusterrole', 'half-list', ...verbs]);
  const one = [
    '--verb=patch',
    '--resource=mutatingwebhookconfigurations',
    `--resource-name=istio-sidecar-injector-${revision}`,
  ];
  kubectl(['create', 'clusterrole', 'half-patch', ...one]);
  for (const role of ['half-list', 'half-patch'])
    kubectl(['create', 'clusterrolebinding', role, `--clusterrole=${role}`, `--serviceaccount=shop:${name}`]);
  return kubeconfigOf('shop', name);
}

/** Whose sidecar a new pod has; the API server learns of a changed configuration a moment later. */
async function sidecar(): Promise<string | undefined> {
  return injectedBy(
    await createPod(connection, 'shop', { generateName: 'y-', labels: { 'istio.io/rev': revision } }, true),
  );
}

test('a take-over or a give-back that breaks off leaves no pod without an injector, and the next one ends it', async () => {
  injector.configure(revision, second);
  const half = halfAnAccount();
  const selectors = (): string =>
    kubectl([
      'get',
      'mutatingwebhookconfigurations',
      '-l',
      'istio.io/rev',
      '-o',
      'jsonpath={.items[*].webhooks[*].objectSelector}',
    ]);
  const original = selectors();
  for (const what of ['take-over', 'give-back']) {
    const broken = await fairway('admission', what, revision, '--kubeconfig', half);
    assert.equal(broken.status, 69, broken.stderr);
    assert.match(broken.stderr, new RegExp(`changing ${second}: HTTP 403`));
    assert.match(broken.stdout, /^istio-sidecar-injector-b-2: changed\n$/);
    assert.equal(await sidecar(), revision);
    const whole = await fairway('admission', what, revision);
    assert.equal(whole.stdout, `istio-sidecar-injector-${revision}: nothing to do\n${second}: changed\n`);
    assert.equal(await sidecar(), revision);
  }
  assert.equal(selectors(), original);
});

test('what an upgrade of istiod restored is taken over again; without a stand-in doctor says whose pods are nobody’s', async () => {
  const find = async (): Promise<readonly string[]> =>
    (await doctorFinds({ folder, namespace: 'shop' }, ['double-injection', 'taken-over-unserved'])).map(
      ({ code, path: at }) => `${code} ${at}`,
    );
  kubectl(['delete', 'mutatingwebhookconfiguration', second]);
  const take = async (): Promise<string> => (await fairway('admission', 'take-over', revision)).stdout;
  assert.match(await take(), /: changed/);
  assert.deepEqual(await find(), []);
  injector.configure(revision);
  assert.match((await find()).join(), /double-injection/);
  assert.match(await take(), /: changed/);
  assert.deepEqual(await find(), []);
  kubectl(['delete', 'mutatingwebhookconfiguration', `fairway-2-inject-${revision}`]);
  assert.deepEqual(await find(), [`taken-over-unserved istio-sidecar-injector-${revision}`]);
  assert.match((await fairway('admission', 'give-back', revision)).stdout, /: changed/);
  assert.deepEqual(await find(), []);
});

test('a server that is not there takes nothing over, though API servers would trust it', async () => {
  await trust(roots[1]);
  leadTo();
  await until('the refusal', async () => {
    const { status, stderr } = await fairway('admission', 'take-over', revision);
    if (status !== 2) await fairway('admission', 'give-back', revision);
    return status === 2 && /fairway-2-inject-b-2 does not answer, so no pod of b-2 could start/.test(stderr);
  });
  leadTo(replica);
  await until('a pod reaches it', async () => (await made()) === revision);
});

test('a default revision whose rows nobody stands in for is not taken over', async () => {
  const row = { matchExpressions: [{ key: 'istio-injection', operator: 'In', values: ['enabled'] }] };
  await trust(roots[1]);
  const name = `istio-sidecar-injector-${revision}`;
  const live = JSON.parse(kubectl(['get', 'mutatingwebhookconfiguration', name, '-o', 'json'])) as {
    webhooks: object[];
  };
  const webhook = {
    ...live.webhooks[0],
    name: 'namespace.sidecar-injector.istio.io',
    namespaceSelector: row,
    objectSelector: {},
  };
  const patch = JSON.stringify([{ op: 'add', path: '/webhooks/-', value: webhook }]);
  kubectl(['patch', 'mutatingwebhookconfiguration', name, '--type=json', '-p', patch]);
  const refused = await fairway('admission', 'take-over', revision);
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /nobody would inject a pod with .*istio-injection=enabled/);
});
