// Lives with probes: cases PR-E, each as a main and, where it says so, as a sidecar.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { c, condition, events, type Life, live, podAt, type Run, startsOf, statusOf, writes } from './lab.ts';
import { policyOf } from './policy.ts';
import type { Container, PodSpec } from './spec.ts';

const ideal = policyOf();

interface Subject {
  readonly what: string;
  readonly spec: (probes: Partial<Container>, more?: Partial<PodSpec>) => PodSpec;
}
const subjects: readonly Subject[] = [
  { what: 'main', spec: (probes, more) => ({ containers: [c('a', probes)], ...more }) },
  {
    what: 'sidecar',
    spec: (probes, more) => ({
      initContainers: [c('a', { ...probes, restartPolicy: 'Always' })],
      containers: [c('m')],
      ...more,
    }),
  },
];

const until = (life: Life, type: string): number | undefined => {
  const at = writes(life).find(({ pod }) => condition(pod, type)?.status === 'True')?.atMs;
  return at === undefined ? undefined : at / 1000;
};
const restarts = (life: Life) => statusOf(life.state.api, 'a')?.restartCount;
const exec = { exec: { command: ['x'] } };

interface Row {
  readonly id: string;
  readonly what: string;
  readonly probes: Partial<Container>;
  readonly run: Run;
  readonly more?: Partial<PodSpec>;
  readonly seconds: number;
  readonly check: (life: Life) => void;
}

const between = (least: number, most: number) => (life: Life) => {
  const got = restarts(life) ?? 0;
  assert.ok(got >= least && got <= most, `${got} restarts`);
};
const failing = () => 'failure' as const;
const rows: readonly Row[] = [
  {
    id: 'PR-E/E1',
    what: 'readiness is not before its initial delay',
    probes: { readinessProbe: { ...exec, initialDelaySeconds: 30 } },
    run: {},
    seconds: 60,
    check: (life) => {
      assert.ok((until(life, 'Ready') ?? 0) >= 30);
      between(0, 0)(life);
    },
  },
  {
    id: 'PR-E/E2',
    what: 'readiness that always fails: never ready, never restarted',
    probes: { readinessProbe: { ...exec } },
    run: { probes: { readiness: failing } },
    seconds: 60,
    check: (life) => {
      assert.equal(until(life, 'Ready'), undefined);
      between(0, 0)(life);
    },
  },
  {
    id: 'PR-E/E4',
    what: 'liveness that holds: no restart in 4 minutes',
    probes: { livenessProbe: { ...exec, failureThreshold: 1 } },
    run: {},
    seconds: 240,
    check: between(0, 0),
  },
  {
    id: 'PR-E/E5',
    what: 'liveness that turns 500 after 20 s restarts',
    probes: { livenessProbe: { httpGet: { port: 80 }, failureThreshold: 1 } },
    run: { probes: { liveness: (up) => (up > 20 ? 'failure' : 'success') } },
    seconds: 100,
    check: between(1, 5),
  },
  {
    id: 'PR-E/E6',
    what: 'liveness by http that holds: no restart',
    probes: { livenessProbe: { httpGet: { port: 80 } } },
    run: {},
    seconds: 240,
    check: between(0, 0),
  },
  {
    id: 'PR-E/E8',
    what: 'liveness that fails again and again: the count grows to 5 and never shrinks',
    probes: { livenessProbe: { httpGet: { port: 80 }, initialDelaySeconds: 5, failureThreshold: 1 } },
    run: { probes: { liveness: failing } },
    seconds: 300,
    check: (life) => {
      between(5, 20)(life);
      const counts = writes(life).map(({ pod }) => statusOf(pod, 'a')?.restartCount ?? 0);
      assert.deepEqual(
        counts,
        counts.toSorted((x, y) => x - y),
      );
    },
  },
  {
    id: 'PR-E/E9 PR-E/E11 PR-E/E12',
    what: 'a liveness probe that times out, fails or is redirected to a failure restarts',
    probes: { livenessProbe: { ...exec, timeoutSeconds: 1, failureThreshold: 1, initialDelaySeconds: 15 } },
    run: { probes: { liveness: failing } },
    seconds: 60,
    check: between(1, 5),
  },
  {
    id: 'PR-E/E14',
    what: 'startup that always fails restarts though liveness holds',
    probes: { startupProbe: { ...exec, initialDelaySeconds: 15, failureThreshold: 3 }, livenessProbe: { ...exec } },
    run: { probes: { startup: failing } },
    seconds: 240,
    check: between(1, 5),
  },
  {
    id: 'PR-E/E15',
    what: 'liveness is held back while startup may still fail',
    probes: {
      startupProbe: { ...exec, failureThreshold: 60 },
      livenessProbe: { ...exec, failureThreshold: 1 },
    },
    run: { probes: { startup: failing, liveness: failing } },
    seconds: 240,
    check: between(0, 0),
  },
  {
    id: 'PR-E/E17',
    what: 'readiness follows startup at once, not with its own next tick',
    probes: {
      startupProbe: { ...exec, periodSeconds: 5, failureThreshold: 60 },
      readinessProbe: { ...exec, periodSeconds: 30 },
    },
    run: { probes: { startup: (up) => (up >= 32 ? 'success' : 'failure') } },
    seconds: 90,
    check: (life) => {
      const started = writes(life).find(({ pod }) => statusOf(pod, 'a')?.started)!.atMs / 1000;
      assert.ok((until(life, 'ContainersReady') ?? 999) - started <= 25);
    },
  },
  {
    id: 'PR-E/E18',
    what: 'the grace of the liveness probe ends a deaf container within 5 s, not 500',
    probes: {
      livenessProbe: { ...exec, failureThreshold: 1, initialDelaySeconds: 10, terminationGracePeriodSeconds: 5 },
    },
    run: { term: 'ignore', probes: { liveness: failing } },
    more: { terminationGracePeriodSeconds: 500 },
    seconds: 40,
    check: between(1, 3),
  },
  {
    id: 'PR-E/E19',
    what: 'the grace of the startup probe as well',
    probes: {
      startupProbe: { ...exec, failureThreshold: 1, initialDelaySeconds: 10, terminationGracePeriodSeconds: 5 },
    },
    run: { term: 'ignore', probes: { startup: failing } },
    more: { terminationGracePeriodSeconds: 500 },
    seconds: 40,
    check: between(1, 3),
  },
];

