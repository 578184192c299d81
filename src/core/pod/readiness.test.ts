import assert from 'node:assert/strict';
import { test } from 'node:test';
import { c, live } from './lab.ts';
import { spec, status } from './notation.ts';
import { policyOf } from './policy.ts';
import { withReadiness } from './readiness.ts';
import { shapeOf } from './shape.ts';
import type { ProbeResult } from './state.ts';

type Answer = ProbeResult | undefined;
const derived: readonly (readonly [
  id: string,
  role: 'main' | 'init' | 'sidecar',
  state: string,
  probes: 'none' | 'readiness' | 'startup',
  startup: Answer,
  readiness: Answer,
  flags: string,
])[] = [
  ['PR-U/U1', 'main', 'R', 'none', undefined, undefined, 'started ready'],
  ['PR-U/U2', 'main', 'R', 'readiness', undefined, 'success', 'started ready'],
  ['PR-U/U3', 'main', 'R', 'readiness', undefined, undefined, 'started'],
  ['PR-U/U4', 'main', 'R', 'readiness', undefined, 'failure', 'started'],
  ['PR-U/U5', 'main', 'R', 'startup', 'unknown', undefined, ''],
  ['PR-U/U6', 'main', 'R', 'startup', 'success', undefined, 'started ready'],
  ['PR-U/U7', 'main', 'T0', 'readiness', undefined, 'success', ''],
  ['PR-U/U8', 'init', 'W', 'none', undefined, undefined, ''],
  ['PR-U/U9', 'init', 'R', 'none', undefined, undefined, 'started'],
  ['PR-U/U10', 'init', 'T0', 'none', undefined, undefined, 'ready'],
  ['PR-U/U11', 'init', 'T1', 'none', undefined, undefined, ''],
  ['PR-U/U12', 'sidecar', 'R', 'none', undefined, undefined, 'started ready'],
  ['PR-U/U13', 'sidecar', 'T0', 'none', undefined, undefined, ''],
];

for (const [id, role, state, probes, startup, readiness, flags] of derived) {
  test(`${id}: a ${role} ${state} with ${probes} probe (${startup}, ${readiness}) is ${flags === '' ? 'neither' : flags}`, () => {
    const shape = shapeOf(spec(role === 'main' ? 'a' : `a${role === 'sidecar' ? '*' : ''}|m`));
    const slot = shape.byName.get('a')!;
    const probe = probes === 'none' ? {} : { [`${probes}Probe`]: {} };
    const dressed = { ...slot, container: { ...slot.container, ...probe } };
    const got = withReadiness(dressed, status('a', state)!, { startup, readiness, kept: undefined });
    assert.equal([...(got.started ? ['started'] : []), ...(got.ready ? ['ready'] : [])].join(' '), flags);
  });
}

/** What a worker has published for its run once it has seen it; no probe is due for a long time. */
function published(options: {
  gate: boolean;
  before: boolean;
  sidecar: boolean;
}): Readonly<Record<string, ProbeResult | undefined>> {
  const probe = { initialDelaySeconds: 1000 };
  const own = {
    readinessProbe: probe,
    livenessProbe: probe,
    startupProbe: options.sidecar ? { periodSeconds: 1 } : probe,
  };
  const a = c('a', { ...own, ...(options.sidecar ? { restartPolicy: 'Always' as const } : {}) });
  const pod = options.sidecar ? { initContainers: [a], containers: [c('m')] } : { containers: [a] };
  const policy = policyOf({ gates: { ChangeContainerStatusOnKubeletRestart: options.gate } });
  const inputs = options.before ? [[20, { kind: 'kubeletRestart' }] as const] : [];
  const life = live(policy, pod, { inputs }, 25);
  return Object.fromEntries(
    life.state.probes.filter(({ container }) => container === 'a').map((worker) => [worker.kind, worker.published]),
  );
}

const initial: Readonly<Record<string, Answer>> = { readiness: 'failure', liveness: 'success', startup: 'unknown' };
const restarts: readonly (readonly [
  ids: string,
  gate: boolean,
  before: boolean,
  set: Readonly<Record<string, Answer>>,
])[] = [
  ['PR-G/G1 PR-G/G2 PR-G/G3', true, true, initial],
  ['PR-G/G4 PR-G/G5 PR-G/G6', true, false, initial],
  ['PR-G/G10 PR-G/G11 PR-G/G12', false, false, initial],
  ['PR-G', false, true, { readiness: undefined, liveness: undefined, startup: undefined }],
];

for (const [ids, gate, before, set] of restarts) {
  test(`${ids}: gate ${gate ? 'on' : 'off'}, started ${before ? 'before' : 'after'} the kubelet: ${JSON.stringify(set)}`, () => {
    assert.deepEqual(published({ gate, before, sidecar: false }), { ...set });
  });
}

test('PR-G/G13: the startup probe of a sidecar that had started counts as passed after a restart of the kubelet', () => {
  assert.equal(published({ gate: false, before: true, sidecar: true })['startup'], 'success');
});
