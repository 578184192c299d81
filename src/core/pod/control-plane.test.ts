import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deletionVerdict } from './deletion.ts';
import { type EndpointOptions, endpointConditions, usableEndpoints } from './endpoint.ts';
import { criticalPriority, type ShutdownGroup, shutdownGrace, shutdownGroups, shutdownSteps } from './node-shutdown.ts';
import { type GcNode, gcQuarantineMs, podGcVerdicts } from './pod-gc.ts';
import type { Pod, PodPhase, PodStatus } from './status.ts';
import { sharedMessages, terminationMessage } from './termination-message.ts';

const pod = (name: string, more: Partial<PodStatus> = {}, metadata: Partial<Pod['metadata']> = {}): Pod => ({
  metadata: { name, ...metadata },
  spec: { containers: [], nodeName: 'n' },
  status: { phase: 'Running', conditions: [], podIP: '10.0.0.9', ...more },
});
const isReady = { conditions: [{ type: 'Ready', status: 'True' as const }] };
const terminating = { deletionTimestamp: 30_000 };

const endpoints: readonly (readonly [id: string, pod: Pod, options: EndpointOptions, result: string])[] = [
  ['CP-E/E1', pod('a', isReady), {}, 'T/T/F'],
  ['CP-E/E2', pod('a', isReady), { publishNotReadyAddresses: true }, 'T/T/F'],
  ['CP-E/E4', pod('a'), { publishNotReadyAddresses: true }, 'T/F/F'],
  ['CP-E/E5', pod('a', isReady, terminating), {}, 'F/T/T'],
  ['CP-E/E7', pod('a', { phase: 'Failed' }), {}, 'excluded'],
  ['CP-E/E8', pod('a', { phase: 'Succeeded' }), {}, 'excluded'],
  ['CP-E/E9', pod('a', { phase: 'Succeeded', ...isReady }), {}, 'excluded'],
  ['CP-E/E10', pod('a', { phase: 'Failed', ...isReady }), {}, 'excluded'],
  ['CP-E/E12', pod('a', isReady, terminating), { includeTerminating: false }, 'excluded'],
  ['CP-E/E12', pod('a', isReady, terminating), { includeTerminating: true }, 'F/T/T'],
  ['CP-E/E13', pod('a', { phase: 'Pending' }), {}, 'F/F/F'],
  ['CP-E/E14', pod('a', { phase: 'Unknown' }), {}, 'F/F/F'],
  ['CP-E/E15', pod('a'), {}, 'F/F/F'],
  ['CP-E/E16', pod('a', { ...isReady, podIP: 'fd00::9' }), {}, 'T/T/F'],
  ['CP-E', pod('a', { podIP: undefined }), {}, 'excluded'],
];

for (const [id, each, options, result] of endpoints) {
  test(`${id}: ${each.status.phase}, ${JSON.stringify(options)}: ${result}`, () => {
    const got = endpointConditions(each, options);
    const letters = got && [got.ready, got.serving, got.terminating].map((is) => (is ? 'T' : 'F')).join('/');
    assert.equal(letters ?? 'excluded', result);
  });
}

test('terminating endpoints that still serve are used only where no endpoint is ready', () => {
  const up = { ready: true, serving: true, terminating: false };
  const going = { ready: false, serving: true, terminating: true };
  const down = { ready: false, serving: false, terminating: true };
  assert.deepEqual(usableEndpoints([up, going, down]), [up]);
  assert.deepEqual(usableEndpoints([going, down]), [going]);
});

/** Pods a, b, c from the oldest; F, S, R and FE, Failed by eviction. */
const thresholds: readonly (readonly [id: string, phases: string, threshold: number, deleted: string])[] = [
  ['CP-G/G1', 'F S F', 1, 'a b'],
  ['CP-G/G2', 'F S', 0, ''],
  ['CP-G/G4', 'F S', 1, 'a'],
  ['CP-G/G5', 'F S', 5, ''],
  ['CP-G/G6', 'F S FE', 1, 'c a'],
  ['CP-G/G7', 'R S FE', 1, 'c'],
];
const phaseOf: Readonly<Record<string, PodPhase>> = { F: 'Failed', S: 'Succeeded', R: 'Running' };
const collect = (
  pods: readonly Pod[],
  nodes: ReadonlyMap<string, GcNode>,
  threshold = 0,
  missing = new Map<string, number>(),
) => podGcVerdicts({ pods, nodes, missingSinceMs: missing, threshold, nowMs: 100_000 });
const good: GcNode = { ready: true, outOfService: false };

