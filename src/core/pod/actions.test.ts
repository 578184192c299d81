import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionsInput, podActions } from './actions.ts';
import { nameOf } from './lab.ts';
import { spec, view } from './notation.ts';
import type { PodActions, ResizeAction } from './plan.ts';
import { gatesOf } from './policy.ts';
import { type PodShape, shapeOf } from './shape.ts';
import type { RestartPolicy } from './spec.ts';
import type { ProbeResult } from './state.ts';

interface Extra {
  /** `c startup=failure` of a container's run. */
  readonly probes?: string;
  /** Containers whose image differs from what runs. */
  readonly changed?: readonly string[];
  readonly restartingAll?: boolean;
  readonly ephemeral?: boolean;
  readonly resized?: string;
  /** Containers with startup and liveness probes. */
  readonly probed?: readonly string[];
}

/** The plan in a line: kill, sandbox N, then inits, mains, ephemerals to start, then single kills and resets. */
function shown(actions: PodActions, shape: PodShape): string {
  const names = (slots: PodShape['mains'], indices: readonly number[]) =>
    indices.map((index) => slots[index]?.container.name).join(' ');
  const part = (label: string, text: string) => (text === '' ? [] : [`${label} ${text}`]);
  return [
    ...(actions.killPod ? ['kill pod'] : []),
    ...(actions.createSandbox ? [`sandbox ${actions.attempt}`] : []),
    ...part('init', names(shape.inits, actions.startInits)),
    ...part('start', names(shape.mains, actions.startMains)),
    ...part('debug', names(shape.ephemerals, actions.startEphemerals)),
    ...part('end', actions.kill.map(({ instance, reason }) => `${nameOf(instance)} (${reason})`).join(' ')),
    ...part('reset', actions.resets.map(({ instance, kill }) => `${instance.id}${kill ? ' k' : ''}`).join(', ')),
    ...part('resize', actions.resize.map(nameOf).join(' ')),
  ].join('; ');
}

type Row = readonly [
  id: string,
  pod: string,
  policy: RestartPolicy,
  sandbox: string,
  records: string,
  plan: string,
  extra?: Extra,
];

const three = 'a b c';
const allUp = 'a R, b R, c R';
const A = 'Always';
const O = 'OnFailure';
const N = 'Never';

const mains: readonly Row[] = [
  ['CA-M/M1', three, A, '0', allUp, ''],
  ['CA-M/M2', three, A, 'none', '', 'kill pod; sandbox 0; start a b c'],
  ['CA-M/M4', three, O, '0', 'a T0, b T111, c R', 'start b'],
  ['CA-M/M5', three, O, '0', 'a T0, b C, c R', 'start b'],
  ['CA-M/M7', three, A, '0-', allUp, 'kill pod; sandbox 1; start a b c'],
  ['CA-M/M8', three, O, '0-', 'a R, b T0, c R', 'kill pod; sandbox 1; start a c'],
  ['CA-M/M10', three, A, '0', allUp, 'start b; end b (changed)', { changed: ['b'] }],
  ['CA-M/M11', three, A, '0', allUp, 'start b; end b (liveness)', { probes: 'b liveness=failure' }],
  ['CA-M/M13', three, N, '1-', 'a T0, b T0, c T0', 'kill pod'],
  ['CA-M/M14', three, O, '1-', 'a T0, b T0, c T0', 'kill pod'],
  ['CA-M/M16', three, N, '0', 'a R, b U, c R', 'start b; end b (unknown)'],
  ['CA-M/M17', three, N, '0', 'a R, b C, c R', 'start b'],
  ['CA-M', three, N, '0', allUp, 'end b (startup)', { probes: 'b startup=failure' }],
  ['CA-M', three, N, '0', 'a T0, b T0, c T1', 'kill pod'],
];

const policies: readonly Row[] = [
  ['CA-P/P1', 'a:Always b:Always c', N, '0', 'a T0, b T111, c R', 'start a b'],
  ['CA-P/P2', 'a:OnFailure b:OnFailure c', N, '0', 'a T0, b T111, c R', 'start b'],
  ['CA-P/P4', 'a:Never b:Never c', A, '0', 'a T0, b T111, c R', ''],
  ['CA-P/P5', 'a b:OnFailure c', A, '0-', 'a R, b T0, c R', 'kill pod; sandbox 1; start a c'],
];

