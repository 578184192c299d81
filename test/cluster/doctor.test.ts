// Doctor against a real API server: certificates that are really served, nodes, StatefulSets of the real controller, Krispr as a policy.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Connection } from '../../src/adapters/kube/connect.ts';
import { issue, newAuthority } from '../../src/apps/admission/authority.ts';
import { install } from './install.ts';
import { apply, createPod, doctorFinds, type Finding, kubectl, newNamespace, until } from './kube.ts';
import { leadTo, startReplica, stopReplicas } from './replica.ts';
import { type Stage, stageUp } from './stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-doctor-'));
const path = (name: string): string => join(folder, name);
writeFileSync(path('rollouts.yml'), 'production: {b-2: 100}\n');
writeFileSync(path('fairway.yml'), 'mutators: {shutdown-guard: {}}\n');

let stage: Stage | undefined;
let connection: Connection;
before(async () => {
  stage = await stageUp('a-1', 'b-2');
  ({ connection } = stage);
  await install('--config', folder);
  await newNamespace('shop');
});
after(async () => {
  await stage?.end();
  rmSync(folder, { recursive: true });
});

const find = (...codes: readonly string[]): Promise<readonly Finding[]> =>
  doctorFinds({ folder, namespace: 'shop' }, codes);
const messages = async (...codes: readonly string[]): Promise<string> =>
  (await find(...codes)).map(({ code, message }) => `${code}: ${message}`).join('\n');
const trust = ['ca-bundle', 'ca-bundle-unchecked', 'krispr-silent'];

test('the caBundle is compared with what is served, and with the Secret; what cannot be is said', async () => {
  leadTo(await startReplica('--config', folder));
  await until('Krispr is sound', async () => (await messages(...trust)) === '');
  await stopReplicas();
  assert.match(
    await messages(...trust),
    /^krispr-silent: .*should have set b-2$/,
    'the Secret agrees, and nobody answers',
  );

  const life = { nowMs: Date.now(), lifeMs: 86_400_000 };
  const other = await newAuthority(life);
  const leaf = await issue(other, ['fairway-admission.fairway-system.svc'], life);
  writeFileSync(path('tls.crt'), leaf.cert);
  writeFileSync(path('tls.key'), leaf.key);
  leadTo(await startReplica('--config', folder, '--tls-cert', path('tls.crt'), '--tls-key', path('tls.key')));
  await until('the stranger is seen', async () =>
    /ca-bundle: the caBundle does not trust what \d.* serves: /.test(await messages(...trust)),
  );
  const bundle = Buffer.from(other.cert).toString('base64');
  const patch = JSON.stringify([{ op: 'replace', path: '/webhooks/0/clientConfig/caBundle', value: bundle }]);
  kubectl(['patch', 'mutatingwebhookconfiguration', 'fairway-1-krispr', '--type=json', '-p', patch]);
  assert.match(await messages(...trust), /ca-bundle: the caBundle does not trust the root in the Secret/);
  kubectl(['-n', 'fairway-system', 'delete', 'secret', 'fairway-admission-ca']);
  await until('given certificates are sound', async () => (await messages(...trust)) === '');
  await stopReplicas();
  assert.match(await messages('ca-bundle-unchecked'), /fairway-1-krispr\/krispr\.fairway\.dev \(.*ECONNREFUSED\)/);
});

test('one old node of two decides for every new pod', async () => {
  const istiod = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'istiod-a-1', namespace: 'istio-system', labels: { app: 'istiod' } },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'istiod' } },
      template: {
        metadata: { labels: { app: 'istiod' } },
        spec: { containers: [{ name: 'discovery', image: 'example.test/pilot:1' }] },
      },
    },
  };
  apply(istiod);
  for (const [name, version] of [
    ['new', 'v1.36.1'],
    ['old', 'v1.31.9-eks-1'],
  ] as const) {
    apply({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
    const status = JSON.stringify({ status: { nodeInfo: { kubeletVersion: version } } });
    kubectl(['patch', 'node', name, '--subresource=status', '--type=merge', '-p', status]);
  }
  const [found, ...more] = await find('native-sidecars');
  assert.deepEqual([found?.path, more], ['istio-system/Deployment/istiod-a-1', []]);
  assert.match(found?.message ?? '', /because of old \(1\.31\) every new pod has a classic sidecar/);
  kubectl(['delete', 'node', 'old']);
  assert.deepEqual(await find('native-sidecars'), []);
});

