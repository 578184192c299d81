import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type PodSpec, policyOf } from '../../core/pod/index.ts';
import { readScenario } from './scenario/read.ts';
import { simulate } from './simulate.ts';
import { chartOf } from './view/chart.ts';
import { lifeData } from './view/data.ts';
import { svgOf } from './view/svg.ts';
import { timelineOf } from './view/timeline.ts';

const probe = { httpGet: { port: 80 }, periodSeconds: 2, failureThreshold: 2 };
const spec: PodSpec = {
  terminationGracePeriodSeconds: 4,
  readinessGates: [{ conditionType: 'g' }],
  volumes: [{ name: 'v', emptyDir: {} }],
  initContainers: [
    { name: 'i', image: 'i:1' },
    { name: 's', image: 's:1', restartPolicy: 'Always', startupProbe: probe },
  ],
  containers: [
    {
      name: 'a',
      image: 'a:1',
      readinessProbe: probe,
      livenessProbe: probe,
      lifecycle: { preStop: { sleep: { seconds: 1 } } },
    },
    { name: 'b', image: 'b:1', resources: { requests: { cpu: '1' } } },
  ],
};

const seconds = fc.constantFrom<string | number>('0s', '300ms', 1, 3.5, '7s', 'forever');
const path = fc.constantFrom('/tmp/x', '/v/y');
const leaf = fc.oneof(
  fc.record({ sleep: seconds }),
  fc.record({ busy: seconds }),
  fc.record({ touch: path }),
  fc.record({ rm: path }),
  fc.record({ exit: fc.constantFrom<unknown>(0, 1, 42, { code: 137, reason: 'OOMKilled' }) }),
  fc.record({ sh: fc.constantFrom('sleep 1', 'test -f /tmp/x || exit 3', 'while :; do sleep 0.5; done') }),
);
const step = fc.oneof(
  { weight: 4, arbitrary: leaf },
  fc.record({
    trap: fc.dictionary(
      fc.constantFrom('TERM', 'SIGUSR1'),
      fc.oneof(fc.constant('ignore'), fc.array(leaf, { maxLength: 2 })),
    ),
  }),
  fc.record({ repeat: fc.array(leaf, { minLength: 1, maxLength: 2 }) }),
);
const steps = fc.array(step, { maxLength: 4 });
const verdict = fc.constantFrom('success', 'failure', 'timeout', 'error', 'warning');
const answers = fc.oneof(
  verdict,
  fc.record({ file: path }),
  fc.array(fc.record({ from: fc.constantFrom(0, 2, 5), answer: verdict, takes: seconds }), {
    minLength: 1,
    maxLength: 3,
  }),
);
const run = fc.oneof(
  fc.constantFrom('serve', 'deaf'),
  steps,
  fc.record({ fails: fc.constantFrom('RunContainerError', 'CreateContainerError', 'CreateContainerConfigError') }),
);
const container = fc.record({
  runs: fc.array(run, { minLength: 1, maxLength: 3 }),
  probes: fc.record({ startup: answers, liveness: answers, readiness: answers }),
  hooks: fc.record({ preStop: fc.oneof(seconds, steps) }),
});
const at = fc.integer({ min: 0, max: 40 });
const event = fc.oneof(
  fc.record({
    at,
    do: fc.constantFrom(
      'delete',
      'evict',
      'node-evict',
      'preempt',
      'node-shutdown',
      'lose-sandbox',
      'kubelet-restart',
      'lose-node',
      'node-back',
      'collect',
      'remove-scheduling-gates',
    ),
  }),
  fc.record({ at, do: fc.constantFrom('delete', 'evict', 'node-evict'), grace: fc.integer({ min: 0, max: 9 }) }),
  fc.record({ at, do: fc.constant('kubelet-restart'), down: seconds.filter((value) => value !== 'forever') }),
  fc.record({
    at,
    do: fc.constant('set-condition'),
    type: fc.constant('g'),
    status: fc.constantFrom('True', 'False', 'Unknown'),
  }),
  fc.record({ at, do: fc.constant('set-image'), images: fc.constant({ a: 'a:2' }) }),
  fc.record({ at, do: fc.constant('resize'), containers: fc.constant({ b: { requests: { cpu: '2' } } }) }),
  fc.record({ at, do: fc.constant('add-ephemeral-container'), container: fc.constant({ name: 'd', image: 'd:1' }) }),
  fc.record({ at, do: fc.constant('end-run'), container: fc.constantFrom('a', 'nobody'), exit: fc.constant(9) }),
  fc.record({ at, do: fc.constant('lose-record'), container: fc.constantFrom('a', 'i') }),
);
const scenario = fc.record({
  images: fc.dictionary(
    fc.constantFrom('a:1', 'a:2'),
    fc.oneof(
      fc.constant('absent'),
      fc.record({ fails: fc.constant('ErrImagePull'), times: fc.integer({ min: 1, max: 2 }) }),
    ),
  ),
  volumes: fc.record({ takes: seconds }),
  containers: fc.dictionary(fc.constantFrom('i', 's', 'a', 'b', 'd'), container),
  events: fc.array(event, { maxLength: 5 }),
});

test('every scenario can be lived, in every timing: time never goes back, a terminal phase stays, and the same seed gives the same life', () => {
  fc.assert(
    fc.property(
      scenario,
      fc.constantFrom<'ideal' | 'kubelet'>('ideal', 'kubelet'),
      fc.integer({ min: 0, max: 99 }),
      (told, timing, seed) => {
        const read = readScenario(JSON.stringify(told), 's.yaml');
        assert.equal(read.kind, 'valid', JSON.stringify(read.problems));
        if (read.kind !== 'valid') return;
        const live = () =>
          simulate({
            manifest: { metadata: { name: 'p' }, spec },
            scenario: read.value,
            untilMs: 60_000,
            policy: policyOf({ timing, seed }),
          });
        const life = live();
        assert.deepEqual(live(), life);
        assert.ok(life.happenings.every(({ atMs }, index) => atMs >= (life.happenings[index - 1]?.atMs ?? 0)));
        const phases = life.happenings.flatMap((happening) =>
          happening.kind === 'pod' ? [happening.pod.status.phase] : [],
        );
        const terminal = phases.findIndex((phase) => phase === 'Succeeded' || phase === 'Failed');
        assert.ok(terminal === -1 || new Set(phases.slice(terminal)).size === 1);
        assert.doesNotMatch(svgOf(chartOf(life)), /NaN|undefined|Infinity/);
        assert.equal(timelineOf(life.happenings).length > 0 && JSON.stringify(lifeData(life)).length > 0, true);
      },
    ),
    { numRuns: 60 },
  );
});
