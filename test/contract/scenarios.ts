// Forty-odd short lives that every container runtime must live alike. What a container does is its command: the simulated runtime reads
// it, the others run it. Moments are at least half a second apart, so that a busy machine keeps their order.
import type { Container, Input, PodSpec, Probe } from '../../src/core/pod/index.ts';

export interface ContractScenario {
  readonly name: string;
  readonly spec: PodSpec;
  readonly events: readonly ScenarioEvent[];
}

/** What happens to the pod, so long after a watcher first saw a line that begins so: machines start pods at different speeds. */
export interface ScenarioEvent {
  readonly after: string;
  readonly ms: number;
  readonly input: Input;
}

const running = 'container a: running';
/** Deleted half a second after a line, with its own grace or another. */
const deletedAfter = (after: string, gracePeriodSeconds?: number): ScenarioEvent => ({
  after,
  ms: 500,
  input: { kind: 'delete', gracePeriodSeconds },
});
const image = { image: 'rig.test/busybox:1', imagePullPolicy: 'Never' as const };
const volume = { volumes: [{ name: 'v', emptyDir: {} }] };
const mounted = { volumeMounts: [{ name: 'v', mountPath: '/v' }] };
const never = { restartPolicy: 'Never' as const };
const onFailure = { restartPolicy: 'OnFailure' as const };
/** Ends with 0 at once on TERM. */
const serve = 'trap "exit 0" TERM; while true; do sleep 0.05; done';
/** Fails as often as said, then goes on; counts in the volume, which outlives the run. */
const failing = (times: number, then: string) =>
  `n=$(cat /v/n 2>/dev/null || echo 0); n=$((n+1)); echo $n >/v/n; sleep 0.5; [ $n -gt ${times} ] || exit 7; ${then}`;

