// The probe of a workload outside Kubernetes: what is read of it, and what is told when.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HealthCheck, healthPolicyOf, healthStep, unknownHealth } from './health.ts';
import type { Health } from './stream.ts';

const checks: readonly (readonly [probe: object, check: HealthCheck | undefined])[] = [
  [
    {
      httpGet: {
        path: 'healthz',
        port: 8080,
        scheme: 'HTTPS',
        host: 'a.test',
        httpHeaders: [{ name: 'Host', value: 'b' }],
      },
    },
    {
      kind: 'http',
      host: 'a.test',
      port: 8080,
      path: '/healthz',
      tls: true,
      headers: { 'user-agent': 'istio-probe/1.0', host: 'b' },
    },
  ],
  [
    { httpGet: { port: 80 } },
    { kind: 'http', host: '', port: 80, path: '/', tls: false, headers: { 'user-agent': 'istio-probe/1.0' } },
  ],
  [{ tcpSocket: { port: 5432 } }, { kind: 'tcp', host: '', port: 5432 }],
  [{ grpc: { port: 9000, service: 's' } }, { kind: 'grpc', port: 9000, service: 's' }],
  [{ exec: { command: ['/bin/true', '-x'] } }, { kind: 'exec', command: ['/bin/true', '-x'] }],
  [{ exec: { command: [] } }, undefined],
  [{ periodSeconds: 5 }, undefined],
];
for (const [probe, check] of checks) {
  test(`a probe: ${JSON.stringify(probe)}`, () =>
    assert.deepEqual(healthPolicyOf(JSON.parse(JSON.stringify({ readinessProbe: probe })))?.check, check));
}

test('no probe; defaults; numbers of its own', () => {
  assert.equal(healthPolicyOf({}), undefined);
  assert.partialDeepStrictEqual(healthPolicyOf({ readinessProbe: { tcpSocket: { port: 1 } } }), {
    initialDelayMs: 0,
    periodMs: 10_000,
    timeoutMs: 1000,
    successThreshold: 1,
    failureThreshold: 1,
  });
  const given = {
    initialDelaySeconds: 3,
    periodSeconds: 4,
    timeoutSeconds: 5,
    successThreshold: 6,
    failureThreshold: 7,
  };
  assert.partialDeepStrictEqual(healthPolicyOf({ readinessProbe: { tcpSocket: { port: 1 }, ...given } }), {
    initialDelayMs: 3000,
    periodMs: 4000,
    timeoutMs: 5000,
    successThreshold: 6,
    failureThreshold: 7,
  });
});

const schedules: readonly (readonly [thresholds: string, results: string, told: string])[] = [
  ['1/1', '++--+', '+.-.+'],
  ['2/3', '+-++---+++', '...+..-.+.'],
  ['1/2', '-+--', '.+.-'],
  ['1/1', '--', '-.'],
];
for (const [thresholds, results, told] of schedules) {
  test(`health ${results} with thresholds ${thresholds} is told as ${told}`, () => {
    const [successThreshold = 1, failureThreshold = 1] = thresholds.split('/').map(Number);
    const policy = healthPolicyOf({ readinessProbe: { tcpSocket: { port: 1 }, successThreshold, failureThreshold } });
    assert.ok(policy !== undefined);
    let state = unknownHealth;
    const seen = Array.from(results).map((each) => {
      const result: Health = each === '+' ? { kind: 'healthy' } : { kind: 'unhealthy', message: 'refused' };
      const [next, news] = healthStep(policy, state, result);
      state = next;
      return news === undefined ? '.' : news.kind === 'healthy' ? '+' : '-';
    });
    assert.equal(seen.join(''), told);
  });
}
