import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PodSpec, policyOf } from '../../core/pod/index.ts';
import type { Scenario } from './scenario/format.ts';
import { simulate } from './simulate.ts';
import { timelineOf } from './view/timeline.ts';

const app = { name: 'app', image: 'app:1' };
const pulled = { ...app, imagePullPolicy: 'Always' } as const;
const serve = { containers: { app: { run: 'serve' } } } as const;

/** The rows that begin with one of these words, as `time who what`. */
function rows(spec: PodSpec, scenario: Scenario, words: readonly string[], untilMs = 60_000): readonly string[] {
  const { happenings } = simulate({
    manifest: { metadata: { name: 'p' }, spec },
    scenario,
    untilMs,
    policy: policyOf(),
  });
  return timelineOf(happenings)
    .filter(([, , what]) => words.some((word) => what.startsWith(word)))
    .map(([time, who, what]) => `${time} ${who} ${what}`);
}

const lives: readonly (readonly [
  name: string,
  spec: PodSpec,
  scenario: Scenario,
  words: readonly string[],
  expected: readonly string[],
])[] = [
  [
    'a pull takes its time',
    { containers: [pulled] },
    { images: { 'app:1': { takes: '7s' } }, ...serve },
    ['image', 'process'],
    ['7s app image pulled', '7s app process begins'],
  ],
  [
    'an absent image is pulled once',
    { containers: [app] },
    { images: { 'app:1': 'absent' }, containers: { app: { runs: [[{ exit: 1 }], 'serve'] } } },
    ['image', 'process'],
    ['0s app image pulled', '0s app process begins', '0s app process ends with 1', '0s app process begins'],
  ],
  [
    'a pull that fails twice',
    { containers: [pulled] },
    { images: { 'app:1': { fails: 'ErrImagePull', times: 2 } }, ...serve },
    ['image', 'process'],
    ['0s app image failed', '10s app image failed', '30s app image pulled', '30s app process begins'],
  ],
  [
    'volumes that come late',
    { volumes: [{ name: 'v', emptyDir: {} }], containers: [app] },
    { volumes: { takes: '4s' }, ...serve },
    ['sandbox', 'process'],
    ['4s pod sandbox created', '4s app process begins'],
  ],
  [
    'a sandbox that fails once',
    { containers: [app] },
    { sandbox: { fails: 'no network', times: 1 }, ...serve },
    ['event FailedCreatePodSandBox', 'process'],
    ['0s pod event FailedCreatePodSandBox', '10s app process begins'],
  ],
  [
    'a start that fails',
    { restartPolicy: 'Never', containers: [app] },
    { containers: { app: { run: { fails: 'RunContainerError', message: 'no such file' } } } },
    ['process', 'terminated', 'Failed'],
    ['0s app terminated StartError 128', '0s pod Failed (StartError), READY 0/1'],
  ],
  [
    'a hook that takes files away',
    {
      containers: [
        {
          ...app,
          readinessProbe: { exec: { command: ['test', '-f', '/r'] }, periodSeconds: 1, failureThreshold: 1 },
          lifecycle: { preStop: { exec: { command: ['sh', '-c', 'rm /r; sleep 3'] } } },
        },
      ],
    },
    {
      containers: { app: { run: [{ touch: '/r' }, { trap: { TERM: [{ exit: 0 }] } }, { sleep: 'forever' }] } },
      events: [{ at: 5, do: 'delete' }],
    },
    ['readiness', 'gets'],
    ['0s app readiness probe: success', '5s app readiness probe: failure', '8s app gets SIGTERM'],
  ],
  [
    'a probe slower than its time-out',
    { containers: [{ ...app, readinessProbe: { httpGet: { port: 80 }, timeoutSeconds: 2, periodSeconds: 5 } }] },
    { containers: { app: { run: 'serve', probes: { readiness: { answer: 'success', takes: '3s' } } } } },
    ['readiness', 'ready'],
    ['2s app readiness probe: timeout'],
  ],
  [
    'an end from outside',
    { containers: [app] },
    { ...serve, events: [{ at: 3, do: 'end-run', container: 'app', exit: { code: 137, reason: 'OOMKilled' } }] },
    ['process', 'terminated'],
    [
      '0s app process begins',
      '3s app process ends with 137',
      '3s app terminated OOMKilled 137',
      '3s app process begins',
    ],
  ],
  [
    'events about nobody',
    { containers: [app] },
    {
      ...serve,
      events: [
        { at: 1, do: 'set-image', images: { web: 'x:1' } },
        { at: 2, do: 'end-run', container: 'web', exit: 1 },
      ],
    },
    ['set-image', 'end-run', 'process'],
    ['0s app process begins', '1s scenario set-image is refused', '2s scenario end-run is refused'],
  ],
  [
    'a node that is lost and comes back',
    { containers: [app] },
    {
      ...serve,
      events: [
        { at: 5, do: 'lose-node' },
        { at: 10, do: 'delete' },
        { at: 30, do: 'node-back' },
      ],
    },
    ['gets', 'object'],
    ['30s app gets SIGTERM', '30s pod object gone'],
  ],
  [
    'a kubelet that is away when a container ends',
    { containers: [app] },
    {
      containers: { app: { runs: [[{ sleep: 5 }, { exit: 1 }], 'serve'] } },
      events: [{ at: 3, do: 'kubelet-restart', down: '10s' }],
    },
    ['process'],
    ['0s app process begins', '5s app process ends with 1', '13s app process begins'],
  ],
  [
    'node pressure',
    { containers: [app] },
    { ...serve, events: [{ at: 5, do: 'node-evict' }] },
    ['gets', 'Failed'],
    ['5s app gets SIGTERM', '5s pod Failed (Completed), READY 0/1'],
  ],
  [
    'a node that goes down',
    { containers: [app] },
    { containers: { app: { run: 'deaf' } }, events: [{ at: 5, do: 'node-shutdown', grace: 10 }] },
    ['gets'],
    ['5s app gets SIGTERM', '15s app gets SIGKILL'],
  ],
  [
    'gates, one by one',
    { schedulingGates: [{ name: 'a' }, { name: 'b' }], containers: [app] },
    {
      ...serve,
      events: [
        { at: 2, do: 'remove-scheduling-gates', gates: ['a'] },
        { at: 4, do: 'remove-scheduling-gates' },
      ],
    },
    ['process'],
    ['4s app process begins'],
  ],
  [
    'labels do not touch the life',
    { containers: [app] },
    { ...serve, events: [{ at: 2, do: 'label', labels: { a: 'b' } }] },
    ['process'],
    ['0s app process begins'],
  ],
  [
    'an image changes',
    { containers: [app] },
    { ...serve, events: [{ at: 4, do: 'set-image', images: { app: 'app:2' } }] },
    ['process', 'gets'],
    ['0s app process begins', '4s app gets SIGTERM', '4s app process ends with 0', '4s app process begins'],
  ],
];

for (const [name, spec, scenario, words, expected] of lives) {
  test(`life: ${name}`, () => assert.deepEqual(rows(spec, scenario, words), expected));
}

test('a resize by a patch keeps what the patch does not name', () => {
  const spec: PodSpec = { containers: [{ ...app, resources: { requests: { cpu: '1', memory: '1Gi' } } }] };
  const scenario: Scenario = {
    ...serve,
    events: [{ at: 1, do: 'resize', containers: { app: { requests: { cpu: '2' } } } }],
  };
  const { pod } = simulate({
    manifest: { metadata: { name: 'p' }, spec },
    scenario,
    untilMs: 5000,
    policy: policyOf(),
  });
  assert.deepEqual(pod.spec.containers[0]?.resources, { requests: { cpu: '2', memory: '1Gi' } });
});
