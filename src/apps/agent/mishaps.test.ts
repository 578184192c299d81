// What can go wrong around an agent that is none of its doing: a second agent in its place, an error that nobody expected, somebody else
// who answers at Envoy's port, a setting that means what nobody here does. Envoy goes on, or is not started.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fetched, HttpRequest } from '../../ports/host.ts';
import { answer, fakeHost, readyEnvoy } from './fake-host.ts';
import { runProxy } from './proxy.ts';

const env = {
  PROXY_CONFIG: '{"customConfigFile":"/b.json","configPath":"/etc/p"}',
  FAIRWAY_EXIT_ON_ZERO: 'connections',
  MINIMUM_DRAIN_DURATION: '0s',
  FILE_MOUNTED_CERTS: 'true',
};
const pidFile = JSON.stringify({ pid: 77, startTicks: 5, agent: { pid: 76, startTicks: 4 } });

test('an agent that still lives keeps its Envoy: the second one does not start', async () => {
  const host = fakeHost({ files: { '/etc/p/envoy.pid': pidFile } });
  for (const [pid, ticks] of [
    [76, 4],
    [77, 5],
  ] as const)
    host.alive.set(pid, ticks);
  assert.equal(await runProxy([], env, host), 69);
  assert.deepEqual([host.signals, host.spawned], [[], []]);
  assert.match(host.lines.join('\n'), /cannot start.*another agent \(pid 76\).*\(pid 77\)/);
  assert.equal(await host.ask({ path: '/healthz/ready' }), undefined, 'nor does its status port stay');
});

for (const ticks of [undefined, 9])
  test(`its agent is gone, or its pid is another's (${ticks}): that Envoy is ended`, async () => {
    const host = fakeHost({ files: { '/etc/p/envoy.pid': pidFile } });
    host.alive.set(77, 5);
    if (ticks !== undefined) host.alive.set(76, ticks);
    void runProxy([], env, host);
    await host.advance(100);
    assert.deepEqual(host.signals, ['0 SIGTERM 77']);
    assert.equal(host.spawned.length, 1);
  });

test('an error that nobody expected is told, and Envoy goes on', async () => {
  const host = fakeHost();
  const code = runProxy([], env, host);
  await host.advance(100);
  for (const error of [new Error('a bug'), 'odd']) host.fail(error);
  await host.advance(100);
  const told = host.lines.filter((line) => line.includes('nobody expected'));
  assert.equal(told.length, 2);
  assert.match(told[0] ?? '', /\terror\t.*Error: a bug.*mishaps\.test/);
  assert.deepEqual(host.signals, []);
  assert.equal((await host.ask({ path: '/healthz/ready' }))?.status, 200);
  host.endEnvoy({ kind: 'code', code: 0 });
  assert.equal(await code, 0);
});

test('a crowd that asks for readiness costs Envoy one look', async () => {
  const host = fakeHost({ fetch: () => answer(200) });
  void runProxy([], env, host);
  await host.advance(50);
  const before = host.requests.length;
  const answers = await Promise.all(Array.from({ length: 500 }, () => host.ask({ path: '/healthz/ready' })));
  assert.deepEqual([...new Set(answers.map((each) => each?.status))], [503]);
  assert.equal(host.requests.length, before + 1);
  await host.ask({ path: '/healthz/ready' });
  assert.equal(host.requests.length, before + 2, 'and who comes later has a look of their own');
});

/** An Envoy whose counters are answered thus. */
function counters(text: string, cut: boolean): (request: HttpRequest) => Fetched {
  return (request) =>
    request.path.includes('cx_active') ? ({ ...answer(200, text), cut } as Fetched) : readyEnvoy(request);
}

test('an answer without end is no answer: nothing is known to have ended', async () => {
  const host = fakeHost({ fetch: counters('listener.0.0.0.0_80.downstream_cx_active: 0\n', true) });
  void runProxy([], env, host);
  await host.advance(100);
  host.terminate();
  await host.advance(3500);
  assert.deepEqual(host.signals, []);
  assert.match(host.lines.join('\n'), /cannot read the connection counter.*more than \d+ bytes/);
});

test('megabytes that are no counters do not fill the log', async () => {
  const lines = Array.from({ length: 1000 }, () => 'x'.repeat(10_000)).join('\n');
  const host = fakeHost({ fetch: counters(`listener.0.0.0.0_80.downstream_cx_active: 1\n${lines}`, false) });
  void runProxy([], env, host);
  await host.advance(100);
  host.terminate();
  await host.advance(1500);
  const told = host.lines.filter((line) => line.includes('lines of the counters cannot be read'));
  assert.match(told[0] ?? '', /count=1000/);
  assert.ok((told[0] ?? '').length < 500, told[0]?.slice(0, 500));
});

test('an override that is not there is told, and Envoy starts without it', async () => {
  const host = fakeHost();
  void runProxy([], { ...env, ISTIO_BOOTSTRAP_OVERRIDE: '/nope' }, host);
  await host.advance(100);
  assert.match(host.lines.join('\n'), /warn\tleft out.*override cannot be read: \/nope/);
  assert.equal(host.spawned.length, 1);
});

for (const [variable, value] of [
  ['CA_PROVIDER', 'GoogleCA'],
  ['CREDENTIAL_FETCHER_TYPE', 'GoogleComputeEngine'],
] as const)
  test(`${variable}=${value} is refused: the certificate would be another one than was asked for`, async () => {
    const host = fakeHost();
    assert.equal(await runProxy([], { ...env, FILE_MOUNTED_CERTS: 'false', [variable]: value }, host), 69);
    assert.match(host.lines.join('\n'), new RegExp(`cannot start.*${variable} .*${value}`));
    assert.equal(host.spawned.length, 0);
  });