const withInits = 'i j k|a b c';
const done = 'k T0, j T0, i T0';
const inits: readonly Row[] = [
  ['CA-I/I1', withInits, A, '0', done, 'start a b c'],
  ['CA-I/I2', withInits, A, '0', '', 'init i'],
  ['CA-I/I4', withInits, A, '0-', done, 'kill pod; sandbox 1; init i'],
  ['CA-I/I5', withInits, A, '0', 'k T137, j T0, i T0', 'init k'],
  ['CA-I/I7', withInits, N, '0', 'k T137, j T0, i T0', 'kill pod'],
  ['CA-I/I8', withInits, A, '0', 'k U, j T0, i T0', 'init k; end k (unknown)'],
  ['CA-I/I10', withInits, N, '0', 'k U, j T0, i T0', 'kill pod'],
  ['CA-I/I11', withInits, N, '0-', done, 'kill pod'],
  ['CA-I/I13', withInits, O, '0-', 'k T137, j T0, i T0', 'kill pod; sandbox 1; init i'],
  ['CA-I/I14', withInits, A, '0', 'k R', ''],
  ['CA-I/I16', withInits, A, '0', '', 'init i', { resized: 'i' }],
  ['CA-I/I17', withInits, A, '0', 'i R', 'resize i', { resized: 'i' }],
];

const withSidecars = 'p* q* r*|a b c';
const upSidecars = 'r R, q R, p R';
const healthy = 'q startup=success; q liveness=success; r startup=success; r liveness=success';
const probed = ['q', 'r'];
const ok: Extra = { probes: healthy, probed };
const sidecars: readonly Row[] = [
  ['CA-S/S1', withSidecars, A, '0', upSidecars, 'start a b c', ok],
  ['CA-S/S2', withSidecars, A, '0', '', 'init p', ok],
  ['CA-S/S4', withSidecars, A, '0', 'p R', 'init q', ok],
  ['CA-S/S5', withSidecars, A, '0', 'q R, p R', 'init r', { probes: 'q startup=success', probed }],
  ['CA-S/S7', withSidecars, A, '0', 'q R, p R', 'init r', ok],
  [
    'CA-S/S8',
    withSidecars,
    A,
    '0',
    upSidecars,
    'init r; start a b c; end r (liveness)',
    { probed, probes: 'q startup=success; r startup=success; r liveness=failure' },
  ],
  ['CA-S/S10', withSidecars, A, '0', 'q R, p R', '', { probes: 'q startup=unknown', probed }],
  ['CA-S/S11', withSidecars, A, '0', 'q R, p R', 'init r', { probes: 'q startup=success', probed }],
  ['CA-S/S13', withSidecars, A, '0', upSidecars, 'init r; start a b c; end r (changed)', { ...ok, changed: ['r'] }],
  ['CA-S/S14', withSidecars, A, '0', 'r T1, q R, p T1', 'init p r', ok],
  ['CA-S/S16', withSidecars, N, '0-', 'r T137, q R, p R', 'kill pod', ok],
  ['CA-S/S17', withSidecars, N, '0-', '', 'kill pod; sandbox 1; init p', ok],
  ['CA-S/S19', withSidecars, A, '0-', 'r T137, q R, p R', 'kill pod; sandbox 1; init p', ok],
  ['CA-S/S20', withSidecars, N, '0', 'r T137, q R, p R', 'init r', ok],
  ['CA-S/S22', withSidecars, N, '0', `${allUp}, r T137, q R, p R`, 'init r', ok],
  ['CA-S/S23', withSidecars, N, '0', `a T0, b T0, c T0, ${upSidecars}`, 'kill pod', ok],
  [
    'CA-S',
    withSidecars,
    A,
    '0',
    upSidecars,
    'init r; end r (startup)',
    { probed, probes: 'q startup=success; r startup=failure' },
  ],
];

