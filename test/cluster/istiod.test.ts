// Live oracle by the webhook's door: pods made at random are reviewed by a real istiod and by Fairway's server with `--compat istio`, both over
// TLS, both by the same ConfigMaps and the same nodes; every difference is a bug.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import type { Connection } from '../../src/adapters/kube/connect.ts';
import { applyPatch, type JsonObject, type PatchOperation } from '../../src/core/inject/index.ts';
import { conform } from '../../src/core/inject/schema/conform.ts';
import { wholePod } from '../../src/core/inject/schema/schema.ts';
import { podOf } from '../istio/golden.ts';
import { workload } from '../istio/pods.ts';
import { install } from './install.ts';
import { apply, clusterDown, clusterUp, kubectl, runRig, until } from './kube.ts';
import { startReplica, stopReplicas } from './replica.ts';

const revision = '1-25-2';
const folder = mkdtempSync(join(tmpdir(), 'fairway-istiod-'));
let connection: Connection;
/** Istiod's, and then ours. */
const doors: Door[] = [];

interface Door {
  readonly review: (pod: JsonObject) => Promise<Verdict>;
  readonly close: () => void;
}

interface Verdict {
  readonly allowed: boolean;
  readonly message: string;
  readonly patch: readonly PatchOperation[];
}

before(async () => {
  connection = await clusterUp();
  runRig('istio', revision);
  writeFileSync(join(folder, 'rollouts.yml'), `production: {${revision}: 100}\n`);
  const served = ['--config', folder, '--inject', revision];
  await install(...served);
  const { port } = await startReplica(...served, '--compat', 'istio');
  const istiod = runRig('istiod', revision).trim();
  doors.push(await door(`https://${istiod}:15017/inject`, `istio-sidecar-injector-${revision}`));
  doors.push(await door(`https://127.0.0.1:${port}/inject/${revision}`, `fairway-2-inject-${revision}`));
});
after(async () => {
  for (const { close } of doors) close();
  await stopReplicas();
  clusterDown(connection);
  rmSync(folder, { recursive: true });
});

/** As the API server calls it: by the authority of its configuration, and by the name of its Service. */
async function door(url: string, configuration: string): Promise<Door> {
  let found: Called | undefined;
  await until(`${configuration} can be called`, () => (found = called(configuration)) !== undefined);
  const { service, caBundle } = found as Called;
  const agent = new Agent({ keepAlive: true, ca: caBundle, servername: `${service.name}.${service.namespace}.svc` });
  return { review: (pod) => review(url, agent, pod), close: () => agent.destroy() };
}

interface Called {
  readonly service: { readonly name: string; readonly namespace: string };
  readonly caBundle: Buffer;
}

function called(configuration: string): Called | undefined {
  const { webhooks } = JSON.parse(kubectl(['get', 'mutatingwebhookconfiguration', configuration, '-o', 'json'])) as {
    webhooks: readonly [{ clientConfig: { service: Called['service']; caBundle?: string } }];
  };
  const { service, caBundle } = webhooks[0].clientConfig;
  return caBundle === undefined ? undefined : { service, caBundle: Buffer.from(caBundle, 'base64') };
}

async function review(url: string, agent: Agent, object: JsonObject): Promise<Verdict> {
  const kind = { group: '', version: 'v1', kind: 'Pod' };
  const resource = { group: '', version: 'v1', resource: 'pods' };
  const asked = { uid: 'u', kind, resource, operation: 'CREATE', namespace: 'team-a', object, dryRun: false };
  const sent = request(url, { method: 'POST', agent, headers: { 'content-type': 'application/json' } });
  const answered = new Promise<unknown>((resolve, reject) => {
    sent.on('response', (response) => void json(response).then(resolve, reject)).on('error', reject);
  });
  sent.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: asked }));
  const { response } = (await answered) as {
    response: { allowed: boolean; patch?: string; status?: { message?: string } };
  };
  const patch = JSON.parse(Buffer.from(response.patch ?? 'W10=', 'base64').toString('utf8')) as PatchOperation[];
  return { allowed: response.allowed, message: response.status?.message ?? '', patch };
}

function pods(seed: number): readonly JsonObject[] {
  return fc.sample(workload, { seed, numRuns: 300 }).map((object) => encoded(podOf(object) ?? object));
}

/** As an API server encodes a pod: containers always have `resources`, and istiod's patches build on that. */
function encoded(pod: JsonObject): JsonObject {
  const spec = { ...(pod['spec'] as JsonObject) };
  for (const list of ['initContainers', 'containers'])
    if (spec[list] !== undefined)
      spec[list] = (spec[list] as JsonObject[]).map((container) => ({
        ...container,
        resources: container['resources'] ?? {},
      }));
  return { ...pod, spec };
}

test('native: hundreds of pods as istiod injects them', () => compare(pods(3)));

test('classic, since one node is old: the same', async () => {
  apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'old' } });
  const status = JSON.stringify({ status: { nodeInfo: { kubeletVersion: 'v1.32.4' } } });
  kubectl(['patch', 'node', 'old', '--subresource', 'status', '--type', 'merge', '-p', status]);
  const plain = { metadata: { name: 'plain' }, spec: { containers: [{ name: 'app', image: 'app:1' }] } };
  for (const { review: ask } of doors)
    await until('the node is known', async () => !isNative(result(plain, await ask(plain))));
  await compare(pods(4));
});

function isNative(pod: JsonObject): boolean {
  const { initContainers = [] } = pod['spec'] as { initContainers?: readonly { name: string }[] };
  return initContainers.some(({ name }) => name === 'istio-proxy');
}

async function compare(objects: readonly JsonObject[]): Promise<void> {
  const different: string[] = [];
  let refused = 0;
  for (const pod of objects) {
    const [theirs, ours] = await Promise.all(doors.map(({ review: ask }) => ask(pod)));
    if (theirs?.allowed === false) refused++;
    const problem = theirs && ours ? difference(pod, theirs, ours) : 'a door is closed';
    if (problem !== undefined) different.push(`${JSON.stringify(pod)}\n${problem}`);
  }
  assert.equal(
    different.length,
    0,
    `${different.length} of ${objects.length} differ\n${different.slice(0, 3).join('\n')}`,
  );
  assert.ok(refused > 0 && refused < objects.length / 2, `${refused} refused`);
}

function difference(pod: JsonObject, theirs: Verdict, ours: Verdict): string | undefined {
  if (!theirs.allowed || !ours.allowed)
    return theirs.allowed === ours.allowed ? undefined : `istiod: ${theirs.message}\nours: ${ours.message}`;
  try {
    assert.deepEqual(result(pod, ours), result(pod, theirs));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The pod that the API server would make of it, without what only one of two encoders writes. */
function result(pod: JsonObject, { patch }: Verdict): JsonObject {
  return conform(wholePod(), applyPatch(structuredClone(pod), patch), '');
}
