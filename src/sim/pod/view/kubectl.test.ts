import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PodSpec, policyOf } from '../../../core/pod/index.ts';
import type { Scenario } from '../scenario/format.ts';
import { simulate } from '../simulate.ts';
import { columnsOf } from './kubectl.ts';

const main = { name: 'm', image: 'm:1' };
const init = { name: 'i', image: 'i:1' };
const sidecar = { name: 's', image: 's:1', restartPolicy: 'Always' } as const;
const fails = (reason: 'CreateContainerConfigError') => ({ run: { fails: reason } }) as const;

const rows: readonly (readonly [name: string, spec: PodSpec, scenario: Scenario, atSeconds: number, shown: string])[] =
  [
    ['running', { containers: [main] }, {}, 1, '1/1 Running 0'],
    [
      'an init works',
      { initContainers: [init, { ...init, name: 'j' }], containers: [main] },
      { containers: { j: { run: 'deaf' } } },
      1,
      '0/1 Init:1/2 0',
    ],
    [
      'an init fails',
      { initContainers: [init], containers: [main] },
      { containers: { i: { run: [{ exit: 1 }] } } },
      1,
      '0/1 Init:Error 1',
    ],
    [
      'an init fails for good',
      { restartPolicy: 'Never', initContainers: [init], containers: [main] },
      { containers: { i: { run: [{ exit: 1 }] } } },
      1,
      '0/1 Init:Error 0',
    ],
    ['a sidecar counts', { initContainers: [sidecar], containers: [main] }, {}, 1, '2/2 Running 0'],
    ['crash loop', { containers: [main] }, { containers: { m: { run: [{ exit: 1 }] } } }, 1, '0/1 Error 1'],
    ['done', { restartPolicy: 'Never', containers: [main] }, { containers: { m: { run: [] } } }, 1, '0/1 Completed 0'],
    [
      'one of two is done',
      { restartPolicy: 'Never', containers: [main, { ...main, name: 'n' }] },
      { containers: { m: { run: [] } } },
      1,
      '1/2 NotReady 0',
    ],
    [
      'cannot be made',
      { containers: [main] },
      { containers: { m: fails('CreateContainerConfigError') } },
      1,
      '0/1 CreateContainerConfigError 0',
    ],
    [
      'no image',
      { containers: [{ ...main, imagePullPolicy: 'Never' }] },
      { images: { 'm:1': 'absent' } },
      1,
      '0/1 ErrImageNeverPull 0',
    ],
    [
      'going',
      { containers: [main] },
      { containers: { m: { run: 'deaf' } }, events: [{ at: 1, do: 'delete' }] },
      2,
      '1/1 Terminating 0',
    ],
    ['gated', { schedulingGates: [{ name: 'g' }], containers: [main] }, {}, 1, '0/1 SchedulingGated 0'],
  ];

for (const [name, spec, scenario, atSeconds, shown] of rows) {
  test(`kubectl get: ${name}`, () => {
    const { pod } = simulate({
      manifest: { metadata: { name: 'p' }, spec },
      scenario,
      untilMs: atSeconds * 1000,
      policy: policyOf(),
    });
    const { ready, status, restarts } = columnsOf(pod);
    assert.equal(`${ready} ${status} ${restarts}`, shown);
  });
}
