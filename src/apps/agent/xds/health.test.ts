// Probes of each kind in virtual time, and what is told of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Health, healthPolicyOf } from '../../../core/xds-proxy/index.ts';
import { answer, fakeHost, refused } from '../fake-host.ts';
import { watchHealth } from './health.ts';

type Host = ReturnType<typeof fakeHost>;

function watched(host: Host, probe: object, envoyReady: () => boolean = () => true) {
  const policy = healthPolicyOf(JSON.parse(JSON.stringify({ readinessProbe: { periodSeconds: 5, ...probe } })));
  assert.ok(policy !== undefined);
  const told: string[] = [];
  const end = watchHealth({
    host,
    policy,
    address: '10.0.0.7',
    ready: () => Promise.resolve(envoyReady() ? { ready: true } : { ready: false, because: 'no configuration' }),
    tell: (health: Health) => void told.push(health.kind === 'healthy' ? '+' : `- ${health.message}`),
  });
  return { told, end };
}

test('HTTP: Envoy first, then the application, each change once, and nothing after the end', {
  timeout: 60_000,
}, async () => {
  let status = 200;
  let ready = false;
  const host = fakeHost({ fetch: () => (status === 0 ? refused : answer(status)) });
  const { told, end } = watched(host, { initialDelaySeconds: 3, httpGet: { port: 8080, path: '/ok' } }, () => ready);
  await host.advance(2999);
  assert.deepEqual(told, []);
  await host.advance(1);
  ready = true;
  await host.advance(5000);
  status = 503;
  await host.advance(5000);
  status = 0;
  await host.advance(10_000);
  status = 302;
  await host.advance(5000);
  end();
  status = 500;
  await host.advance(60_000);
  assert.deepEqual(told, ['- no configuration', '+', '- status 503', '+']);
  assert.deepEqual(
    host.requests,
    ['8000', '13000', '18000', '23000', '28000'].map((at) => `${at} GET 8080 /ok`),
  );
});

test('TCP, gRPC, commands', { timeout: 60_000 }, async () => {
  let isWell = true;
  const host = fakeHost({
    dial: (port, name) => (isWell && port === 5432 && name === '10.0.0.7' ? { kind: 'open' } : { kind: 'refused' }),
    health: { kind: 'not-serving' },
    run: () => (isWell ? {} : { status: 3, stderr: 'no disk\n' }),
  });
  const tcp = watched(host, { tcpSocket: { port: 5432 } });
  const grpc = watched(host, { grpc: { port: 9000 } });
  const exec = watched(host, { exec: { command: ['/bin/check', '-a'] } });
  await host.advance(0);
  isWell = false;
  await host.advance(5000);
  assert.deepEqual(tcp.told, ['+', '- refused']);
  assert.deepEqual(grpc.told, ['- not-serving']);
  assert.deepEqual(exec.told, ['+', '- /bin/check ended with 3: no disk']);
  assert.deepEqual(host.ran, ['/bin/check -a', '/bin/check -a']);
});
