import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Problem } from '../../std/errors.ts';
import { type Gates, gatesOf } from '../policy.ts';
import type { Fields } from './field.ts';
import { resizeProblems } from './resize.ts';
import { statusProblems } from './status.ts';
import { ephemeralUpdateProblems, updateProblems } from './update.ts';

const on = gatesOf('1.37');
const shown = (problems: readonly Problem[]) => problems.map((problem) => `${problem.path}: ${problem.message}`);

const burst = {
  requests: { cpu: '100m', memory: '64Mi' },
  limits: { cpu: '1', memory: '128Mi', 'ephemeral-storage': '1Gi' },
};
const full = { requests: { cpu: '1', memory: '64Mi' }, limits: { cpu: '1', memory: '64Mi' } };
const container = (resources?: object, rest: object = {}) => ({
  name: 'a',
  image: 'x',
  ...(resources === undefined ? {} : { resources }),
  ...rest,
});
const pod = (resources?: object, rest: object = {}) => ({ spec: { containers: [container(resources)], ...rest } });
const inInit = (resources: object, rest: object = {}) => ({
  spec: { containers: [container()], initContainers: [{ name: 'i', image: 'x', resources, ...rest }] },
});
const limits = (change: object, from: typeof burst | typeof full = burst) => ({
  ...from,
  limits: { ...from.limits, ...change },
});
const requests = (change: object) => ({ ...burst, requests: { ...burst.requests, ...change } });
const without = (kind: 'requests' | 'limits', name: string) => ({
  ...burst,
  [kind]: Object.fromEntries(Object.entries(burst[kind]).filter(([key]) => key !== name)),
});
const sidecar = { restartPolicy: 'Always' };
const restarting = { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] };

const accepted: readonly (readonly [id: string, before: object, after: object])[] = [
  ['R1 cpu limit up', pod(burst), pod(limits({ cpu: '2' }))],
  ['R2 cpu limit down', pod(burst), pod(limits({ cpu: '500m' }))],
  ['R3 memory limit up', pod(burst), pod(limits({ memory: '256Mi' }))],
  ['R4 memory limit down', pod(burst), pod(limits({ memory: '96Mi' }))],
  ['R5 cpu request up', pod(burst), pod(requests({ cpu: '200m' }))],
  ['R6 cpu request down', pod(burst), pod(requests({ cpu: '50m' }))],
  ['R7 memory request', pod(burst), pod(requests({ memory: '32Mi' }))],
  ['R8 a sidecar', inInit(burst, sidecar), inInit(limits({ cpu: '2' }), sidecar)],
  ['R9 pod-level', pod(undefined, { resources: burst }), pod(undefined, { resources: limits({ cpu: '2' }) })],
  ['R10 adding limits', pod({ requests: { cpu: '1' } }), pod({ requests: { cpu: '1' }, limits: { cpu: '2' } })],
  ['R11 adding requests', pod({ limits: { cpu: '2' } }), pod({ limits: { cpu: '2' }, requests: { cpu: '1' } })],
  [
    'R12 guaranteed stays',
    pod(full),
    pod({ requests: { cpu: '2', memory: '64Mi' }, limits: { cpu: '2000m', memory: '64Mi' } }),
  ],
  ['R13 burstable stays', pod(burst), pod({ ...burst, requests: { cpu: '1', memory: '64Mi' } })],
  [
    'R14 not yet running',
    { ...pod(burst), status: { containerStatuses: [{ name: 'a', state: { waiting: {} } }] } },
    pod(limits({ cpu: '2' })),
  ],
  ['R15 regular init', inInit(burst), inInit(limits({ cpu: '2' }))],
  [
    'R16 regular init, NotRequired',
    inInit(burst, { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }),
    inInit(limits({ cpu: '2' }), { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }),
  ],
];

for (const [id, before, after] of accepted)
  test(`VA-R/${id}`, () => assert.deepEqual(shown(resizeProblems(before, after, on)), []));

