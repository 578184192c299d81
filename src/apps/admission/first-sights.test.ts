import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterRequest } from '../../ports/cluster.ts';
import { fakeCluster } from './fake-cluster.ts';
import { type FirstSights, startFirstSights } from './first-sights.ts';

const day = 86_400_000;
const start = Date.UTC(2026, 10, 1);
const reference = (uid: string) => ({ group: 'x.test', kind: 'Thing', name: uid, uid });

/** A cluster that holds the ConfigMap, for servers one after another and side by side. */
function world() {
  let data: Record<string, string> | undefined;
  const patched: object[] = [];
  let refuses = false;
  const clusters: ReturnType<typeof fakeCluster>[] = [];
  const tell = (): void => {
    for (const cluster of clusters) cluster.put('configmaps/sights', { metadata: { uid: 'm' }, data });
  };
  const answer = ({ method, body }: ClusterRequest) => {
    if (refuses) return { status: 500, body: {} };
    if (method === 'PATCH' && data === undefined) return { status: 404, body: {} };
    const change = (body as { data: Record<string, string | null> }).data;
    patched.push(change);
    const merged = Object.entries({ ...data, ...change }).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    );
    data = Object.fromEntries(merged);
    tell();
    return { status: 200, body: {} };
  };
  let nowMs = start;
  const serve = (): FirstSights => {
    const cluster = fakeCluster(answer);
    clusters.push(cluster);
    const quiet = (): void => {};
    const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
    const sights = startFirstSights(
      { cluster, nowMs: () => nowMs, log },
      { namespace: 'n', name: 'sights', everyMs: 2 },
    );
    if (data !== undefined) tell();
    return sights;
  };
  return {
    serve,
    patched,
    held: () => data ?? {},
    at: (ms: number) => (nowMs = ms),
    refuse: (on: boolean) => (refuses = on),
  };
}

test('an owner ages across restarts, and a dry run notes nothing', async () => {
  const { serve, held, at } = world();
  const first = serve();
  assert.equal(first.of(true)(reference('a')), start);
  assert.equal(first.of(false)(reference('b')), start);
  await first.stop();
  assert.deepEqual(Object.keys(held()), ['b']);
  at(start + 20 * day);
  const second = serve();
  assert.equal(second.of(false)(reference('b')), start);
  assert.equal(second.of(false)(reference('a')), start + 20 * day);
  await second.stop();
});

test('two replicas: each adds its own, and the earlier sight counts', async () => {
  const { serve, held, at } = world();
  const [one, two] = [serve(), serve()];
  assert.equal(one.of(false)(reference('a')), start);
  at(start + day);
  two.of(false)(reference('b'));
  await one.stop();
  await two.stop();
  assert.deepEqual(Object.keys(held()).sort(), ['a', 'b']);
  assert.equal(two.of(true)(reference('a')), start);
});

test('seen again it is written once a day; not seen for two months it is forgotten', async () => {
  const { serve, held, at, patched } = world();
  const one = serve();
  for (let i = 0; i < 5; i++) one.of(false)(reference('a'));
  one.of(false)(reference('b'));
  await one.stop();
  const writes = patched.length;
  at(start + 50 * day);
  const two = serve();
  for (let i = 0; i < 5; i++) assert.equal(two.of(false)(reference('a')), start);
  await two.stop();
  assert.equal(patched.length, writes + 1);
  at(start + 70 * day);
  await serve().stop();
  assert.deepEqual(Object.keys(held()), ['a']);
});

test('what cannot be written is tried again; what is no key of a ConfigMap stays in memory', async () => {
  const { serve, held, refuse } = world();
  const one = serve();
  refuse(true);
  one.of(false)(reference('a'));
  assert.equal(one.of(false)(reference('no key: /')), start);
  await new Promise((resolve) => setImmediate(resolve));
  refuse(false);
  await one.stop();
  assert.deepEqual(Object.keys(held()), ['a']);
});

test('without a place to keep them they live as long as the process', async () => {
  const { serve: _, ...rest } = world();
  const cluster = fakeCluster();
  const quiet = (): void => {};
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const sights = startFirstSights({ cluster, nowMs: () => start, log }, undefined);
  assert.equal(sights.of(false)(reference('a')), start);
  await sights.stop();
  assert.deepEqual([cluster.sent.length, rest.patched.length], [0, 0]);
});
