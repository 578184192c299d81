// The pods whose lives are compared with a real kubelet: those that the engine is trusted least with. Their commands are of the small shell,
// so that the simulation needs no scenario but for what no command says. Actions are what kubectl is told, in seconds after creation.
import type { Container, PodSpec } from '../../src/core/pod/index.ts';
import type { Scenario } from '../../src/sim/pod/index.ts';

export interface KubeletPod {
  readonly name: string;
  readonly what: string;
  readonly spec: PodSpec;
  readonly seconds: number;
  readonly actions: readonly (readonly [at: number, ...args: string[]])[];
  readonly scenario: Scenario;
}

const image = 'rig.test/busybox:1';
const serve = 'trap "exit 0" TERM; while true; do sleep 0.1; done';
const remove = (at: number, ...flags: string[]) => [at, 'delete', 'pod', '$POD', '--wait=false', ...flags] as const;
const exec = (script: string) => ({ exec: { command: ['sh', '-c', script] } });
const probe = (script: string, more: object = {}) => ({
  ...exec(script),
  periodSeconds: 1,
  timeoutSeconds: 1,
  failureThreshold: 1,
  ...more,
});
const never = { restartPolicy: 'Never' as const };
const volume = { volumes: [{ name: 'v', emptyDir: {} }] };
const volumeMounts = [{ name: 'v', mountPath: '/v' }];

/** What a command does not say: that an image is not there, that it does not exist itself. */
const scenarios: Readonly<Record<string, Scenario>> = {
  'image-never-there-in-init': { images: { 'rig.test/absent:1': 'absent' } },
  'init-cannot-start': { containers: { i: { run: { fails: 'RunContainerError' } } } },
};