const scenarios: ContractScenario[] = [];
add('exits with 0, Never', { ...never, containers: [sh('a', 'sleep 0.5')] });
add('exits with 3, Never', { ...never, containers: [sh('a', 'sleep 0.5; exit 3')] });
add('fails once, OnFailure', { ...onFailure, containers: [sh('a', failing(1, 'exit 0'))] });
add('fails twice, OnFailure: the second restart waits', { ...onFailure, containers: [sh('a', failing(2, 'exit 0'))] });
add(
  'ends with 0, Always, deleted in the second run',
  { containers: [sh('a', 'trap "exit 0" TERM; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do sleep 0.1; done')] },
  [deletedAfter('container a: running, restarts 1')],
);
add('two mains, one fails first', { ...never, containers: [sh('a', 'sleep 0.5; exit 1'), sh('b', 'sleep 2')] });
add('two mains, the second ends first', { ...never, containers: [sh('a', 'sleep 2'), sh('b', 'sleep 0.5')] });
add('an init before the main', {
  ...never,
  initContainers: [sh('i', 'sleep 0.5')],
  containers: [sh('a', 'sleep 0.5')],
});
add('two inits in order', {
  ...never,
  initContainers: [sh('i', 'sleep 0.5'), sh('j', 'sleep 0.5')],
  containers: [sh('a', 'sleep 0.5')],
});
add('an init fails, Never', {
  ...never,
  initContainers: [sh('i', 'sleep 0.5; exit 2')],
  containers: [sh('a', 'sleep 0.5')],
});
add('an init fails once, OnFailure', {
  ...onFailure,
  initContainers: [sh('i', failing(1, 'exit 0'))],
  containers: [sh('a', 'sleep 0.5')],
});
add('a sidecar ends after the main', {
  ...never,
  initContainers: [sidecar('s', serve)],
  containers: [sh('a', 'sleep 1')],
});
add('a sidecar that does not obey is killed', {
  ...never,
  terminationGracePeriodSeconds: 2,
  initContainers: [sidecar('s', 'sleep 600')],
  containers: [sh('a', 'sleep 1')],
});
add('sidecars end in reverse order', {
  ...never,
  initContainers: [sidecar('s', serve), sidecar('t', 'trap "sleep 0.5; exit 0" TERM; while true; do sleep 0.05; done')],
  containers: [sh('a', 'sleep 1')],
});
add('a sidecar restarts while the main runs', {
  ...never,
  initContainers: [sidecar('s', failing(1, serve))],
  containers: [sh('a', 'sleep 3')],
});
add('a sidecar gates the main by its startup probe', {
  ...never,
  initContainers: [
    sidecar('s', `sleep 1.5; touch /up; ${serve}`, { startupProbe: exec('cat /up', { failureThreshold: 30 }) }),
  ],
  containers: [sh('a', 'sleep 1')],
});
add('an init after a sidecar', {
  ...never,
  initContainers: [sidecar('s', serve), sh('i', 'sleep 0.5')],
  containers: [sh('a', 'sleep 0.5')],
});
add('deleted, obeys', { containers: [sh('a', serve)] }, [deletedAfter(running)]);
add('deleted, does not obey', { terminationGracePeriodSeconds: 2, containers: [sh('a', 'sleep 600')] }, [
  deletedAfter(running),
]);
add('deleted with another grace than its own', { containers: [sh('a', 'sleep 600')] }, [deletedAfter(running, 2)]);
add('deleted by force', { containers: [sh('a', serve)] }, [deletedAfter(running, 0)]);
add(
  'deleted, ends with an exit code of its own',
  { containers: [sh('a', 'trap "sleep 0.5; exit 5" TERM; while true; do sleep 0.05; done')] },
  [deletedAfter(running)],
);
add('deleted while an init runs', { initContainers: [sh('i', serve)], containers: [sh('a', serve)] }, [
  deletedAfter('container i: running'),
]);
add(
  'deleted: the main before the sidecar',
  {
    initContainers: [sidecar('s', serve)],
    containers: [sh('a', 'trap "sleep 0.7; exit 0" TERM; while true; do sleep 0.05; done')],
  },
  [deletedAfter(running)],
);
add('preStop exec runs before TERM', { containers: [sh('a', serve, { lifecycle: { preStop: command('sleep 1') } })] }, [
  deletedAfter(running),
]);
add(
  'preStop sleep runs before TERM',
  { containers: [sh('a', serve, { lifecycle: { preStop: { sleep: { seconds: 1 } } } })] },
  [deletedAfter(running)],
);
add(
  'preStop outlasts the grace',
  {
    terminationGracePeriodSeconds: 2,
    containers: [sh('a', 'sleep 600', { lifecycle: { preStop: command('sleep 9') } })],
  },
  [deletedAfter(running)],
);
add('preStop fails', { containers: [sh('a', serve, { lifecycle: { preStop: command('sleep 0.5; exit 1') } })] }, [
  deletedAfter(running),
]);
add('postStart blocks the next container', {
  ...never,
  containers: [sh('a', 'sleep 3', { lifecycle: { postStart: command('sleep 1') } }), sh('b', 'sleep 3')],
});
add('postStart fails, Never', {
  ...never,
  containers: [sh('a', serve, { lifecycle: { postStart: command('sleep 0.5; exit 1') } })],
});
add('ready when its file is there', {
  ...never,
  containers: [sh('a', 'sleep 1.5; touch /up; sleep 2.5', { readinessProbe: exec('cat /up') })],
});
add('readiness flaps', {
  ...never,
  containers: [
    sh('a', 'touch /up; sleep 2.5; rm /up; sleep 2; touch /up; sleep 2', {
      readinessProbe: exec('cat /up', { failureThreshold: 1 }),
    }),
  ],
});
add('readiness wants two successes', {
  ...never,
  containers: [sh('a', 'touch /up; sleep 4.5', { readinessProbe: exec('cat /up', { successThreshold: 2 }) })],
});
add(
  'liveness restarts the container once',
  {
    ...volume,
    terminationGracePeriodSeconds: 2,
    containers: [
      sh('a', `[ -e /v/second ] && touch /alive; touch /v/second; ${serve}`, {
        livenessProbe: exec('cat /alive', { failureThreshold: 2 }),
        ...mounted,
      }),
    ],
  },
  [deletedAfter('container a: running, restarts 1')],
);
add('startup before readiness', {
  ...never,
  containers: [
    sh('a', 'sleep 1.5; touch /up; sleep 3', {
      startupProbe: exec('cat /up', { failureThreshold: 9 }),
      readinessProbe: exec('cat /up'),
    }),
  ],
});
add('startup never comes, Never', {
  ...never,
  terminationGracePeriodSeconds: 2,
  containers: [sh('a', serve, { startupProbe: exec('cat /up', { failureThreshold: 2 }) })],
});
add(
  'a readiness gate opens',
  { ...never, readinessGates: [{ conditionType: 'example.com/open' }], containers: [sh('a', 'sleep 2.5')] },
  [
    {
      after: running,
      ms: 700,
      input: { kind: 'setCondition', condition: { type: 'example.com/open', status: 'True' } },
    },
  ],
);
add('a rule restarts what Never would not', {
  ...never,
  containers: [
    sh('a', failing(1, 'exit 0'), {
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [7] } }],
    }),
  ],
});
add('a container has a policy of its own', {
  ...never,
  containers: [sh('b', 'sleep 4'), sh('a', failing(1, 'exit 0'), { restartPolicy: 'OnFailure' })],
});
add('a deadline ends the pod', {
  ...never,
  activeDeadlineSeconds: 4,
  terminationGracePeriodSeconds: 2,
  containers: [sh('a', serve)],
});
add('evicted by the node', { containers: [sh('a', serve)] }, [
  {
    after: running,
    ms: 500,
    input: {
      kind: 'endPod',
      reason: 'Evicted',
      message: 'The node was low on resource: memory.',
      graceSeconds: 1,
      disruptionTarget: true,
    },
  },
]);
add(
  'a scheduling gate holds it',
  { ...never, schedulingGates: [{ name: 'example.com/hold' }], containers: [sh('a', 'sleep 0.5')] },
  [
    {
      after: 'PodScheduled: False',
      ms: 500,
      input: { kind: 'updateSpec', spec: withVolume({ ...never, containers: [sh('a', 'sleep 0.5')] }) },
    },
  ],
);
add('an ephemeral container comes and goes', { containers: [sh('a', serve)] }, [
  { after: running, ms: 500, input: { kind: 'addEphemeralContainer', container: sh('e', 'sleep 0.7; exit 4') } },
  deletedAfter('container e: Error'),
]);
add('restarted as a whole by a rule', {
  ...never,
  initContainers: [sh('i', 'sleep 0.5')],
  containers: [
    sh('a', failing(1, 'exit 0'), {
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [7] } }],
    }),
  ],
});