test('workloads that age never reaches, and workloads without a label', async () => {
  await createPod(connection, 'shop', { name: 'bare', labels: { 'istio.io/rev': 'b-2' } });
  const plain = { name: 'plain', namespace: 'shop' };
  apply(workload('Deployment', plain, { app: 'plain' }, { replicas: 0 }));
  assert.match(
    await messages('never-ages'),
    /^never-ages: nothing replaces a pod that has no owner.*: shop\/Pod\/bare$/,
  );
  assert.match(await messages('unlabelled'), /shop\/Deployment\/plain/);
  kubectl(['-n', 'shop', 'delete', 'deployment/plain', 'pod/bare', '--grace-period=0', '--force']);
});

function workload(kind: string, metadata: object, labels: Readonly<Record<string, string>>, spec: object): object {
  const containers = [{ name: 'app', image: 'example.test/app:1' }];
  const template = { metadata: { labels }, spec: { containers } };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata,
    spec: { selector: { matchLabels: { app: labels['app'] } }, template, ...spec },
  };
}

interface SetPod {
  readonly metadata: { readonly uid: string; readonly labels: Readonly<Record<string, string>> };
}

/** A set's pod; undefined while there is none. */
function podOf(name: string): SetPod | undefined {
  const text = kubectl(['-n', 'shop', 'get', 'pod', name, '--ignore-not-found', '-o', 'json']);
  return text === '' ? undefined : (JSON.parse(text) as SetPod);
}
const revisionOf = (pod: SetPod | undefined): string | undefined => pod?.metadata.labels['controller-revision-hash'];

/** What a kubelet would say of a pod that runs. */
function makeReady(name: string): void {
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  kubectl([
    '-n',
    'shop',
    'patch',
    'pod',
    name,
    '--subresource=status',
    '--type=merge',
    '-p',
    JSON.stringify({ status }),
  ]);
}

test('an ordered set that waits for the pod that it would have to replace', async () => {
  const set = (revision: string): object =>
    workload(
      'StatefulSet',
      { name: 'db', namespace: 'shop' },
      { app: 'db', 'istio.io/rev': revision },
      { replicas: 3, serviceName: 'db' },
    );
  apply(set('a-1'));
  for (const name of ['db-0', 'db-1', 'db-2']) {
    await until(name, () => podOf(name) !== undefined);
    makeReady(name);
  }
  const old = revisionOf(podOf('db-2'));
  apply(set('wrong'));
  await until('db-2 of the wrong revision', () => ![undefined, old].includes(revisionOf(podOf('db-2'))));
  const wrong = podOf('db-2');
  assert.deepEqual(await find('rollout-stuck'), [], 'it waits for a pod of the revision that is wanted');
  apply(set('b-2'));
  const wanted = (): string =>
    kubectl(['-n', 'shop', 'get', 'statefulset', 'db', '-o', 'jsonpath={.status.updateRevision}']);
  await until('the set knows', () => ![old, revisionOf(wrong)].includes(wanted()));
  const [found] = await find('rollout-stuck');
  assert.deepEqual(
    [found?.path, found?.message],
    [
      'shop/StatefulSet/db',
      `db-2 is on ${revisionOf(wrong)}, wanted ${wanted()}, not ready; OrderedReady will not replace it`,
    ],
  );
  assert.equal(podOf('db-2')?.metadata.uid, wrong?.metadata.uid, 'the controller did nothing meanwhile');
  kubectl(['-n', 'shop', 'delete', 'pod', 'db-2', '--grace-period=0', '--force']);
  for (const name of ['db-2', 'db-1', 'db-0']) {
    await until(`${name} on the wanted revision`, () => revisionOf(podOf(name)) === wanted());
    makeReady(name);
  }
  kubectl(['-n', 'shop', 'delete', 'statefulset', 'db']);
});