export const kubeletPods: readonly KubeletPod[] = [
  pod(
    ['prestop-of-two-sidecars', 22],
    'preStop of sidecars starts with that of the main, TERM comes in reverse order',
    {
      terminationGracePeriodSeconds: 12,
      initContainers: [
        sidecar('s', serve, { lifecycle: { preStop: exec('sleep 4') } }),
        sidecar('t', serve, { lifecycle: { preStop: exec('sleep 1') } }),
      ],
      containers: [sh('a', 'trap "sleep 2; exit 0" TERM; while true; do sleep 0.1; done')],
    },
    [remove(6)],
  ),
  pod(
    ['budget-is-shared', 20],
    'a deaf main takes the sidecar the grace away',
    {
      terminationGracePeriodSeconds: 5,
      initContainers: [sidecar('s', 'sleep 600')],
      containers: [sh('a', 'sleep 600')],
    },
    [remove(5)],
  ),
  pod(
    ['sidecar-startup-fails', 26],
    'a sidecar that never starts up is killed and started again',
    {
      terminationGracePeriodSeconds: 2,
      initContainers: [sidecar('s', serve, { startupProbe: probe('cat /up', { failureThreshold: 3 }) })],
      containers: [sh('a', serve)],
    },
    [remove(17)],
  ),
  pod(['sidecar-ends-in-init', 20], 'a sidecar ends while an init runs', {
    ...never,
    initContainers: [sidecar('s', 'sleep 1'), sh('i', 'sleep 6')],
    containers: [sh('a', 'sleep 2')],
    terminationGracePeriodSeconds: 2,
  }),
  pod(['init-with-a-rule', 22], 'a rule restarts a regular init of policy Never', {
    ...never,
    ...volume,
    initContainers: [
      sh('i', 'n=$(cat /v/n 2>/dev/null || echo 0); n=$((n+1)); echo $n >/v/n; sleep 1; [ $n -ge 2 ] || exit 9', {
        restartPolicy: 'Never',
        restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [9] } }],
        volumeMounts,
      }),
    ],
    containers: [sh('a', 'sleep 2')],
  }),
  pod(['rule-not-in', 12], 'a rule with NotIn does not restart the listed code', {
    ...never,
    containers: [
      sh('a', 'sleep 1; exit 4', {
        restartPolicy: 'Never',
        restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'NotIn', values: [4] } }],
      }),
    ],
  }),
  pod(
    ['never-beside-always', 18],
    'a container of policy Never fails in a pod of policy Always',
    {
      terminationGracePeriodSeconds: 2,
      containers: [sh('a', 'sleep 1; exit 1', { restartPolicy: 'Never' }), sh('b', serve)],
    },
    [remove(8)],
  ),
  pod(['liveness-with-a-grace', 20], 'a liveness probe has a shorter grace than the pod', {
    ...never,
    containers: [
      sh('a', 'touch /up; sleep 2; rm /up; sleep 600', {
        livenessProbe: probe('cat /up', { failureThreshold: 2, terminationGracePeriodSeconds: 2 }),
      }),
    ],
  }),
  pod(
    ['readiness-over-a-restart', 24],
    'readiness is lost with the run and found again',
    {
      ...volume,
      terminationGracePeriodSeconds: 2,
      containers: [
        sh('a', `touch /up; [ -e /v/second ] && { ${serve}; }; touch /v/second; sleep 6; exit 1`, {
          readinessProbe: probe('cat /up', { successThreshold: 2 }),
          volumeMounts,
        }),
      ],
    },
    [remove(17)],
  ),
  pod(
    ['poststart-fails-always', 38],
    'postStart fails each time; the restart waits',
    {
      terminationGracePeriodSeconds: 2,
      containers: [sh('a', serve, { lifecycle: { postStart: exec('sleep 1; exit 1') } })],
    },
    [remove(30)],
  ),
  pod(
    ['deleted-again-with-less', 22],
    'a second, shorter deletion does not hasten the first',
    {
      terminationGracePeriodSeconds: 8,
      containers: [sh('a', 'sleep 600')],
    },
    [remove(5), remove(7, '--grace-period=1')],
  ),
  pod(['deadline-with-a-sidecar', 18], 'the deadline ends main and sidecar in order', {
    ...never,
    activeDeadlineSeconds: 5,
    terminationGracePeriodSeconds: 4,
    initContainers: [sidecar('s', serve)],
    containers: [sh('a', 'trap "sleep 1; exit 0" TERM; while true; do sleep 0.1; done')],
  }),
  pod(
    ['image-never-there-in-init', 14],
    'an init whose image is not there',
    {
      ...never,
      initContainers: [sh('i', 'true', { image: 'rig.test/absent:1' })],
      containers: [sh('a', 'sleep 1')],
      terminationGracePeriodSeconds: 1,
    },
    [remove(8)],
  ),
  pod(
    ['two-containers-unwell', 22],
    'two containers fail their liveness at the same time',
    {
      terminationGracePeriodSeconds: 2,
      containers: [sh('a', serve, { livenessProbe: probe('false', { initialDelaySeconds: 3 }) }), sh('b', serve)],
    },
    [remove(14)],
  ),
  pod(
    ['readiness-while-terminating', 22],
    'readiness turns while the pod terminates',
    {
      terminationGracePeriodSeconds: 8,
      containers: [
        sh('a', 'touch /up; trap "rm /up" TERM; while true; do sleep 0.1; done', { readinessProbe: probe('cat /up') }),
      ],
    },
    [remove(6)],
  ),
  pod(
    ['forced-with-prestop', 14],
    'a forced deletion leaves nothing to see',
    {
      containers: [sh('a', serve, { lifecycle: { preStop: { sleep: { seconds: 5 } } } })],
    },
    [remove(6, '--force', '--grace-period=0')],
  ),
  pod(
    ['prestop-sleeps-zero', 14],
    'a preStop that sleeps for 0 s',
    {
      terminationGracePeriodSeconds: 5,
      containers: [sh('a', serve, { lifecycle: { preStop: { sleep: { seconds: 0 } } } })],
    },
    [remove(6)],
  ),
  pod(['init-cannot-start', 18], 'an init whose command does not exist', {
    ...never,
    initContainers: [{ name: 'i', image, imagePullPolicy: 'Never', command: ['/no/such/command'] }],
    containers: [sh('a', 'sleep 1')],
  }),
  pod(
    ['ends-in-its-grace', 18],
    'a main that ends with a code of its own in its grace',
    {
      terminationGracePeriodSeconds: 6,
      containers: [sh('a', 'trap "sleep 2; exit 7" TERM; while true; do sleep 0.1; done'), sh('b', serve)],
    },
    [remove(6)],
  ),
  pod(
    ['deleted-before-its-start', 20],
    'deleted while postStart still runs',
    {
      terminationGracePeriodSeconds: 3,
      containers: [sh('a', serve, { lifecycle: { postStart: exec('sleep 6') } }), sh('b', 'sleep 600')],
    },
    [remove(4)],
  ),
];

function pod(
  [name, seconds]: readonly [name: string, seconds: number],
  what: string,
  spec: PodSpec,
  actions: KubeletPod['actions'] = [],
): KubeletPod {
  return {
    name,
    what,
    seconds,
    spec: { terminationGracePeriodSeconds: 30, ...spec },
    actions,
    scenario: scenarios[name] ?? {},
  };
}

function sh(name: string, script: string, more: Partial<Container> = {}): Container {
  return { name, image, imagePullPolicy: 'Never', command: ['sh', '-c', script], ...more };
}

function sidecar(name: string, script: string, more: Partial<Container> = {}): Container {
  return sh(name, script, { restartPolicy: 'Always', ...more });
}
