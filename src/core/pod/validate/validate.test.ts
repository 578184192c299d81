import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gates, gatesOf } from '../policy.ts';
import { sleepProblems } from './handler.ts';
import { specProblems } from './pod.ts';

type Row = readonly [id: string, spec: unknown, expected: readonly string[], gates?: Partial<Gates>];
const on = gatesOf('1.37');

/** The errors (not the warnings) of a spec as `path: message`. */
function errorsOf(spec: unknown, gates: Partial<Gates> = {}): readonly string[] {
  return specProblems('spec', spec, { ...on, ...gates })
    .filter((problem) => problem.severity === 'error')
    .map((problem) => `${problem.path}: ${problem.message}`);
}

function check(rows: readonly Row[]): void {
  for (const [id, spec, expected, gates] of rows) test(id, () => assert.deepEqual(errorsOf(spec, gates), expected));
}

const base = { name: 'a', image: 'registry.example/a:1' };
const main = (fields: object, rest: object = {}) => ({ containers: [{ ...base, ...fields }], ...rest });
const init = (fields: object, rest: object = {}) => ({
  initContainers: [{ ...base, name: 'i', ...fields }],
  containers: [base],
  ...rest,
});
const exec = { exec: { command: ['true'] } };
const at = 'spec.containers[0]';
const negative = 'must be greater than or equal to 0';

check([
  [
    'PR-V/V1 a probe without a handler',
    main({ livenessProbe: {} }),
    [`${at}.livenessProbe: Required value: must specify a handler type`],
  ],
  ...['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'].map(
    (field, index): Row => [
      `PR-V/V${index + 2} negative ${field}`,
      main({ readinessProbe: { ...exec, [field]: -1 } }),
      [`${at}.readinessProbe.${field}: Invalid value: -1: ${negative}`],
    ],
  ),
  [
    'PR-V/V7 grace -1 of a probe',
    main({ livenessProbe: { ...exec, terminationGracePeriodSeconds: -1 } }),
    [`${at}.livenessProbe.terminationGracePeriodSeconds: Invalid value: -1: must be greater than 0`],
  ],
  [
    'PR-V/V8 grace 0 of a probe',
    main({ startupProbe: { ...exec, terminationGracePeriodSeconds: 0 } }),
    [`${at}.startupProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0`],
  ],
  ['PR-V/V9 grace 1 of a probe', main({ livenessProbe: { ...exec, terminationGracePeriodSeconds: 1 } }), []],
  [
    'PR-V/V10 successThreshold 2 on liveness',
    main({ livenessProbe: { ...exec, successThreshold: 2 } }),
    [`${at}.livenessProbe.successThreshold: Invalid value: 2: must be 1`],
  ],
  [
    'PR-V/V10 successThreshold 3 on startup',
    main({ startupProbe: { ...exec, successThreshold: 3 } }),
    [`${at}.startupProbe.successThreshold: Invalid value: 3: must be 1`],
  ],
  [
    'PR-V/V11 grace on readiness',
    main({ readinessProbe: { ...exec, terminationGracePeriodSeconds: 5 } }),
    [`${at}.readinessProbe.terminationGracePeriodSeconds: Forbidden: must not be set for readinessProbes`],
  ],
  ['successThreshold 2 on readiness', main({ readinessProbe: { ...exec, successThreshold: 2 } }), []],
  [
    'two handlers of a probe',
    main({ livenessProbe: { ...exec, tcpSocket: { port: 1 } } }),
    [`${at}.livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type`],
  ],
  [
    'port 0',
    main({ livenessProbe: { tcpSocket: { port: 0 } } }),
    [`${at}.livenessProbe.tcpSocket.port: Invalid value: 0: must be between 1 and 65535, inclusive`],
  ],
  ['port by a name', main({ livenessProbe: { httpGet: { port: 'http', path: '/' } } }), []],
  [
    'no command',
    main({ livenessProbe: { exec: { command: [] } } }),
    [`${at}.livenessProbe.exec.command: Required value`],
  ],
  [
    'scheme',
    main({ livenessProbe: { httpGet: { port: 80, scheme: 'https' } } }),
    [`${at}.livenessProbe.httpGet.scheme: Unsupported value: "https": supported values: "HTTP", "HTTPS"`],
  ],
  [
    'a period in words',
    main({ livenessProbe: { ...exec, periodSeconds: '5s' } }),
    [`${at}.livenessProbe.periodSeconds: Invalid value: "5s": must be an integer`],
  ],
  ['the longest period', main({ livenessProbe: { ...exec, periodSeconds: 2147483647 } }), []],
  [
    'a period of more than 32 bits',
    main({ livenessProbe: { ...exec, periodSeconds: 2147483648 } }),
    [`${at}.livenessProbe.periodSeconds: Invalid value: 2147483648: must fit into 32 bits`],
  ],
  [
    'a grace of more than 64 bits',
    main({ livenessProbe: { ...exec, terminationGracePeriodSeconds: 2 ** 63 } }),
    [`${at}.livenessProbe.terminationGracePeriodSeconds: Invalid value: 9223372036854776000: must fit into 64 bits`],
  ],
]);

