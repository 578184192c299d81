import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spec, statuses, view } from './notation.ts';
import { type PodStatusInput, podStatus } from './pod-status.ts';
import { policyOf } from './policy.ts';
import type { PodPhase, PodStatus } from './status.ts';

const disruption = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' } as const;

interface Row {
  readonly id: string;
  readonly what: string;
  readonly sandbox: 'none' | '0';
  readonly records?: string;
  readonly cached: Partial<PodStatus> & { readonly shown: string };
  readonly apiPhase?: PodPhase;
  readonly deleted?: boolean;
  readonly terminal?: boolean;
  /** phase, reason, then conditions that matter, then `containers` in short. */
  readonly expect: readonly string[];
}

const rows: readonly Row[] = [
  {
    id: 'PS1',
    what: 'deleted, ended, records gone',
    sandbox: '0',
    cached: { shown: 'a R, b R', phase: 'Running', conditions: [disruption] },
    deleted: true,
    terminal: true,
    expect: [
      'Failed',
      'DisruptionTarget=True',
      'Ready=False PodFailed',
      'ContainersReady=False PodFailed',
      'a W+137×0',
      'b W+137×0',
    ],
  },
  {
    id: 'PS2',
    what: 'deleted, not ended, records gone',
    sandbox: '0',
    cached: { shown: 'a R, b R', phase: 'Running' },
    deleted: true,
    expect: ['Running', 'a W+137×0'],
  },
  {
    id: 'PS4',
    what: 'the API says Succeeded',
    sandbox: 'none',
    cached: { shown: 'a R, b R', phase: 'Running' },
    apiPhase: 'Succeeded',
    expect: [
      'Succeeded',
      'Initialized=True PodCompleted',
      'Ready=False PodCompleted',
      'ContainersReady=False PodCompleted',
      'PodReadyToStartContainers=False PodSandboxNotReady',
    ],
  },
  {
    id: 'PS5',
    what: 'the cached status says Succeeded',
    sandbox: 'none',
    cached: { shown: 'a R, b R', phase: 'Succeeded', reason: 'Test', message: 'kept' },
    apiPhase: 'Running',
    expect: ['Succeeded', 'reason Test', 'message kept'],
  },
  {
    id: 'PS7',
    what: 'nothing has run, the API says Running',
    sandbox: '0',
    cached: { shown: 'a W, b W', phase: 'Pending' },
    apiPhase: 'Running',
    expect: ['Pending'],
  },
  {
    id: 'PS8',
    what: 'the phase is what the cache has',
    sandbox: '0',
    records: 'b R',
    cached: { shown: 'a W', phase: 'Pending', reason: 'Test', message: 'kept' },
    apiPhase: 'Running',
    expect: ['Pending', 'reason Test', 'message kept'],
  },
];

for (const row of rows) {
  test(`${row.id}: ${row.what}: ${row.expect.join(', ')}`, () => {
    const got = shown(podStatus(inputOf(row)));
    for (const fact of row.expect) assert.ok(got.includes(fact), `${fact} is not in ${got.join(', ')}`);
  });
}

function inputOf(row: Row): PodStatusInput {
  const { shown: notation, ...cached } = row.cached;
  const status = { conditions: [], phase: 'Running' as const, ...cached, containerStatuses: statuses(notation) };
  const metadata = { name: 'p', generation: 1, ...(row.deleted ? { deletionTimestamp: 30_000 } : {}) };
  return {
    policy: policyOf(),
    api: { metadata, spec: spec('a b'), status: { phase: row.apiPhase ?? 'Running', conditions: [] } },
    cached: status,
    view: view(row.sandbox, row.records ?? ''),
    startErrors: {},
    verdictsOf: () => ({ startup: undefined, readiness: undefined, kept: undefined }),
    terminal: row.terminal ?? false,
    isStatic: false,
    forced: undefined,
    extra: [],
    resize: [],
    nowMs: 0,
  };
}

function shown(status: PodStatus): readonly string[] {
  return [
    status.phase,
    `reason ${status.reason}`,
    `message ${status.message}`,
    ...status.conditions.map(({ type, status: value, reason }) => `${type}=${value}${reason ? ` ${reason}` : ''}`),
    ...(status.containerStatuses ?? []).map(
      ({ name, lastState, restartCount }) => `${name} W+${lastState?.terminated?.exitCode}×${restartCount}`,
    ),
  ].map((fact) => fact.replace('DisruptionTarget=True EvictionByEvictionAPI', 'DisruptionTarget=True'));
}

test('conditions come in the order in which the API shows them', () => {
  const status = podStatus(inputOf(rows[4]!));
  assert.deepEqual(
    status.conditions.map(({ type }) => type),
    ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'],
  );
});