const windows = (resources: object) => pod(resources, { os: { name: 'windows' } });
const two = (first: string, second: string) => ({
  spec: {
    containers: [
      { name: first, image: 'x' },
      { name: second, image: 'x' },
    ],
  },
});
const qos = (value: string) => `spec: Invalid value: "${value}": Pod QOS Class may not change as a result of resizing`;
const only = 'spec: Forbidden: only cpu and memory resources are mutable';
const running = (resources?: object) => ({
  containerStatuses: [{ name: 'a', state: { running: {} }, ...(resources === undefined ? {} : { resources }) }],
});
const removed = (where: string, kind: string, name: string) =>
  `${where}.resources.${kind}: Forbidden: resource ${kind} cannot be removed: ${name}`;

const refused: readonly (readonly [
  id: string,
  before: object,
  after: object,
  expected: readonly string[],
  gates?: Partial<Gates>,
])[] = [
  ['R17 storage up', pod(burst), pod(limits({ 'ephemeral-storage': '2Gi' })), [only]],
  ['R18 storage down', pod(burst), pod(limits({ 'ephemeral-storage': '1Mi' })), [only]],
  ['R19 storage removed', pod(burst), pod(without('limits', 'ephemeral-storage')), [only]],
  ['R20 BestEffort to Burstable', pod(), pod({ requests: { cpu: '1' } }), [qos('Burstable')]],
  ['R21 BestEffort to Guaranteed', pod(), pod(full), [qos('Guaranteed')]],
  [
    'R22 Burstable to Guaranteed',
    pod(burst),
    pod({ ...burst, requests: { cpu: '1', memory: '128Mi' } }),
    [qos('Guaranteed')],
  ],
  ['R23 Guaranteed to Burstable', pod(full), pod(limits({ cpu: '2' }, full)), [qos('Burstable')]],
  ['R24 windows', windows(burst), windows(limits({ cpu: '2' })), ['spec: Forbidden: windows pods cannot be resized']],
  ['R25 windows, unchanged', windows(burst), windows(burst), ['spec: Forbidden: windows pods cannot be resized']],
  ...(['cpu', 'memory'] as const).flatMap((name, i) =>
    (['limits', 'requests'] as const).flatMap((kind, j): (typeof refused)[number][] => {
      const id = 26 + (i * 2 + j) * 3;
      const left = without(kind, name);
      return [
        [
          `R${id} main loses its ${name} in ${kind}`,
          pod(burst),
          pod(left),
          [removed('spec.containers[0]', kind, name)],
        ],
        [
          `R${id + 1} sidecar loses its ${name} in ${kind}`,
          inInit(burst, sidecar),
          inInit(left, sidecar),
          [removed('spec.initContainers[0]', kind, name)],
        ],
        [
          `R${id + 2} init loses its ${name} in ${kind}`,
          inInit(burst),
          inInit(left),
          [removed('spec.initContainers[0]', kind, name)],
        ],
      ];
    }),
  ),
  [
    'R38 regular init, RestartContainer',
    inInit(burst, restarting),
    inInit(limits({ cpu: '2' }), restarting),
    [
      'spec.initContainers[0].resources: Forbidden: init containers with resizePolicy RestartContainer cannot be resized',
    ],
  ],
  [
    'R39 regular init, gate off',
    inInit(burst),
    inInit(limits({ cpu: '2' })),
    [
      'spec.initContainers[0].resources: Forbidden: resources of init containers without restartPolicy=Always cannot be resized',
    ],
    { InPlacePodVerticalScalingInitContainers: false },
  ],
  [
    'R40 a node that reports no resources',
    { ...pod(burst), status: running() },
    pod(limits({ cpu: '2' })),
    ['spec: Forbidden: Pod running on node without support for resize'],
  ],
  ['R41 added', pod(), two('a', 'b'), ['spec.containers: Forbidden: containers may not be added or removed on resize']],
  [
    'R42 removed',
    two('a', 'b'),
    pod(),
    ['spec.containers: Forbidden: containers may not be added or removed on resize'],
  ],
  [
    'R43 reordered',
    two('a', 'b'),
    two('b', 'a'),
    ['spec.containers: Forbidden: containers may not be renamed or reordered on resize'],
  ],
  [
    'R44 renamed',
    two('a', 'b'),
    two('a', 'c'),
    ['spec.containers: Forbidden: containers may not be renamed or reordered on resize'],
  ],
  ['R45 resizePolicy added', pod(burst), { spec: { containers: [container(burst, restarting)] } }, [only]],
  ['R46 resizePolicy removed', { spec: { containers: [container(burst, restarting)] } }, pod(burst), [only]],
  ['R47 another resource', pod(burst), pod(limits({ 'hugepages-2Mi': '2Mi' })), [only]],
  [
    'R48 node-allocatable claims',
    { ...pod(burst), status: { nodeAllocatableResourceClaimStatuses: [{}] } },
    pod(limits({ cpu: '2' })),
    ['spec: Forbidden: pods with node-allocatable resource claims cannot be resized'],
  ],
  [
    'R49 node-allocatable claims, unchanged',
    { ...pod(burst), status: { nodeAllocatableResourceClaimStatuses: [{}] } },
    pod(burst),
    ['spec: Forbidden: pods with node-allocatable resource claims cannot be resized'],
  ],
  [
    'static pod',
    { ...pod(burst), metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } },
    pod(burst),
    ['metadata.annotations: Forbidden: static pods cannot be resized'],
  ],
];