const hook = (seconds: number, grace: number) =>
  main({ lifecycle: { preStop: { sleep: { seconds } } } }, { terminationGracePeriodSeconds: grace });
const sleepAt = `${at}.lifecycle.preStop.sleep`;
const signal = (stopSignal: string, os?: string) =>
  main({ lifecycle: { stopSignal } }, os === undefined ? {} : { os: { name: os } });
const signals: Partial<Gates> = { ContainerStopSignals: true };
const signalAt = `${at}.lifecycle.stopSignal`;

check([
  ['HK-V/V1 sleep 5 of 30', hook(5, 30), []],
  [
    'HK-V/V2 sleep -1',
    hook(-1, 30),
    [`${sleepAt}: Invalid value: -1: must be non-negative and less than terminationGracePeriodSeconds (30)`],
  ],
  [
    'HK-V/V3 sleep 5 of 3',
    hook(5, 3),
    [`${sleepAt}: Invalid value: 5: must be non-negative and less than terminationGracePeriodSeconds (3)`],
  ],
  [
    'HK-V/V4 sleep 0, gate off',
    hook(0, 30),
    [`${sleepAt}: Invalid value: 0: must be greater than 0 and less than terminationGracePeriodSeconds (30)`],
    { PodLifecycleSleepActionAllowZero: false },
  ],
  ['HK-V/V5 sleep 0, gate on', hook(0, 30), []],
  ['HK-V/V6 sleep 0 of 0', hook(0, 0), []],
  [
    'HK-V/V9 stopSignal without an OS',
    signal('SIGHUP'),
    [`${signalAt}: Forbidden: may not be set for containers with empty \`spec.os.name\``],
    signals,
  ],
  [
    'HK-V/V10 SIGHUP on windows',
    signal('SIGHUP', 'windows'),
    [`${signalAt}: Unsupported value: "SIGHUP": supported values: "SIGKILL", "SIGTERM"`],
    signals,
  ],
  ['HK-V/V11 SIGKILL on windows', signal('SIGKILL', 'windows'), [], signals],
  ['HK-V/V12 SIGHUP on linux', signal('SIGHUP', 'linux'), [], signals],
  ['a real-time signal', signal('SIGRTMIN+15', 'linux'), [], signals],
  [
    'a hook without a handler',
    main({ lifecycle: { postStart: {} } }),
    [`${at}.lifecycle.postStart: Required value: must specify a handler type`],
  ],
  [
    'two handlers of a hook',
    main({ lifecycle: { preStop: { ...exec, sleep: { seconds: 1 } } } }),
    [`${at}.lifecycle.preStop.sleep: Forbidden: may not specify more than 1 handler type`],
  ],
]);

test('HK-V/V7 sleep 5 without a grace period', () => assert.equal(sleepProblems('s', 5, undefined, on).length, 1));
test('HK-V/V8 sleep 0 without a grace period', () => assert.equal(sleepProblems('s', 0, undefined, on).length, 0));

const rule = (fields: object, action = 'Restart') => ({ action, ...fields });
const codes = (operator: string | undefined, values: readonly number[]) => ({ exitCodes: { operator, values } });
const ruled = (restartPolicy: string | undefined, ...rules: readonly object[]) =>
  main({ ...(restartPolicy === undefined ? {} : { restartPolicy }), restartPolicyRules: rules });