const debug: Extra = { ephemeral: true };
const ephemerals: readonly Row[] = [
  ['CA-E/E1', 'i|a', A, '0', 'd R, a R, i T0', '', debug],
  ['CA-E/E2', 'i|a', A, '0', 'a R, i T0', 'debug d', debug],
  ['CA-E/E4', 'i|a', A, '0', 'd T1, a R, i T0', '', debug],
  ['CA-E/E5', 'i|a', A, '0', 'i R', 'debug d', debug],
  ['CA-E/E6', 'i|a', O, '0-', 'd R, i T137', 'kill pod; sandbox 1; init i', debug],
  ['CA-E/E7', 'i|a', A, '0-', 'd R, a R, i T0', 'kill pod; sandbox 1; init i', debug],
  ['CA-E/E9', 'i|a', A, '0', 'd U, a R, i T0', '', debug],
];

const restartingAll: Extra = { restartingAll: true };
const resets: readonly Row[] = [
  ['CA-R/R1', 'a:Never!1', N, '0', 'a R', ''],
  ['CA-R/R2', 'a:Never!1 b c', N, '0', allUp, 'reset a/0 k, b/1 k, c/2 k', restartingAll],
  ['CA-R/R4', 'p*!1 q* r*|', N, '0', upSidecars, 'reset p/2 k, q/1 k, r/0 k', restartingAll],
  ['CA-R/R5', 'i s* k:Never!1|', N, '0', 'k T1, s R, i T0', 'reset i/2, s/1 k, k/0'],
  [
    'CA-R/R7',
    'p* q* r*|a b c:Never!1',
    N,
    '0',
    `a R, b R, c T1, ${upSidecars}`,
    'reset a/0 k, b/1 k, p/5 k, q/4 k, r/3 k, c/2',
  ],
  ['CA-R/R8', 'a b c:Never!1', N, '0', 'a R, b R, c T1, a T1, b T1, c T1', 'reset a/0 k, a/3, b/1 k, b/4, c/5, c/2'],
  ['CA-R/R10', 'a:Never!1 b c', N, '0', '', 'start a b c', restartingAll],
];

for (const [id, pod, policy, sandbox, records, plan, extra = {}] of [
  ...mains,
  ...policies,
  ...inits,
  ...sidecars,
  ...ephemerals,
  ...resets,
]) {
  test(`${id}: "${pod}" under ${policy}, sandbox ${sandbox}, with "${records}": ${plan === '' ? 'nothing' : plan}`, () => {
    const shape = shapeOf(podWith(pod, policy, extra));
    const known = new Map(probeResults(extra.probes ?? ''));
    const resizeOf = (run: { container: string }): ResizeAction | undefined =>
      run.container === extra.resized ? { kind: 'inPlace' } : undefined;
    const input = actionsInput({
      shape,
      view: view(sandbox, records),
      hostNetwork: false,
      deleting: false,
      restartingAll: extra.restartingAll ?? false,
      gates: gatesOf('1.37'),
      probeResult: (instance, kind) => known.get(`${nameOf(instance)} ${kind}`),
      resizeOf,
    });
    assert.equal(shown(podActions(input), shape), plan);
  });
}

function podWith(pod: string, policy: RestartPolicy, extra: Extra) {
  const base = spec(pod, policy);
  const dress = (each: (typeof base.containers)[number]) => ({
    ...each,
    ...(extra.changed?.includes(each.name) ? { image: 'i:2' } : {}),
    ...(extra.probed?.includes(each.name) ? { startupProbe: {}, livenessProbe: {} } : {}),
  });
  return {
    ...base,
    initContainers: base.initContainers?.map(dress),
    containers: base.containers.map(dress),
    ephemeralContainers: extra.ephemeral ? [{ name: 'd', image: 'i:1' }] : [],
  };
}

function probeResults(text: string): readonly (readonly [string, ProbeResult])[] {
  return text.split('; ').flatMap((each) => {
    const [who, result] = each.split('=') as [string, ProbeResult | undefined];
    return result === undefined ? [] : [[who, result] as const];
  });
}
