import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byteText, editedText } from '../../manifest/index.ts';
import { mutateStream } from '../stream.ts';
import type { RevisionOf } from './revision-label.ts';
import { type ShutdownGuardOptions, shutdownGuard } from './shutdown-guard.ts';

const revisionOf: RevisionOf = () => ({ kind: 'revision', revision: '1-25-2', bucket: 'production' });

interface Setting extends Partial<ShutdownGuardOptions> {
  readonly kind?: string;
}

function run(
  text: string,
  setting: Setting = {},
): { readonly text: string; readonly codes: readonly string[]; readonly severities: readonly string[] } {
  const mutators = [shutdownGuard({ seconds: 5, revisionOf, ...setting })];
  const source = byteText(text);
  const result = mutateStream(source, { mutators, kinds: [], namespace: 'team-a' });
  assert.deepEqual(result.problems, []);
  return {
    text: editedText(source, result.edits),
    codes: result.remarks.map(({ code }) => code),
    severities: result.remarks.map(({ severity }) => severity),
  };
}

function deployment(container: string, spec = ''): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web # the shop
spec:
  template:
    spec:${spec}
      containers:
      - name: app
        image: registry.example/app:1${container}
`;
}

test('a container without a preStop gets a sleep, and the pod the time for it', () => {
  const { text } = run(deployment(''));
  assert.match(text, /sleep/);
  assert.match(text, /seconds"?: 5/);
  assert.match(text, /terminationGracePeriodSeconds: 35/);
  assert.match(text, /name: web # the shop/);
});

test('a second run changes nothing, also after another container came', () => {
  const once = run(deployment('')).text;
  assert.equal(run(once).text, once);
  const grown = once.replace(
    '      containers:\n',
    '      containers:\n      - name: second\n        image: registry.example/b:1\n',
  );
  assert.match(run(grown).text, /terminationGracePeriodSeconds: 35/);
});

test('the grace period that is there is raised by as much', () => {
  assert.match(
    run(deployment('', '\n      terminationGracePeriodSeconds: 60'), { seconds: 10 }).text,
    /terminationGracePeriodSeconds: 70/,
  );
});

const autos: readonly (readonly [probe: string, seconds: number])[] = [
  ['', 5],
  ['\n        readinessProbe: {httpGet: {port: 1}, periodSeconds: 1, failureThreshold: 2}', 5],
  ['\n        readinessProbe: {httpGet: {port: 1}, periodSeconds: 3, failureThreshold: 3}', 9],
  ['\n        readinessProbe: {httpGet: {port: 1}}', 15],
];
for (const [probe, seconds] of autos) {
  test(`auto: ${JSON.stringify(probe.trim())} is ${seconds} s`, () => {
    assert.match(
      run(deployment(probe), { seconds: 'auto' }).text,
      new RegExp(`terminationGracePeriodSeconds: ${30 + seconds}\\b`),
    );
  });
}

const untouched: readonly (readonly [name: string, text: string, setting: Setting, code: string | undefined])[] = [
  ["an owner's own hook", deployment('\n        lifecycle: {preStop: {exec: {command: ["true"]}}}'), {}, undefined],
  ['a Job', deployment('').replace('apps/v1', 'batch/v1').replace('Deployment', 'Job'), {}, 'guard-job'],
  ['a pod that is not started again', deployment('', '\n      restartPolicy: Never'), {}, 'guard-job'],
  ['a pod that no injector takes', deployment(''), { getsProxy: () => false }, 'guard-no-proxy'],
  ['a short grace period', deployment('', '\n      terminationGracePeriodSeconds: 5'), {}, 'guard-grace'],
  [
    'a pod without a proxy',
    deployment(''),
    { revisionOf: () => ({ kind: 'outside', because: 'excluded' }) },
    'guard-no-proxy',
  ],
  ['another bucket', deployment(''), { buckets: ['staging'] }, 'guard-bucket'],
  ['an old Kubernetes', deployment(''), { kubernetesMinor: 29 }, 'guard-kubernetes'],
  ['hostNetwork', deployment('', '\n      hostNetwork: true'), {}, 'host-network'],
];
for (const [name, text, setting, code] of untouched) {
  test(`left alone: ${name}`, () => {
    const result = run(text, setting);
    assert.equal(result.text, text);
    assert.deepEqual(result.codes, code === undefined ? [] : [code]);
  });
}

test('an old Kubernetes is a warning, not a note', () => {
  assert.deepEqual(run(deployment(''), { kubernetesMinor: 29 }).severities, ['warning']);
});

test('the proxy itself is not an application', () => {
  const text = deployment(
    '\n        lifecycle: {preStop: {sleep: {seconds: 1}}}\n      - name: istio-proxy\n        image: auto',
  );
  assert.equal(run(text).text, text);
});