const policies = 'supported values: "Always", "Never", "OnFailure"';
const side = init({ restartPolicy: 'Always', restartPolicyRules: [rule(codes('In', [42]), 'RestartAllContainers')] });

check([
  ['VA1 no restartPolicy', main({}), []],
  ['VA2 Always', main({ restartPolicy: 'Always' }), []],
  ['VA3 Never', main({ restartPolicy: 'Never' }), []],
  ['VA4 OnFailure', main({ restartPolicy: 'OnFailure' }), []],
  ['VA5 Never and a rule', ruled('Never', rule(codes('In', [42]))), []],
  [
    'VA7 unknown policy',
    main({ restartPolicy: 'Sometimes' }),
    [`${at}.restartPolicy: Unsupported value: "Sometimes": ${policies}`],
  ],
  ['VA8 empty policy', main({ restartPolicy: '' }), [`${at}.restartPolicy: Unsupported value: "": ${policies}`]],
  [
    'VA9 rules without policy',
    ruled(undefined, rule(codes('In', [42]))),
    [`${at}.restartPolicy: Required value: must specify restartPolicy when restart rules are used`],
  ],
  [
    'VA12 no exitCodes',
    ruled('Never', rule({})),
    [`${at}.restartPolicyRules[0].exitCodes: Required value: must be specified`],
  ],
  [
    'VA13 unknown operator',
    ruled('Never', rule(codes('Equals', [1]))),
    [`${at}.restartPolicyRules[0].exitCodes.operator: Unsupported value: "Equals": supported values: "In", "NotIn"`],
  ],
  [
    'VA14 empty operator',
    ruled('Never', rule(codes('', [1]))),
    [`${at}.restartPolicyRules[0].exitCodes.operator: Unsupported value: "": supported values: "In", "NotIn"`],
  ],
  [
    'VA15 256 values',
    ruled(
      'Never',
      rule(
        codes(
          'In',
          Array.from({ length: 256 }, (_, i) => i),
        ),
      ),
    ),
    [`${at}.restartPolicyRules[0].exitCodes.values: Too many: 256: must have at most 255 items`],
  ],
  ['VA17 a sidecar without rules', init({ restartPolicy: 'Always' }), []],
  ['VA18 a sidecar that restarts all, gate on', side, []],
  [
    'VA19 a sidecar that restarts all, gate off',
    side,
    [
      'spec.initContainers[0].restartPolicyRules: Forbidden: restartPolicyRules are not allowed when restartPolicy is Always',
      'spec.initContainers[0].restartPolicyRules[0].action: Unsupported value: "RestartAllContainers": supported values: "Restart"',
    ],
    { RestartAllContainersOnContainerExits: false },
  ],
  [
    '21 rules',
    ruled('Never', ...Array.from({ length: 21 }, () => rule(codes('In', [1])))),
    [`${at}.restartPolicyRules: Too many: 21: must have at most 20 items`],
  ],
  [
    'unknown action',
    ruled('Never', rule(codes('In', [1]), 'Reboot')),
    [
      `${at}.restartPolicyRules[0].action: Unsupported value: "Reboot": supported values: "Restart", "RestartAllContainers"`,
    ],
  ],
  [
    'gate off: a main has no policy',
    main({ restartPolicy: 'Never' }),
    [`${at}.restartPolicy: Forbidden: may not be set for non-init containers`],
    { ContainerRestartRules: false },
  ],
  [
    'gate off: an init has Always',
    init({ restartPolicy: 'Never' }),
    ['spec.initContainers[0].restartPolicy: Unsupported value: "Never": supported values: "Always"'],
    { ContainerRestartRules: false },
  ],
  ['an init may be OnFailure', init({ restartPolicy: 'OnFailure' }), []],
]);

const noInit = 'may not be set for init containers without restartPolicy=Always';
const debug = (fields: object) => main({}, { ephemeralContainers: [{ ...base, name: 'd', ...fields }] });

