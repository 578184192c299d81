import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFleet } from './parse.ts';
import { completionBound, remutateAfterMs, unlabelledAction } from './settings.ts';

const dayMs = 86_400_000;
const text = `
defaultBucket: everything
salt: "2026"
revisions:
  1-24-5: {retired: true, since: 2026-01-02}
  1-25-2:
    proxyImage: registry.example/istio/proxyv2:1.25.2
    discoveryAddress: istiod-1-25-2.istio-system.svc:15012
    remutateAfter: 0
buckets:
  ".*-staging": {mode: exact, remutateAfter: 36h}
exclude: ["sandbox-.*"]
remutateAfter: 10d
maxNodeLifetime: 336h
ownerLabel: team
clusters:
  eu-1: {rollouts: rollouts.eu-1.yml, exclude: ["legacy-.*"]}
kinds:
  - {apiVersion: apps.kruise.io, kind: CloneSet, template: /spec/template}
admission:
  unlabelled: {"web-.*": label}
lifecycle:
  hold: true
  preStop: {sleep: {seconds: 3}}
  lifecycleMode: replace
  terminationDrainDuration: 1m30s
  exitOnZero: requests
mutators:
  shutdown-guard: {buckets: [production], seconds: auto}
kubernetes: "1.29"
`;

test('fleet: everything that may stand in fairway.yml', () => {
  const read = parseFleet(text);
  assert.ok(read.kind === 'valid', JSON.stringify(read.problems));
  const fleet = read.value;
  assert.equal(fleet.defaultBucket, 'everything');
  assert.deepEqual(fleet.revisions?.get('1-24-5'), { name: '1-24-5', retired: true, sinceMs: Date.UTC(2026, 0, 2) });
  assert.equal(remutateAfterMs(fleet, 'x', '1-25-2'), 0);
  assert.equal(remutateAfterMs(fleet, '.*-staging', '1-24-5'), 1.5 * dayMs);
  assert.equal(remutateAfterMs(fleet, 'x', '1-24-5'), 10 * dayMs);
  assert.deepEqual(['web-a', 'api'].map(unlabelledAction(fleet)), ['label', 'leave']);
  assert.equal(completionBound(fleet, 0).totalMs, 24 * dayMs);
  assert.equal(fleet.clusters?.get('eu-1')?.rollouts, 'rollouts.eu-1.yml');
  assert.ok(fleet.exclude[0]?.matches('sandbox-1'));
  assert.deepEqual(fleet.lifecycle, {
    hold: true,
    preStop: { sleep: { seconds: 3 } },
    lifecycleMode: 'replace',
    terminationDrainDurationMs: 90_000,
    exitOnZero: 'requests',
  });
  assert.deepEqual([fleet.shutdownGuard, fleet.kubernetesMinor], [{ buckets: ['production'], seconds: 'auto' }, 29]);
});

for (const [given, exitOnZero] of [
  ['exitOnZero: off', 'off'],
  ['exitOnZero: connections', 'connections'],
  ['exitOnZeroActiveConnections: true', 'connections'],
  ['exitOnZeroActiveConnections: false', 'off'],
] as const)
  test(`fleet: ${given}`, () => {
    const read = parseFleet(`lifecycle: {${given}}\n`);
    assert.ok(read.kind === 'valid', JSON.stringify(read.problems));
    assert.deepEqual(read.value.lifecycle, { exitOnZero });
  });

test('fleet: nodes that live as long as Karpenter lets them make it 44 days', () => {
  const read = parseFleet('salt: ""\n');
  assert.ok(read.kind === 'valid');
  const bound = completionBound(read.value, 0);
  assert.deepEqual([bound.totalMs, bound.assumedLifetime], [44 * dayMs, true]);
});

const rows: readonly (readonly [text: string, ...problems: (readonly [at: string, holds: RegExp])[]])[] = [
  ['- a\n', ['1:1', /expected a map/]],
  ['revision: {}\n', ['1:1', /did you mean revisions/]],
  ['buckets:\n  a: {mod: exact}\n', ['2:7', /did you mean mode/]],
  ['buckets:\n  a: {mode: exakt}\n', ['2:13', /did you mean exact/]],
  [
    'remutateAfter: soon\nmaxNodeLifetime: -5h\n',
    ['1:16', /remutateAfter: "soon" .*: expected a duration such as 336h/],
    ['2:18', /maxNodeLifetime/],
  ],
  ['salt: 2026\n', ['1:7', /quote a text/]],
  ['exclude: ["(a"]\n', ['1:11', /missing closing/]],
  ['admission: {unlabelled: maybe}\n', ['1:25', /label/]],
  ['admission: {unlabelled: {"*a": label}}\n', ['1:26', /regular expression/]],
  ['revisions: {Upper: {}}\n', ['1:13', /no revision/]],
  ['revisions: {1-2: {since: yesterday}}\n', ['1:26', /since/]],
  ['kinds: [{apiVersion: a/v1, kind: B, template: spec.template}]\n', ['1:47', /template/]],
  ['kinds: [{apiVersion: a/v1}]\n', ['1:9', /kind is missing/], ['1:9', /template is missing/]],
  ['salt:\n', ['1:6', /missing/]],
  ['lifecycle: {hould: true}\n', ['1:13', /did you mean hold/]],
  ['lifecycle: {preStop: {run: {}}}\n', ['1:23', /run/]],
  ['lifecycle: {exitOnZero: request}\n', ['1:25', /did you mean requests/]],
  ['lifecycle: {exitOnZero: true}\n', ['1:25', /requests/]],
  ['lifecycle: {exitOnZero: off, exitOnZeroActiveConnections: true}\n', ['1:30', /keep exitOnZero/]],
  ['mutators: {shutdown-gard: {}}\n', ['1:12', /did you mean shutdown-guard/]],
  ['mutators: {shutdown-guard: {seconds: 0}}\n', ['1:38', /seconds/]],
  ['kubernetes: 1.29\n', ['1:13', /quote a text/]],
  ['kubernetes: "33"\n', ['1:13', /expected a version such as "1.33"/]],
  ['revisions: {1-2: {since: 2026-02-30}}\n', ['1:26', /there is no such day/]],
  ['lifecycle: {hold: yes}\n', ['1:19', /expected boolean.*write true or false/]],
];
for (const [file, ...expected] of rows) {
  test(`fleet: ${JSON.stringify(file)}`, () => {
    const { problems } = parseFleet(file);
    assert.equal(problems.length, expected.length, JSON.stringify(problems));
    for (const [index, [at, holds]] of expected.entries()) {
      const { line, column, message = '', hint = '' } = problems[index] ?? {};
      assert.match(`${message}; ${hint}`, holds);
      assert.equal(`${line}:${column}`, at, message);
    }
  });
}