test('namespaces whose labels shadow or contradict, and a set that follows only by hand', async () => {
  await newNamespace('shadow', { 'istio.io/rev': 'a-1' });
  await newNamespace('odd', { 'istio-injection': 'yes' });
  await newNamespace('contrary', { 'istio-injection': 'disabled', 'istio.io/rev': 'a-1' });
  const labels = { app: 'hand', 'istio.io/rev': 'a-1' };
  const spec = { replicas: 0, serviceName: 'hand', updateStrategy: { type: 'OnDelete' } };
  apply(workload('StatefulSet', { name: 'hand', namespace: 'shop' }, labels, spec));
  const found = await find('label-shadowed', 'injection-value', 'injection-contradiction', 'workload-stuck');
  assert.deepEqual(found.map(({ code, path: at, message }) => `${code} ${at ?? /shop.*$/.exec(message)?.[0]}`).sort(), [
    'injection-contradiction contrary',
    'injection-value odd',
    'label-shadowed shadow',
    'workload-stuck shop/StatefulSet/hand',
  ]);
  kubectl(['-n', 'shop', 'delete', 'statefulset', 'hand']);
  kubectl(['delete', 'namespace', 'shadow', 'odd', 'contrary', '--wait=false']);
});

test('an injector that would take the control plane, a webhook without roots, and one whose roots have ended', async () => {
  const name = 'istio-sidecar-injector-a-1';
  const live = JSON.parse(kubectl(['get', 'mutatingwebhookconfiguration', name, '-o', 'json'])) as {
    readonly webhooks: readonly [object];
  };
  const [webhook] = live.webhooks;
  const day = 86_400_000;
  const ended = await newAuthority({ nowMs: Date.now() - 2 * day, lifeMs: day });
  const rogue = (webhookName: string, caBundle: string): object => ({
    ...webhook,
    name: `${webhookName}.example.test`,
    clientConfig: {
      service: { namespace: 'shop', name: 'nowhere' },
      caBundle: Buffer.from(caBundle).toString('base64'),
    },
    failurePolicy: 'Ignore',
    namespaceSelector: {},
    objectSelector: { matchExpressions: [{ key: 'sidecar.istio.io/inject', operator: 'DoesNotExist' }] },
  });
  apply({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'zz-rogue' },
    webhooks: [rogue('none', ''), rogue('ended', ended.cert)],
  });
  const rogues = async (): Promise<string> =>
    (await find('ca-bundle', 'control-plane-injected'))
      .map(({ code, path: at, message }) => `${code} ${at}: ${message}`)
      .filter((each) => each.includes('zz-rogue'))
      .join('\n');
  const found = await rogues();
  assert.match(found, /ca-bundle zz-rogue\/none\.example\.test: no caBundle/);
  assert.match(found, /ca-bundle zz-rogue\/ended\.example\.test: every root of the caBundle has expired/);
  assert.match(found, /control-plane-injected .*zz-rogue/);
  kubectl(['delete', 'mutatingwebhookconfiguration', 'zz-rogue']);
  assert.equal(await rogues(), '');
});

test('a revision whose injector is gone, and whose configuration is not: none of its pods can start', async () => {
  await install('--config', folder, '--inject', 'z-9');
  const silent = async (): Promise<string> =>
    (await find('injector-silent', 'order-broken'))
      .map(({ code, path: at, message }) => `${code} ${at}: ${message}`)
      .join();
  const gone =
    /^injector-silent rev\.object\.inject\.fairway\.dev: a dry-run pod with istio\.io\/rev=z-9 was refused: [^]*$/;
  await until('doctor tells', async () => gone.test(await silent()));
  kubectl(['delete', 'mutatingwebhookconfiguration', 'fairway-2-inject-z-9']);
  await until('it is gone', async () => (await silent()) === '');
});

test('Krispr as a policy: what it lacks, and what this mode does not do', async () => {
  const codes = [
    'krispr-missing',
    'policy-no-age',
    'policy-no-guard',
    'policy-incomplete',
    'policy-and-webhook',
    'policy-stale',
  ];
  const found = async (): Promise<readonly string[]> => (await find(...codes)).map(({ code }) => code);
  assert.deepEqual(await found(), []);
  await install('--config', folder, '--mode', 'policy');
  assert.deepEqual(await found(), ['policy-incomplete', 'policy-no-age', 'policy-no-guard', 'policy-and-webhook']);
  kubectl(['delete', 'mutatingwebhookconfiguration', 'fairway-1-krispr']);
  await startReplica('--config', folder, '--mode', 'policy');
  await until('sound', async () => (await found()).join() === 'policy-no-age,policy-no-guard');
  assert.deepEqual(await find('krispr-silent', 'order-broken'), []);
  await stopReplicas();
  writeFileSync(path('rollouts.yml'), 'production: {a-1: 100}\n');
  assert.ok((await found()).includes('policy-stale'));
});