export const contractScenarios: readonly ContractScenario[] = scenarios;

const seconds = new Set(['periodSeconds', 'timeoutSeconds', 'activeDeadlineSeconds', 'seconds']);

/** The same life so many times slower, for a machine too busy to keep moments apart that are half a second apart. Grace stays: a watcher sees it. */
export function stretched(scenario: ContractScenario, times: number): ContractScenario {
  const slower = (key: string, value: unknown) => {
    if (typeof value === 'number' && seconds.has(key)) return value * times;
    if (typeof value !== 'string') return value;
    return value.replaceAll(/\bsleep ([\d.]+)/g, (_, time: string) => `sleep ${(Number(time) * times).toFixed(2)}`);
  };
  return {
    ...scenario,
    spec: JSON.parse(JSON.stringify(scenario.spec), slower) as PodSpec,
    events: scenario.events.map((event) => ({
      ...event,
      ms: event.ms * times,
      input: JSON.parse(JSON.stringify(event.input), slower) as Input,
    })),
  };
}

function add(name: string, spec: PodSpec, events: ContractScenario['events'] = []): void {
  scenarios.push({ name, spec: withVolume(spec), events });
}

/** Every container that counts its runs needs the volume; the API defaults the grace. */
function withVolume(spec: PodSpec): PodSpec {
  return { terminationGracePeriodSeconds: 30, ...volume, ...spec };
}

function sh(name: string, script: string, more: Partial<Container> = {}): Container {
  return { name, ...image, command: ['sh', '-c', script], ...mounted, ...more };
}

function sidecar(name: string, script: string, more: Partial<Container> = {}): Container {
  return sh(name, script, { restartPolicy: 'Always', ...more });
}

function exec(script: string, more: Partial<Probe> = {}): Probe {
  return { ...command(script), periodSeconds: 1, timeoutSeconds: 1, failureThreshold: 3, ...more };
}

function command(script: string): { readonly exec: { readonly command: readonly string[] } } {
  return { exec: { command: ['sh', '-c', script] } };
}