for (const [id, before, after, expected, gates] of refused)
  test(`VA-R/${id}`, () => assert.deepEqual(shown(resizeProblems(before, after, { ...on, ...gates })), expected));

const spec = {
  activeDeadlineSeconds: 60,
  tolerations: [{ key: 'a', tolerationSeconds: 5 }],
  containers: [container(burst)],
};
const frozen = (field: string) =>
  `spec: Forbidden: pod updates may not change fields other than spec.containers[*].image, spec.initContainers[*].image, spec.activeDeadlineSeconds, spec.tolerations (only additions) and spec.terminationGracePeriodSeconds (to 1 from a negative value); changed: ${field}`;
const updates: readonly (readonly [id: string, change: object, expected: readonly string[]])[] = [
  ['nothing', {}, []],
  ['image', { containers: [{ ...container(burst), image: 'y' }] }, []],
  ['a shorter deadline', { activeDeadlineSeconds: 5 }, []],
  [
    'a longer deadline',
    { activeDeadlineSeconds: 61 },
    ['spec.activeDeadlineSeconds: Invalid value: 61: must be less than or equal to previous value'],
  ],
  [
    'no deadline',
    { activeDeadlineSeconds: undefined },
    ['spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value'],
  ],
  ['another toleration', { tolerations: [{ key: 'a', tolerationSeconds: 9 }, { key: 'b' }] }, []],
  [
    'a toleration less',
    { tolerations: [] },
    ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
  ],
  [
    'a gate more',
    { schedulingGates: [{ name: 'g' }] },
    ["spec.schedulingGates: Forbidden: only deletion is allowed, but found new scheduling gate 'g'"],
  ],
  ['restart policy', { restartPolicy: 'Never' }, [frozen('restartPolicy')]],
  ['a rule of a container', { containers: [{ ...container(burst), restartPolicy: 'Never' }] }, [frozen('containers')]],
  ['grace', { terminationGracePeriodSeconds: 5 }, [frozen('terminationGracePeriodSeconds')]],
  [
    'a container more',
    { containers: [...spec.containers, { name: 'b' }] },
    ['spec.containers: Forbidden: pod updates may not add or remove containers', frozen('containers')],
  ],
];

