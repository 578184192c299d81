import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RuleFiles } from '../../core/admission/index.ts';
import { SpecError } from '../../core/std/errors.ts';
import type { ClusterAnswer } from '../../ports/cluster.ts';
import { fakeCluster } from './fake-cluster.ts';
import { servePolicy } from './serve-policy.ts';

const injector = (revision: string): object => ({
  metadata: { uid: revision, name: revision },
  webhooks: [
    {
      rules: [{ operations: ['CREATE'], resources: ['pods'] }],
      objectSelector: { matchLabels: { 'istio.io/rev': revision } },
    },
  ],
});
const namespace = (name: string): object => ({ metadata: { uid: name, name, labels: {} } });

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 2000; i++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.fail(`never: ${what}`);
}

const none = (): void => {};
const silent = { debug: none, info: none, warn: none, error: none };

/** Only changes bring a round. */
const never = 1_000_000_000;

test('a cluster without such policies is refused, before anything is followed', async () => {
  const resources = [{ name: 'mutatingwebhookconfigurations' }, { name: 'validatingadmissionpolicies' }];
  const cluster = fakeCluster(() => ({ status: 200, body: { resources } }));
  const leader = { round: () => Promise.resolve(true), holds: () => true, release: () => Promise.resolve() };
  const ports = { cluster, leader, ruleFiles: () => Promise.resolve({}), nowMs: () => 0, log: silent };
  await assert.rejects(
    servePolicy({ metrics: { host: '127.0.0.1', port: 0 }, pollMs: 5, pace: { idleMs: 5 } }, ports),
    /serves no MutatingAdmissionPolicy/,
  );
  assert.deepEqual(cluster.followed, []);
});

test('rules that cannot be used end it, and nothing is followed any more', async () => {
  const cluster = fakeCluster();
  const leader = { round: () => Promise.resolve(true), holds: () => true, release: () => Promise.resolve() };
  const ruleFiles = () => Promise.resolve({ 'rollouts.yml': 'production: {b-2: 99}\n' });
  const ports = { cluster, leader, ruleFiles, nowMs: () => 0, log: silent };
  const settings = { metrics: { host: '127.0.0.1', port: 0 }, pollMs: 5, pace: { idleMs: 5 } };
  await assert.rejects(servePolicy(settings, ports), SpecError);
  assert.deepEqual(cluster.followed, []);
});

/** A controller over a cluster that stores tables, and tells of them. */
async function start(leads: () => boolean = () => true, idleMs = never) {
  let files: RuleFiles = { 'rollouts.yml': 'production: {b-2: 100}\n' };
  let refuse = false;
  const tables = new Map<string, { readonly spec: { readonly revisions: object } }>();
  const answer = ({ method, path, body }: { method: string; path: string; body?: unknown }): ClusterAnswer => {
    if (!path.includes('revisiontables')) return { status: 404, body: {} };
    if (refuse) return { status: 500, body: { message: 'out of order' } };
    const name =
      method === 'POST' ? (body as { metadata: { name: string } }).metadata.name : (path.split('/').at(-1) ?? '');
    if (method === 'DELETE') {
      tables.delete(name);
      cluster.remove('revisiontables', name);
      return { status: 200, body: {} };
    }
    const { metadata, spec } = body as { metadata: object; spec: { revisions: object } };
    tables.set(name, { spec });
    cluster.put('revisiontables', { metadata: { ...metadata, uid: name, resourceVersion: '1' }, spec });
    return { status: 200, body: {} };
  };
  const cluster = fakeCluster(answer);
  const logged: string[] = [];
  const line = (_: object, message: string): void => void logged.push(message);
  const running = await servePolicy(
    { metrics: { host: '127.0.0.1', port: 0 }, pollMs: 5, pace: { idleMs } },
    {
      cluster,
      leader: { round: () => Promise.resolve(leads()), holds: leads, release: () => Promise.resolve() },
      ruleFiles: () => Promise.resolve(files),
      nowMs: () => 0,
      log: { debug: line, info: line, warn: line, error: line },
    },
  );
  const revisions = (): object =>
    Object.assign({}, ...Array.from(tables.values(), ({ spec }) => spec.revisions)) as object;
  const shows = (wanted: object): boolean => JSON.stringify(revisions()) === JSON.stringify(wanted);
  return {
    cluster,
    running,
    tables,
    logged,
    shows,
    setFiles: (next: RuleFiles) => (files = next),
    setRefuse: (on: boolean) => (refuse = on),
  };
}

test('nothing is written before the copies are complete; then each change of rules, namespaces and injectors is', async () => {
  const { cluster, running, tables, shows, setFiles } = await start();
  try {
    cluster.put('namespaces', namespace('shop'));
    for (const revision of ['a-1', 'b-2']) cluster.put('mutatingwebhookconfigurations', injector(revision));
    assert.deepEqual([running.isReady(), tables.size], [false, 0]);
    cluster.sync();
    assert.equal(running.isReady(), true);
    cluster.put('namespaces', namespace('shop'));
    await until('the first table', () => shows({ shop: 'b-2' }));
    cluster.put('namespaces', namespace('zoo'));
    await until('a new namespace', () => shows({ shop: 'b-2', zoo: 'b-2' }));
    setFiles({ 'rollouts.yml': 'production: {a-1: 100}\n' });
    await until('an edit', () => shows({ shop: 'a-1', zoo: 'a-1' }));
    setFiles({ 'rollouts.yml': 'production: {a-1: 1}\n' });
    cluster.remove('mutatingwebhookconfigurations', 'a-1');
    await until('a revision that nobody serves', () => shows({}));
    cluster.put('revisiontables', {
      metadata: { uid: 'krispr-9-9', name: 'krispr-9-9', resourceVersion: '1' },
      spec: {},
    });
    await until('a table of nobody goes', () => cluster.sent.some(({ method }) => method === 'DELETE'));
    const scrape = async (): Promise<string> => (await fetch(`http://127.0.0.1:${running.metricsPort}/metrics`)).text();
    await until('the metric', async () => /^fairway_admission_policy_tables 1$/m.test(await scrape()));
  } finally {
    await running.stop();
  }
});

test('a replica that was not elected writes nothing; one whose writes fail tries again', async () => {
  let leads = false;
  const { cluster, running, tables, logged, shows, setRefuse } = await start(() => leads, 5);
  try {
    cluster.put('namespaces', namespace('shop'));
    cluster.put('mutatingwebhookconfigurations', injector('b-2'));
    setRefuse(true);
    cluster.sync();
    leads = true;
    await until('the complaint', () => logged.some((text) => text.includes('could not be written')));
    assert.equal(tables.size, 0);
    setRefuse(false);
    await until('the table', () => shows({ shop: 'b-2' }));
  } finally {
    await running.stop();
  }
});
