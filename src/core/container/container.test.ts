// References, environments and volumes: what a container is set up with, and what the kubelet would say is missing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containerConfig } from './config.ts';
import { expandReferences } from './expand.ts';
import { checkSetup, podSetup } from './shape.ts';
import { fieldValue, type KeyedFiles, type PodFacts, resourceValue, type Sources } from './sources.ts';
import { volumePlans } from './volumes.ts';

const facts: PodFacts = {
  name: 'p',
  namespace: 'default',
  uid: 'u-1',
  labels: { b: '2', a: 'say "1"' },
  annotations: {},
  nodeName: 'node-1',
  serviceAccountName: 'default',
  hostIP: '192.0.2.1',
  podIP: '192.0.2.9',
  nodeCpus: 4,
  nodeMemoryBytes: 8 * 2 ** 30,
};
const object = (kind: KeyedFiles['kind'], name: string, data: KeyedFiles['data']): KeyedFiles => ({
  kind,
  namespace: 'default',
  name,
  data,
});
const sources: Sources = {
  facts,
  objects: [
    object('ConfigMap', 'cm', { k: 'v', other: 'w' }),
    object('Secret', 's', { t: 'secret', raw: new Uint8Array([255]) }),
  ],
};

const references: readonly (readonly [text: string, expanded: string])[] = [
  ['$(A)', 'one'],
  ['x$(A)y$(A)', 'xoneyone'],
  ['$(NOBODY)', '$(NOBODY)'],
  ['$$(A)', '$(A)'],
  ['$$$(A)', '$one'],
  ['$A ${A} $', '$A ${A} $'],
  ['$(A', '$(A'],
  ['$()', '$()'],
];
for (const [text, expanded] of references) {
  test(`${text} becomes ${expanded}`, () =>
    assert.equal(
      expandReferences(text, (name) => (name === 'A' ? 'one' : undefined)),
      expanded,
    ));
}

const environments: readonly (readonly [what: string, container: object, expected: unknown])[] = [
  [
    'in order, each seeing those before it',
    { env: [v('A', '1'), v('B', '$(A)$(C)'), v('C', '2')] },
    { A: '1', B: '1$(C)', C: '2' },
  ],
  [
    'a value is not expanded twice',
    { env: [v('A', '$$(B)'), v('B', 'x'), v('C', '$(A)')] },
    { A: '$(B)', B: 'x', C: '$(B)' },
  ],
  [
    'env wins over envFrom',
    { envFrom: [{ configMapRef: { name: 'cm' } }], env: [v('k', 'mine')] },
    { k: 'mine', other: 'w' },
  ],
  [
    'envFrom with a prefix; bytes are no text',
    { envFrom: [{ prefix: 'P_', secretRef: { name: 's' } }] },
    { P_t: 'secret' },
  ],
  [
    'keys',
    {
      env: [
        from('A', { configMapKeyRef: { name: 'cm', key: 'k' } }),
        from('B', { secretKeyRef: { name: 's', key: 't' } }),
      ],
    },
    { A: 'v', B: 'secret' },
  ],
  [
    'an optional key that is missing sets nothing',
    { env: [from('A', { configMapKeyRef: { name: 'cm', key: 'no', optional: true } })] },
    {},
  ],
  ['an optional object that is missing sets nothing', { envFrom: [{ secretRef: { name: 'no', optional: true } }] }, {}],
  ['a missing object', { envFrom: [{ secretRef: { name: 'no' } }] }, 'secret "no" not found'],
  [
    'a missing key',
    { env: [from('A', { configMapKeyRef: { name: 'cm', key: 'no' } })] },
    "couldn't find key no in ConfigMap default/cm",
  ],
  [
    'fields',
    {
      env: [
        from('A', { fieldRef: { fieldPath: "metadata.labels['b']" } }),
        from('B', { fieldRef: { fieldPath: 'status.podIP' } }),
      ],
    },
    { A: '2', B: '192.0.2.9' },
  ],
  [
    'a resource',
    {
      env: [from('A', { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } })],
      resources: { limits: { memory: '1.5Gi' } },
    },
    { A: '1536' },
  ],
];
for (const [what, container, expected] of environments) {
  test(`environment: ${what}`, () => {
    const config = containerConfig({ containers: [] }, { name: 'c', image: 'i', ...container }, sources);
    assert.deepEqual(config.found ? Object.fromEntries(config.value.env) : config.message, expected);
  });
}

test('command and arguments see the whole environment', () => {
  const container = {
    name: 'c',
    image: 'i',
    command: ['run', '$(A)'],
    args: ['$(B)', '$$(A)'],
    env: [v('A', '1'), v('B', '2')],
  };
  const config = containerConfig({ containers: [] }, container, sources);
  assert.deepEqual(config.found && [config.value.command, config.value.args], [
    ['run', '1'],
    ['2', '$(A)'],
  ]);
});