for (const [id, phases, threshold, deleted] of thresholds) {
  test(`${id}: ${phases} with threshold ${threshold}: ${deleted === '' ? 'none' : deleted}`, () => {
    const pods = phases.split(' ').map((letters, index) => {
      const status = { phase: phaseOf[letters[0]!]!, reason: letters.endsWith('E') ? 'Evicted' : undefined };
      return pod('abc'[index]!, status, { creationTimestamp: index * 1000 });
    });
    const names = collect(pods, new Map([['n', good]]), threshold).map((each) => each.pod.metadata.name);
    assert.equal(names.join(' '), deleted);
  });
}

test('CP-G/G9: a pod that is deleted before it has a node is removed', () => {
  const unbound: Pod = { ...pod('a', {}, terminating), spec: { containers: [] } };
  assert.deepEqual(
    collect([unbound], new Map()).map(({ because }) => because),
    ['unscheduled'],
  );
});

const nodes: readonly (readonly [what: string, node: GcNode, removed: boolean])[] = [
  ['not ready and out of service', { ready: false, outOfService: true }, true],
  ['ready', { ready: true, outOfService: true }, false],
  ['not ready without the taint', { ready: false, outOfService: false }, false],
];

for (const [what, node, removed] of nodes) {
  test(`CP-G/G10: a terminating pod on a node that is ${what}: ${removed ? 'removed' : 'stays'}`, () => {
    assert.equal(collect([pod('a', {}, terminating)], new Map([['n', node]])).length > 0, removed);
  });
}

test('a pod of a node that is gone is an orphan after 40 s, with DisruptionTarget', () => {
  const missing = (since: number) => new Map([['n', since]]);
  assert.deepEqual(collect([pod('a')], new Map(), 0, missing(100_000 - gcQuarantineMs + 1)), []);
  const [verdict] = collect([pod('a')], new Map(), 0, missing(100_000 - gcQuarantineMs));
  assert.deepEqual([verdict?.because, verdict?.disruptionTarget], ['orphan', true]);
});

const settings: readonly (readonly [id: string, total: number, critical: number, groups: string])[] = [
  ['CP-S/S1', 300, 120, '0:180 2000000000:120'],
  ['CP-S/S2', 100, 0, '0:100 2000000000:0'],
  ['CP-S/S3', 0, 0, ''],
  ['CP-S/S4', 1, 100, ''],
];

for (const [id, total, critical, groups] of settings) {
  test(`${id}: ${total} s, ${critical} s of them critical: ${groups === '' ? 'no groups' : groups}`, () => {
    const got = shutdownGroups(total, critical).map(({ priority, seconds }) => `${priority}:${seconds}`);
    assert.equal(got.join(' '), groups);
  });
}

const priority = (value: number): Pod => ({ ...pod(`p${value}`), spec: { containers: [], priority: value } });
const steps = (groups: readonly ShutdownGroup[], priorities: readonly number[]) =>
  shutdownSteps(groups, priorities.map(priority)).map(({ group, pods }) =>
    `${group.seconds}: ${pods.map(({ spec }) => spec.priority).join(' ')}`.trim(),
  );

test('CP-S/S5: with the older settings everybody below critical is together', () => {
  assert.deepEqual(steps(shutdownGroups(300, 120), [0, 1e9, criticalPriority]), [
    '180: 0 1000000000',
    '120: 2000000000',
  ]);
});

test('CP-S/S6: a pod is in the highest group not above it, below all of them in the lowest', () => {
  const groups = [1, 2, 3, 4].map((value) => ({ priority: value, seconds: value * 10 }));
  assert.deepEqual(steps(groups, [0, 1, 2, 3, 4, 5]), ['10: 0 1', '20: 2', '30: 3', '40: 4 5']);
});

test('a pod has its own grace in a shutdown, or what its group has', () => {
  const withGrace = (seconds: number): Pod => ({
    ...pod('a'),
    spec: { containers: [], terminationGracePeriodSeconds: seconds },
  });
  assert.equal(shutdownGrace(withGrace(5), { priority: 0, seconds: 20 }), 5);
  assert.equal(shutdownGrace(withGrace(50), { priority: 0, seconds: 20 }), 20);
});

