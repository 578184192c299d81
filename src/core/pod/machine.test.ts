import assert from 'node:assert/strict';
import { test } from 'node:test';
import { c, condition, deeds, events, live, phases, podAt, startsOf, statusOf, writes } from './lab.ts';
import { policyOf } from './policy.ts';

const ideal = policyOf();

test('a simple pod: started, ready, deleted with a terminal phase before the object goes', () => {
  const spec = { containers: [c('a', { readinessProbe: { periodSeconds: 5 } })] };
  const life = live(ideal, spec, { runs: { a: [{ term: [3, 0] }] }, inputs: [[10, { kind: 'delete' }]] }, 60);
  assert.deepEqual(phases(life), ['Pending', 'Running', 'Succeeded']);
  assert.equal(condition(podAt(life, 9), 'Ready')?.status, 'True');
  assert.deepEqual(deeds(life), ['0 createSandbox', '0 start a', '10 stop a 30', '13 stopSandbox']);
  assert.equal(writes(life).at(-1)?.type, 'DELETED');
  assert.equal(life.state.gone, true);
});

test('inits in order, then the sidecar, then the main; at the end the sidecar goes after the main', () => {
  const spec = {
    initContainers: [c('i'), c('s', { restartPolicy: 'Always' as const })],
    containers: [c('m')],
  };
  const runs = { i: [{ exit: [2, 0] as const }], m: [{ term: [3, 0] as const }] };
  const life = live(ideal, spec, { runs, inputs: [[10, { kind: 'delete' }]] }, 60);
  assert.deepEqual(deeds(life), [
    '0 createSandbox',
    '0 start i',
    '2 start s',
    '2 start m',
    '10 stop m 30',
    '13 stop s 27',
    '13 stopSandbox',
  ]);
});

test('a crash loop starts at 0, 0, then after 10, 20, 40 … 300 s from each end', () => {
  const life = live(ideal, { containers: [c('a')] }, { runs: { a: [{ exit: [0, 1] }] } }, 1000);
  assert.deepEqual(startsOf(life, 'a'), [0, 0, 10, 30, 70, 150, 310, 610, 910]);
  assert.equal(events(life, 'BackOff')[0], 0);
  assert.deepEqual(phases(life), ['Pending', 'Running']);
  assert.equal(statusOf(life.state.api, 'a')?.restartCount, 8);
});