check([
  ['no spec', undefined, ['spec: Required value']],
  ['no containers', {}, ['spec.containers: Required value']],
  [
    'items of a wrong kind',
    { containers: ['a', null, { ...base, command: ['a', 1] }] },
    [
      'spec.containers[0]: Invalid value: "a": must be an object',
      'spec.containers[1]: Invalid value: null: must be an object',
      'spec.containers[2].command[1]: Invalid value: 1: must be a string',
    ],
  ],
  [
    'pod policy',
    main({}, { restartPolicy: 'never' }),
    ['spec.restartPolicy: Unsupported value: "never": supported values: "Always", "OnFailure", "Never"'],
  ],
  [
    'deadline 0',
    main({}, { activeDeadlineSeconds: 0 }),
    ['spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 4294967295, inclusive'],
  ],
  [
    'hooks and probes of an init',
    init({ lifecycle: { preStop: exec }, readinessProbe: exec }),
    [
      `spec.initContainers[0].lifecycle: Forbidden: ${noInit}`,
      `spec.initContainers[0].readinessProbe: Forbidden: ${noInit}`,
    ],
  ],
  [
    'hooks and probes of a sidecar',
    init({ restartPolicy: 'Always', lifecycle: { preStop: exec }, readinessProbe: exec }),
    [],
  ],
  [
    'ephemeral: probe',
    debug({ livenessProbe: exec }),
    ['spec.ephemeralContainers[0].livenessProbe: Forbidden: cannot be set for an Ephemeral Container'],
  ],
  [
    'ephemeral: policy',
    debug({ restartPolicy: 'Always' }),
    ['spec.ephemeralContainers[0].restartPolicy: Forbidden: may not be set for ephemeral containers'],
  ],
  [
    'ephemeral: target',
    debug({ targetContainerName: 'b' }),
    [
      'spec.ephemeralContainers[0].targetContainerName: Invalid value: "b": must be the name of a container of this pod',
    ],
  ],
  ['one name twice', { containers: [base, base] }, ['spec.containers[1].name: Duplicate value: "a"']],
  [
    'resizePolicy twice',
    main({
      resizePolicy: [
        { resourceName: 'cpu', restartPolicy: 'NotRequired' },
        { resourceName: 'cpu', restartPolicy: 'NotRequired' },
      ],
    }),
    [`${at}.resizePolicy[1].resourceName: Duplicate value: "cpu"`],
  ],
  [
    'resizePolicy and Never',
    main({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] }, { restartPolicy: 'Never' }),
    [
      `${at}.resizePolicy[0].restartPolicy: Invalid value: "RestartContainer": must be 'NotRequired' when \`restartPolicy\` is 'Never'`,
    ],
  ],
  [
    'a gate twice',
    main({}, { schedulingGates: [{ name: 'x/a' }, { name: 'x/a' }] }),
    ['spec.schedulingGates[1]: Duplicate value: "x/a"'],
  ],
  [
    'a gate and a node',
    main({}, { schedulingGates: [{ name: 'a' }], nodeName: 'n' }),
    ['spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared'],
  ],
  [
    'all problems at once',
    main({ livenessProbe: { successThreshold: 2 } }, { restartPolicy: 'x' }),
    [
      'spec.restartPolicy: Unsupported value: "x": supported values: "Always", "OnFailure", "Never"',
      `${at}.livenessProbe: Required value: must specify a handler type`,
      `${at}.livenessProbe.successThreshold: Invalid value: 2: must be 1`,
    ],
  ],
]);

test('EE29 a negative grace period is stored as 1, and said', () => {
  const [problem] = specProblems('spec', main({}, { terminationGracePeriodSeconds: -1 }), on);
  assert.equal(problem?.severity, 'warning');
  assert.equal(problem?.message, 'stored as 1, not -1');
});

test('a misspelt field is a warning that names the right one', () => {
  const [problem] = specProblems('spec', main({ livenessprobe: exec }), on);
  assert.equal(problem?.path, `${at}.livenessprobe`);
  assert.equal(problem?.hint, 'the field is written livenessProbe');
});

test('a stop signal without its gate is dropped, and said', () => {
  assert.equal(specProblems('spec', signal('SIGUSR1', 'linux'), on)[0]?.severity, 'warning');
});
