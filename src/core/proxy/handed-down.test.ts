// What the injector and the kubelet hand down as text: annotations, probes, scrape targets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAppProbes } from './app-probes.ts';
import { parseDownwardApi } from './downward-api.ts';
import { parseScrapeTargets } from './scrape.ts';

const lines: readonly (readonly [line: string, pairs: Record<string, string>])[] = [
  ['a="b"', { a: 'b' }],
  ['a.b/c="x=\\"y\\""', { 'a.b/c': 'x="y"' }],
  ['a="one\\ntwo\\\\"', { a: 'one\ntwo\\' }],
  ['a="\\u00e9\\U0001f600\\x41\\xff\\a\\v"', { a: 'é😀A\ufffd\u0007\u000b' }],
  ['a="\\\\x41"', { a: '\\x41' }],
  ['a=b', {}],
  ['a="b', {}],
  ['="b"', {}],
  ['a="1"\n\nb="2"\n', { a: '1', b: '2' }],
];
for (const [line, pairs] of lines) {
  test(`downward API: ${JSON.stringify(line)}`, () => assert.deepEqual(parseDownwardApi(line), pairs));
}

test('probes of the application: each kind', () => {
  const { probes, problems } = parseAppProbes(
    JSON.stringify({
      '/app-health/a/livez': { httpGet: { port: 80, path: 'x', scheme: 'https', host: 'h' }, timeoutSeconds: 3 },
      '/app-lifecycle/a/prestopz': { tcpSocket: { port: 81 }, timeoutSeconds: 0 },
      '/app-health/a/startupz': { grpc: { port: 82, service: 's' } },
    }),
  );
  assert.deepEqual(problems, []);
  assert.deepEqual(Object.fromEntries(probes), {
    '/app-health/a/livez': { kind: 'http', port: 80, timeoutMs: 3000, path: '/x', tls: true },
    '/app-lifecycle/a/prestopz': { kind: 'tcp', port: 81, timeoutMs: undefined },
    '/app-health/a/startupz': { kind: 'grpc', port: 82, timeoutMs: undefined, service: 's' },
  });
  assert.equal(parseAppProbes('').probes.size, 0);
});

test('probes of the application: all problems at once', () => {
  const { problems } = parseAppProbes(
    JSON.stringify({
      '/other': { httpGet: { port: 80 } },
      '/app-health/a/livez': { httpGet: { port: 'http' } },
      '/app-health/b/livez': { httpGet: { port: 80 }, tcpSocket: { port: 80 } },
      '/app-health/c/livez': null,
    }),
  );
  assert.deepEqual(
    problems.map(({ path, message }) => `${path}: ${message.split(' ').slice(0, 3).join(' ')}`),
    [
      '/other: no path of',
      '/app-health/a/livez: port "http" is',
      '/app-health/b/livez: 2 handlers instead',
      '/app-health/c/livez: 0 handlers instead',
    ],
  );
  assert.equal(parseAppProbes('[]').problems.length, 1);
  assert.equal(parseAppProbes('nonsense').problems.length, 1);
});

const scrapes: readonly (readonly [text: string, targets: readonly string[], problems: number])[] = [
  ['', [], 0],
  ['{}', ['80/metrics'], 0],
  ['{"scrape":"true","port":"9090","path":"m"}', ['9090/m'], 0],
  ['{"scrape":"false","port":"9090"}', [], 0],
  ['{"scrape":"","port":"","path":""}', ['80/metrics'], 0],
  ['{"port":"15020"}', [], 1],
  ['{"port":"15090"}', [], 1],
  ['{"port":"abc"}', [], 1],
  ['{"targets":[{"port":"8080","path":"/a"},{"port":"15021"},{"port":9100}]}', ['8080/a', '9100/metrics'], 1],
  ['null', [], 1],
  ['x', [], 1],
];
for (const [text, targets, count] of scrapes) {
  test(`scrape targets: ${text || 'nothing'}`, () => {
    const found = parseScrapeTargets(text, 15_020);
    assert.deepEqual(
      found.targets.map(({ port, path }) => `${port}${path}`),
      targets,
    );
    assert.equal(found.problems.length, count);
  });
}
