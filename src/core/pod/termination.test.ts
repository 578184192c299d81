import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endPodInput } from './end-cause.ts';
import { c, deeds, live } from './lab.ts';
import { policyOf } from './policy.ts';
import type { Container } from './spec.ts';
import type { KillReason } from './state.ts';
import { type GraceSources, killGraceSeconds, podGraceSeconds, runsPreStop } from './termination.ts';

const pods: readonly (readonly [id: string, sources: GraceSources, grace: number])[] = [
  ['GR-W/W1', { specSeconds: 30, deletionSeconds: undefined }, 30],
  ['GR-W/W2', { specSeconds: 30, deletionSeconds: 5 }, 5],
  ['GR-W/W3', { specSeconds: 30, deletionSeconds: 5, overrideSeconds: 2 }, 2],
  ['GR-W/W4', { specSeconds: 30, deletionSeconds: 0 }, 1],
  ['GR-W/W5', { specSeconds: 30, deletionSeconds: 5, overrideSeconds: 0 }, 1],
];

for (const [id, sources, grace] of pods) {
  test(`${id}: spec ${sources.specSeconds}, deletion ${sources.deletionSeconds}, override ${sources.overrideSeconds}: ${grace}`, () => {
    assert.equal(podGraceSeconds(sources), grace);
  });
}

const probed = (liveness: number | undefined, startup: number | undefined): Container => ({
  name: 'a',
  livenessProbe: { terminationGracePeriodSeconds: liveness },
  startupProbe: { terminationGracePeriodSeconds: startup },
});
const kills: readonly (readonly [
  id: string,
  reason: KillReason,
  spec: number | undefined,
  liveness: number | undefined,
  startup: number | undefined,
  used: number,
])[] = [
  ['GR-K/K1', 'pod', undefined, undefined, undefined, 2],
  ['GR-K/K2', 'pod', 30, undefined, undefined, 30],
  ['GR-K/K4', 'startup', 60, undefined, 10, 10],
  ['GR-K/K5', 'startup', 30, undefined, 60, 60],
  ['GR-K/K6', 'liveness', 30, 60, undefined, 60],
  ['GR-K/K7', 'changed', 30, 10, undefined, 30],
  ['GR-K/K8', 'changed', 30, undefined, 10, 30],
  ['GR-K/K9', 'changed', 60, 30, 10, 60],
  ['GR-K/K11', 'liveness', 60, 30, 10, 30],
];

for (const [id, reason, spec, liveness, startup, used] of kills) {
  test(`${id}: ended by ${reason} with spec ${spec}, liveness ${liveness}, startup ${startup}: ${used}`, () => {
    const sources = { specSeconds: spec, deletionSeconds: undefined };
    assert.equal(killGraceSeconds(reason, probed(liveness, startup), sources), used);
  });
}

test('GR-K/K12 HK19: without any grace preStop is not called', () => {
  const container = c('a', { lifecycle: { preStop: { httpGet: { port: 80 } } } });
  const grace = killGraceSeconds('pod', container, { specSeconds: 0, deletionSeconds: 0 });
  assert.equal(grace, 0);
  assert.equal(runsPreStop(container, grace), false);
});

const sidecar = (name: string) => c(name, { restartPolicy: 'Always' });
const ideal = policyOf();
const stops = (life: ReturnType<typeof live>) => deeds(life).filter((deed) => deed.includes('stop '));

test('GR-O/O1: a sidecar waits 1 s for the main, and its window is that much shorter', () => {
  const spec = { initContainers: [sidecar('s')], containers: [c('m')] };
  const life = live(ideal, spec, { runs: { m: [{ term: [1, 0] }] }, inputs: [[10, { kind: 'delete' }]] }, 100);
  assert.deepEqual(stops(life), ['10 stop m 30', '11 stop s 29']);
});

test('GR-O/O2: three sidecars end in reverse order; the wait of each is cut to whole seconds', () => {
  const spec = { initContainers: [sidecar('s1'), sidecar('s2'), sidecar('s3')], containers: [c('m')] };
  const slow = [{ term: [1.25, 0] as const }];
  const life = live(
    ideal,
    spec,
    { runs: { m: slow, s1: slow, s2: slow, s3: slow }, inputs: [[10, { kind: 'delete' }]] },
    100,
  );
  assert.deepEqual(stops(life), ['10 stop m 30', '11.25 stop s3 29', '12.5 stop s2 28', '13.75 stop s1 27']);
});

const causes: readonly (readonly [what: string, cause: Parameters<typeof endPodInput>[0], expected: string])[] = [
  ['hard eviction', { kind: 'hardEviction', message: 'm' }, 'Evicted 1 disrupted'],
  ['soft eviction', { kind: 'softEviction', message: 'm', maxGraceSeconds: 10 }, 'Evicted 10 disrupted'],
  ['soft eviction, long', { kind: 'softEviction', message: 'm', maxGraceSeconds: 90 }, 'Evicted 30 disrupted'],
  ['local storage', { kind: 'localStorage', message: 'm' }, 'Evicted 1'],
  ['preemption', { kind: 'preemption', message: 'm' }, 'Preempting own disrupted'],
  ['node shutdown', { kind: 'nodeShutdown', groupSeconds: 20 }, 'Terminated 20 disrupted'],
];

for (const [what, cause, expected] of causes) {
  test(`${what} is ${expected}`, () => {
    const { reason, graceSeconds, disruptionTarget } = endPodInput(cause, { containers: [] });
    assert.equal(`${reason} ${graceSeconds ?? 'own'}${disruptionTarget ? ' disrupted' : ''}`, expected);
  });
}