for (const [id, change, expected] of updates)
  test(`update: ${id}`, () => assert.deepEqual(shown(updateProblems('spec', spec, { ...spec, ...change })), expected));

test('update: a negative grace period becomes 1', () =>
  assert.deepEqual(
    updateProblems(
      'spec',
      { ...spec, terminationGracePeriodSeconds: -1 },
      { ...spec, terminationGracePeriodSeconds: 1 },
    ),
    [],
  ));
test('update: a gated pod may be told its node', () =>
  assert.deepEqual(
    updateProblems('spec', { ...spec, schedulingGates: [{ name: 'g' }] }, { ...spec, nodeSelector: { a: 'b' } }),
    [],
  ));
test('ephemeral containers are added, never removed or changed', () => {
  const one = { ephemeralContainers: [{ name: 'd', image: 'x' }] };
  const more = {
    ephemeralContainers: [
      { name: 'd', image: 'x' },
      { name: 'e', image: 'x' },
    ],
  };
  assert.deepEqual(ephemeralUpdateProblems('spec', one, more), []);
  assert.equal(ephemeralUpdateProblems('spec', more, one).length, 1);
  assert.equal(ephemeralUpdateProblems('spec', one, { ephemeralContainers: [{ name: 'd', image: 'y' }] }).length, 1);
});

const ended = (exitCode: number) => ({
  containerStatuses: [{ name: 'a', state: { terminated: { exitCode } } }],
  initContainerStatuses: [{ name: 'i', state: { terminated: { exitCode } } }],
});
const again = { containerStatuses: [{ name: 'a', state: { running: {} } }] };
const againInit = { initContainerStatuses: [{ name: 'i', state: { running: {} } }] };
const regress = 'Forbidden: may not be transitioned to non-terminated state';
const inStatus = (restartPolicy: string, own: object = {}, initOwn: object = {}) => ({
  restartPolicy,
  containers: [{ name: 'a', ...own }],
  initContainers: [{ name: 'i', ...initOwn }],
});
const rules = (action: string) => ({
  restartPolicy: 'Never',
  restartPolicyRules: [{ action, exitCodes: { operator: 'In', values: [42] } }],
});
const writes: readonly (readonly [
  id: string,
  spec: Fields,
  exitCode: number,
  after: object,
  expected: readonly string[],
])[] = [
  ['Always', inStatus('Always'), 0, again, []],
  ['OnFailure after 1', inStatus('OnFailure'), 1, again, []],
  ['OnFailure after 0', inStatus('OnFailure'), 0, again, [`status.containerStatuses[0].state: ${regress}`]],
  ['Never', inStatus('Never'), 1, again, [`status.containerStatuses[0].state: ${regress}`]],
  ['Never, own Always', inStatus('Never', { restartPolicy: 'Always' }), 0, again, []],
  ['Never with a rule that fits', inStatus('Never', rules('Restart')), 42, again, []],
  [
    'Never with a rule that does not',
    inStatus('Never', rules('Restart')),
    1,
    again,
    [`status.containerStatuses[0].state: ${regress}`],
  ],
  ['a rule of another restarts all', inStatus('Never', {}, rules('RestartAllContainers')), 0, again, []],
  ['a sidecar', inStatus('Never', {}, { restartPolicy: 'Always' }), 0, againInit, []],
  [
    'a completed init, OnFailure',
    inStatus('OnFailure'),
    0,
    againInit,
    [`status.initContainerStatuses[0].state: ${regress}`],
  ],
  [
    'a negative generation',
    inStatus('Never'),
    0,
    { observedGeneration: -1 },
    ['status.observedGeneration: Invalid value: -1: must be greater than or equal to 0'],
  ],
];

for (const [id, podSpec, exitCode, after, expected] of writes)
  test(`status: ${id}`, () => assert.deepEqual(shown(statusProblems(podSpec, ended(exitCode), after)), expected));
