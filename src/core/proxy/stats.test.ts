import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countActive, countQuery, type OwnListeners, parseStats } from './stats.ts';

const byAddress: OwnListeners = { ports: [15021, 15090], by: 'address' };
const byName: OwnListeners = { ...byAddress, by: 'name' };

const listeners: readonly (readonly [listener: string, byAddress: boolean, byName: boolean])[] = [
  ['0.0.0.0_15006', true, true],
  ['0.0.0.0_15001', true, true],
  ['[__]_15006', true, true],
  ['10.1.2.3_9043', true, true],
  ['0.0.0.0_15021', false, false],
  ['0.0.0.0_15090', false, false],
  ['[__]_15021', false, true],
  ['127.0.0.1_15090', false, true],
  ['[__1]_15090', false, true],
  // A gateway's service listens on 15021 at its own address: a client's connection to it is work.
  ['10.1.2.3_15021', true, true],
  ['[fd00__5]_15021', true, true],
  ['0.0.0.0_150210', true, true],
  ['admin', false, false],
  ['admin.main_thread', false, false],
  ['envoy_internal_connect_originate', false, false],
  ['0.0.0.0_15006.worker_3', false, false],
  ['my_worker_pool', true, false],
  ['named', true, true],
];
for (const [listener, address, name] of listeners) {
  test(`listener ${listener}: work by address ${address}, by name ${name}`, () => {
    const body = `listener.${listener}.downstream_cx_active: 7\n`;
    assert.deepEqual(countActive(body, 'connections', byAddress), {
      kind: 'active',
      count: address ? 7 : 0,
      skipped: [],
    });
    assert.deepEqual(countActive(body, 'connections', byName), { kind: 'active', count: name ? 7 : 0, skipped: [] });
  });
}

const bodies: readonly (readonly [what: string, body: string, connections: number, requests: number])[] = [
  [
    'an idle keep-alive connection',
    'http.inbound.downstream_cx_active: 1\nhttp.inbound.downstream_rq_active: 0\nlistener.0.0.0.0_15006.downstream_cx_active: 1',
    1,
    0,
  ],
  [
    'three streams of one HTTP/2 connection',
    'http.inbound.downstream_cx_active: 1\nhttp.inbound.downstream_rq_active: 3\nlistener.0.0.0.0_15006.downstream_cx_active: 1',
    1,
    3,
  ],
  [
    'a database connection beside it',
    'http.inbound.downstream_cx_active: 1\nhttp.inbound.downstream_rq_active: 0\nlistener.0.0.0.0_15001.downstream_cx_active: 1\nlistener.0.0.0.0_15006.downstream_cx_active: 1',
    2,
    1,
  ],
  [
    'a probe and a scrape',
    'http.admin.downstream_rq_active: 1\nhttp.agent.downstream_cx_active: 1\nhttp.agent.downstream_rq_active: 1\nhttp.stats.downstream_rq_active: 1\nlistener.0.0.0.0_15021.downstream_cx_active: 1',
    0,
    0,
  ],
  ['other counters only', 'cluster.x.upstream_cx_active: 5', 0, 0],
];
for (const [what, body, connections, requests] of bodies) {
  test(`active: ${what}`, () => {
    assert.deepEqual(countActive(body, 'connections', byAddress), { kind: 'active', count: connections, skipped: [] });
    assert.deepEqual(countActive(body, 'requests', byAddress), { kind: 'active', count: requests, skipped: [] });
  });
}

test('an empty answer is an absent counter', () => {
  for (const body of ['', '\n']) assert.deepEqual(countActive(body, 'connections', byAddress), { kind: 'absent' });
});

test('names may hold colons; lines that are no counter are given back', () => {
  const { values, skipped } = parseStats('a::b: 3\nc: "text"\nd\ne: 1.5\n: 4\nf: 12\r\n');
  assert.deepEqual(
    [...values],
    [
      ['a::b', 3],
      ['f', 12],
    ],
  );
  assert.deepEqual(skipped, ['c: "text"', 'd', 'e: 1.5', ': 4']);
});

test('the queries ask for used counters at the end of a name', () => {
  assert.equal(countQuery('connections'), '/stats?usedonly&filter=downstream_cx_active%24');
  assert.equal(decodeURIComponent(countQuery('requests')), '/stats?usedonly&filter=downstream_(cx|rq)_active$');
});
