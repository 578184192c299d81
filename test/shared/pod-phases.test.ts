// The shared case `h-phase-monotone`: phases for orders of events, wrong reports of a runtime included.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Input, policyOf, transition } from '../../src/core/pod/index.ts';
import { createDriver, type Happening, type Life, livePod, type Scenario } from '../../src/sim/pod/index.ts';

interface Lived {
  readonly phases: readonly string[];
  readonly life: Life;
}

/** Lives a pod of mains for 30 s; gives each phase with the second in which it began. */
function lived(
  restartPolicy: 'Always' | 'OnFailure' | 'Never',
  names: readonly string[],
  scenario: Scenario,
  feeds: readonly (readonly [atMs: number, make: (life: Life) => Input])[] = [],
): Lived {
  const driver = createDriver(0);
  const seen: Happening[] = [];
  const life = livePod({
    clock: driver.clock,
    policy: policyOf(),
    manifest: {
      metadata: { name: 'p', namespace: 'd' },
      spec: { restartPolicy, containers: names.map((name) => ({ name, image: `${name}:1` })) },
    },
    scenario,
    observe: (happening) => seen.push(happening),
  });
  for (const [atMs, make] of feeds) driver.clock.at(atMs, () => life.feed(make(life)));
  driver.run(30_000);
  const phases = seen.flatMap((happening) =>
    happening.kind === 'pod' ? [`${happening.pod.status.phase} ${happening.atMs / 1000}`] : [],
  );
  return { life, phases: phases.filter((phase, index) => phase.split(' ')[0] !== phases[index - 1]?.split(' ')[0]) };
}

const exits = (seconds: number, code: number) => ({ run: [{ sleep: seconds }, { exit: code }] });

test('h-phase-monotone/late-report', () => {
  const run = (life: Life) => life.state.runtime.instances[0]?.id ?? 'app/1';
  const { phases, life } = lived('Never', ['app'], { containers: { app: exits(5, 2) }, events: [] }, [
    [6000, (now) => ({ kind: 'recordLost', instance: run(now) })],
    [7000, (now) => ({ kind: 'exited', instance: run(now), exitCode: 0 })],
  ]);
  assert.deepEqual(phases, ['Pending 0', 'Running 0', 'Failed 5']);
  const [after] = transition(policyOf(), life.state, { kind: 'exited', instance: 'app/1', exitCode: 0 }, 31_000);
  assert.equal(after.api.status.phase, 'Failed');
});

test('h-phase-monotone/start-error', () => {
  const { phases, life } = lived('Never', ['app'], {
    containers: { app: { run: { fails: 'RunContainerError', message: 'executable not found' } } },
  });
  assert.deepEqual(phases, ['Pending 0', 'Failed 0']);
  const [status] = life.pod.status.containerStatuses ?? [];
  assert.deepEqual(
    [status?.state.terminated?.reason, status?.state.terminated?.exitCode, status?.restartCount],
    ['StartError', 128, 0],
  );
});

test('h-phase-monotone/two', () => {
  const { phases } = lived('Never', ['a', 'b'], { containers: { a: exits(5, 1), b: exits(9, 0) } });
  assert.deepEqual(phases, ['Pending 0', 'Running 0', 'Failed 9']);
});

test('h-phase-monotone/onfailure', () => {
  const { phases } = lived('OnFailure', ['a', 'b'], { containers: { a: exits(5, 0), b: exits(9, 0) } });
  assert.deepEqual(phases, ['Pending 0', 'Running 0', 'Succeeded 9']);
});

test('h-phase-monotone/always-all-exit', () => {
  const { phases } = lived('Always', ['app'], { containers: { app: exits(5, 0) } });
  assert.deepEqual(phases, ['Pending 0', 'Running 0']);
});

test('h-phase-monotone/deleted-running', () => {
  const { phases, life } = lived('Never', ['app'], {
    containers: { app: { run: [{ trap: { TERM: [{ sleep: 1 }, { exit: 0 }] } }, { sleep: 'forever' }] } },
    events: [{ at: 5, do: 'delete' }],
  });
  assert.deepEqual(phases, ['Pending 0', 'Running 0', 'Succeeded 6']);
  assert.equal(life.state.gone, true);
});