const file = 'File' as const;
const fallback = 'FallbackToLogsOnError' as const;
const messages: readonly (readonly [
  id: string,
  what: string,
  policy: typeof file | typeof fallback,
  exitCode: number,
  content: string | undefined,
  log: string,
  message: string,
])[] = [
  ['EE4', 'the file is the message', file, 0, 'DONE', 'log', 'DONE'],
  ['EE5', 'at whatever path the container names', file, 0, 'DONE', '', 'DONE'],
  ['EE6', 'a failure without a file shows the log', fallback, 1, '', 'end of the log', 'end of the log'],
  ['EE7', 'a success without a file shows nothing', fallback, 0, '', 'end of the log', ''],
  ['EE8', 'a file comes before the log', fallback, 1, 'OK', 'end of the log', 'OK'],
];

for (const [id, what, policy, exitCode, content, log, message] of messages) {
  test(`${id}: termination message: ${what}`, () => {
    const container = { name: 'a', terminationMessagePolicy: policy, terminationMessagePath: '/own/path' };
    assert.equal(terminationMessage(container, { exitCode, file: content, log }), message);
  });
}

test('a message has at most 4096 bytes of the file, or 80 lines and 2048 bytes of the log', () => {
  const failed = (content: string, log: string) =>
    terminationMessage({ name: 'a', terminationMessagePolicy: fallback }, { exitCode: 1, file: content, log });
  assert.equal(failed('é'.repeat(5000), '').length, 2048);
  assert.equal(failed('', 'x\n'.repeat(200)), 'x\n'.repeat(80));
  assert.equal(failed('', 'y'.repeat(5000)).length, 2048);
});

test('SM-X/X8: the messages of a pod share 12 KiB', () => {
  const shared = sharedMessages(['a'.repeat(9000), 'b', 'c'.repeat(9000)]);
  assert.deepEqual(
    shared.map(({ length }) => length),
    [4096, 1, 4096],
  );
});

const object = (
  metadata: Partial<Pod['metadata']> = {},
  grace = 30,
  phase: PodPhase = 'Running',
  nodeName: string | undefined = 'n',
): Pod => ({
  metadata: { name: 'a', ...metadata },
  spec: { containers: [], terminationGracePeriodSeconds: grace, nodeName },
  status: { phase, conditions: [] },
});
const deleting = (grace: number) => ({ deletionTimestamp: grace * 1000, deletionGracePeriodSeconds: grace });
const deletions: readonly (readonly [
  what: string,
  pod: Pod,
  requested: number | undefined,
  nowS: number,
  verdict: string,
])[] = [
  ['the pod has its own grace', object({}, 12), undefined, 0, 'mark 12 until 12'],
  ['the request wins', object(), 5, 0, 'mark 5 until 5'],
  ['zero removes at once', object(), 0, 0, 'remove'],
  ['zero in the spec removes at once', object({}, 0), undefined, 0, 'remove'],
  ['a negative grace is 1', object(), -1, 0, 'mark 1 until 1'],
  ['without a node it goes at once', { ...object(), spec: { containers: [] } }, 30, 0, 'remove'],
  ['a terminal pod goes at once', object({}, 30, 'Failed'), 30, 0, 'remove'],
  ['a second one may shorten', object(deleting(30)), 10, 5, 'mark 10 until 10'],
  ['not into the past', object(deleting(30)), 3, 5, 'mark 1 until 5'],
  ['never lengthen', object(deleting(10)), 60, 3, 'ignore'],
  ['nor repeat', object(deleting(30)), 30, 3, 'ignore'],
  ['nor change without a value', object(deleting(5)), undefined, 3, 'ignore'],
  ['but force', object(deleting(30)), 0, 5, 'remove'],
];

for (const [what, each, requested, nowS, verdict] of deletions) {
  test(`deletion: ${what}: ${verdict}`, () => {
    const got = deletionVerdict(each, requested, nowS * 1000);
    const text = got.kind === 'mark' ? `mark ${got.graceSeconds} until ${got.deletionTimestamp / 1000}` : got.kind;
    assert.equal(text, verdict);
  });
}