test('the user: the container before the pod; root may be refused', () => {
  const pod = {
    containers: [],
    securityContext: { runAsUser: 7, runAsGroup: 8, supplementalGroups: [9], fsGroup: 10 },
  };
  const config = containerConfig(pod, { name: 'c', image: 'i', securityContext: { runAsUser: 5 } }, sources);
  assert.deepEqual(config.found && config.value.user, { uid: 5, gid: 8, groups: [9, 10] });
  const refused = containerConfig(
    pod,
    { name: 'c', image: 'i', securityContext: { runAsUser: 0, runAsNonRoot: true } },
    sources,
  );
  assert.equal(refused.found, false);
});

const resources: readonly (readonly [resource: string, divisor: string | undefined, value: string])[] = [
  ['limits.cpu', undefined, '1'],
  ['limits.cpu', '1m', '250'],
  ['requests.cpu', '1m', '100'],
  ['requests.memory', '1', '0'],
  ['limits.memory', '1Gi', '8'],
];
for (const [resource, divisor, value] of resources) {
  test(`${resource} in ${divisor ?? '1'} is ${value}`, () => {
    const given = { limits: { cpu: '250m' }, requests: { cpu: 0.1 } };
    assert.deepEqual(resourceValue(facts, given, { resource, divisor }), { found: true, value });
  });
}

test('a field that cannot be had is told', () => {
  assert.deepEqual(fieldValue(facts, 'spec.nothing'), { found: false, message: 'unsupported fieldPath: spec.nothing' });
});

test('volumes become plans; projected sources lie over each other; no file leaves its volume', () => {
  const spec = podSetup({
    containers: [],
    volumes: [
      { name: 'e', emptyDir: {} },
      { name: 'h', hostPath: { path: '/srv', type: 'Directory' } },
      {
        name: 'c',
        configMap: { name: 'cm', items: [{ key: 'k', path: '../../etc/k', mode: 0o600 }], defaultMode: 0o400 },
      },
      {
        name: 'p',
        projected: {
          sources: [
            { secret: { name: 's', items: [{ key: 't', path: 'd/t' }] } },
            { downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } },
          ],
        },
      },
      { name: 'o', secret: { secretName: 'no', optional: true } },
    ],
  });
  assert.deepEqual(volumePlans(spec, sources), {
    found: true,
    value: [
      { kind: 'empty', name: 'e' },
      { kind: 'host', name: 'h', path: '/srv', type: 'Directory' },
      { kind: 'files', name: 'c', files: [{ path: 'etc/k', content: 'v', mode: 0o600 }] },
      {
        kind: 'files',
        name: 'p',
        files: [
          { path: 'd/t', content: 'secret', mode: 0o644 },
          { path: 'l', content: 'a="say \\"1\\""\nb="2"', mode: 0o644 },
        ],
      },
      { kind: 'files', name: 'o', files: [] },
    ],
  });
});

test('a volume whose object or key is missing says so', () => {
  const plan = (volume: object) =>
    volumePlans(podSetup({ containers: [], volumes: [{ name: 'v', ...volume }] }), sources);
  const failed = (message: string) => ({
    found: false,
    message: `MountVolume.SetUp failed for volume "v" : ${message}`,
  });
  assert.deepEqual(plan({ configMap: { name: 'no' } }), failed('configmap "no" not found'));
  const missing = { configMap: { name: 'cm', items: [{ key: 'no', path: 'x' }] } };
  assert.deepEqual(plan(missing), failed('references non-existent configmap key: no'));
});

test('what cannot be set up is told at once, with its path', () => {
  const spec = {
    volumes: [{ name: 'p', persistentVolumeClaim: { claimName: 'c' } }],
    containers: [{ volumeMounts: [{ name: 'nobody', mountPath: '/x' }] }],
  };
  assert.deepEqual(
    checkSetup(spec).map(({ path, message }) => `${path}: ${message}`),
    [
      'spec.volumes.0: a volume of kind persistentVolumeClaim needs a cluster',
      'spec.containers.0.volumeMounts.0.name: there is no volume "nobody"',
    ],
  );
  assert.deepEqual(
    checkSetup({ containers: [{ env: [{ value: 'x' }], workingDir: 3 }] }).map(({ path }) => path),
    ['spec.containers.0.env.0.name', 'spec.containers.0.workingDir'],
  );
});

function v(name: string, value: string) {
  return { name, value };
}

function from(name: string, valueFrom: object) {
  return { name, valueFrom };
}
