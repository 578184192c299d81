import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Facts, judgeReadiness, type Latches, noLatches, type StatsAnswer, type Verdict } from './readiness.ts';

const body = (text: string): StatsAnswer => ({ kind: 'body', text });
const configured = body('cluster_manager.cds.update_success: 1\nlistener_manager.lds.update_success: 2\n');
const live = body('listener_manager.workers_started: 1\nserver.state: 0\n');
const good: Facts = { terminating: false, config: configured, live, grpcBootstrap: undefined, dnsTable: 'not-needed' };
const all: Latches = { configured: true, live: true };

const rows: readonly (readonly [
  what: string,
  before: Latches,
  facts: Partial<Facts>,
  because: RegExp | 'ready',
  after: Latches,
])[] = [
  ['all is well', noLatches, {}, 'ready', all],
  ['nothing asked', noLatches, { config: undefined }, /not looked at/, noLatches],
  ['no answer', noLatches, { config: { kind: 'failed', problem: 'refused' } }, /refused/, noLatches],
  [
    'clusters only',
    noLatches,
    { config: body('cluster_manager.cds.update_success: 1') },
    /clusters 1 accepted.*listeners 0 accepted/,
    noLatches,
  ],
  [
    'listeners rejected',
    noLatches,
    { config: body('cluster_manager.cds.update_success: 1\nlistener_manager.lds.update_rejected: 3') },
    /listeners 0 accepted and 3 rejected/,
    noLatches,
  ],
  ['rejected later: still configured', { configured: true, live: false }, { config: undefined }, 'ready', all],
  ['asked to end', noLatches, { terminating: true }, /being ended/, { configured: true, live: false }],
  ['asked to end after all', all, { terminating: true }, /being ended/, all],
  [
    'still initialising',
    noLatches,
    { live: body('listener_manager.workers_started: 0\nserver.state: 3') },
    /initialising/,
    { configured: true, live: false },
  ],
  [
    'draining before it ever was live',
    noLatches,
    { live: body('listener_manager.workers_started: 1\nserver.state: 1') },
    /draining/,
    { configured: true, live: false },
  ],
  [
    'an unknown state',
    noLatches,
    { live: body('server.state: 9') },
    /unknown state 9/,
    { configured: true, live: false },
  ],
  [
    'workers not started',
    noLatches,
    { live: body('server.state: 0\nlistener_manager.workers_started: 0') },
    /workers/,
    { configured: true, live: false },
  ],
  ['no state told', noLatches, { live: body('') }, /does not tell/, { configured: true, live: false }],
  ['draining later: still live', all, { live: undefined }, 'ready', all],
  ['gRPC bootstrap broken', all, { grpcBootstrap: 'no such file' }, /no such file/, all],
  ['DNS table missing', all, { dnsTable: 'missing' }, /DNS/, all],
  ['DNS table received', all, { dnsTable: 'received' }, 'ready', all],
];
for (const [what, before, facts, because, after] of rows) {
  test(`readiness: ${what}`, () => {
    const [verdict, latches] = judgeReadiness(before, { ...good, ...facts });
    assert.deepEqual(latches, after);
    if (because === 'ready') assert.deepEqual(verdict, { ready: true } satisfies Verdict);
    else assert.match(verdict.ready ? 'ready' : verdict.because, because);
  });
}