for (const { id, what, probes, run, more, seconds, check } of rows) {
  for (const subject of subjects) {
    test(`${id}: ${what} (${subject.what})`, () => {
      check(live(ideal, subject.spec(probes, more), { runs: { a: [run] } }, seconds));
    });
  }
}

const deaf: Run = { term: [20, 0] };

test('PR-E/E22: a pod that is ending turns not ready when its readiness fails', () => {
  const readiness = (up: number) => (up > 12 ? ('failure' as const) : ('success' as const));
  const spec = { containers: [c('a', { readinessProbe: { ...exec, periodSeconds: 1, failureThreshold: 1 } })] };
  const runs = { a: [{ ...deaf, probes: { readiness } }] };
  const life = live(ideal, spec, { runs, inputs: [[10, { kind: 'delete' }]] }, 100);
  assert.equal(condition(podAt(life, 11), 'Ready')?.status, 'True');
  const ending = podAt(life, 14);
  assert.equal(ending.status.phase, 'Running');
  assert.equal(condition(ending, 'Ready')?.status, 'False');
});

test('PR-E/E23: liveness is not probed while the pod is ending', () => {
  const liveness = (up: number) => (up > 12 ? ('failure' as const) : ('success' as const));
  const readiness = liveness;
  const probe = { ...exec, periodSeconds: 1, failureThreshold: 1 };
  const spec = { containers: [c('a', { livenessProbe: probe, readinessProbe: probe })] };
  const life = live(
    ideal,
    spec,
    { runs: { a: [{ ...deaf, probes: { liveness, readiness } }] }, inputs: [[10, { kind: 'delete' }]] },
    100,
  );
  assert.equal(condition(podAt(life, 14), 'Ready')?.status, 'False');
  const said = life.log.flatMap(({ effect }) =>
    effect.kind === 'event' && effect.reason === 'Unhealthy' ? [effect.message] : [],
  );
  assert.ok(said.length > 0 && said.every((message) => message.startsWith('Readiness')));
});

test('a killed container starts twice without a wait, then is backed off: the killed run counts one pass later', () => {
  const probe = { ...exec, periodSeconds: 1, failureThreshold: 3 };
  const liveness = (up: number) => (up >= 4 ? ('failure' as const) : ('success' as const));
  const life = live(
    ideal,
    { containers: [c('a', { livenessProbe: probe })] },
    { runs: { a: [{ probes: { liveness } }] } },
    32,
  );
  assert.deepEqual(startsOf(life, 'a'), [0, 6, 12, 28]);
  assert.deepEqual(events(life, 'BackOff').slice(0, 1), [18]);
});

test('an error of the prober itself is tried three times at once and then counts for nothing', () => {
  const spec = { containers: [c('a', { livenessProbe: { ...exec, failureThreshold: 1 } })] };
  const life = live(ideal, spec, { runs: { a: [{ probes: { liveness: () => 'unknown' } }] } }, 15);
  assert.equal(life.log.filter(({ effect }) => effect.kind === 'probe').length, 3);
  assert.equal(restarts(life), 0);
});

test('a probe that is still out when its next tick comes drops the tick', () => {
  const spec = { containers: [c('a', { readinessProbe: { ...exec, periodSeconds: 1 } })] };
  const life = live(ideal, spec, { delayMs: () => 2500 }, 20);
  const probes = life.log.filter(({ effect }) => effect.kind === 'probe').map(({ atMs }) => atMs);
  for (const [index, at] of probes.entries()) if (index > 0) assert.ok(at - probes[index - 1]! >= 2500);
});
