import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encode } from '../../../core/wire/index.ts';
import type { Place, Question, Replied } from '../../../ports/messages.ts';
import { fakeHost } from '../fake-host.ts';
import { logTo } from '../log.ts';
import { type DnsOptions, placesOf, startDns } from './server.ts';

const resolvConf = 'nameserver 10.0.0.10\nnameserver 10.0.0.11\nsearch shop.svc.cluster.local\n';
const at = { host: '127.0.0.1', port: 15_053 };
const table = encode([1, encode([1, 'api.example.com'], [2, encode([1, '192.0.2.1'])])]);

/** A query for the address of a name. */
function queryBytes(name: string): Uint8Array {
  const labels = name.split('.').map((label) => [label.length, ...Buffer.from(label)]);
  return Uint8Array.from([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels.flat(), 0, 1, 0, 1]);
}

function codeIn(bytes: Uint8Array | undefined): number | undefined {
  return bytes === undefined ? undefined : (bytes[3] ?? 0) & 15;
}

/** A server's answer: the query with the response bit and an id that may be another's. */
function answered({ message }: Question, idBy = 0): Replied {
  const bytes = Uint8Array.from(message);
  bytes[1] = (bytes[1] ?? 0) + idBy;
  bytes[2] = (bytes[2] ?? 0) | 0x80;
  return { kind: 'answer', message: bytes };
}
const silent: Replied = { kind: 'failed', problem: 'silent' };

function started(
  files: Record<string, string>,
  options: Partial<DnsOptions> = {},
  ask?: (to: Place, question: Question) => Promise<Replied>,
) {
  const host = fakeHost({ files, ...(ask === undefined ? {} : { ask }) });
  const log = logTo(host, { json: false, least: 'debug' });
  const usual = {
    address: 'localhost:15053',
    namespace: 'shop',
    domain: 'shop.svc.cluster.local',
    forwardParallel: false,
    forwardTimeoutMs: 5000,
  };
  return { host, server: startDns({ host, log, ...usual, ...options }) };
}

async function codeOf(host: ReturnType<typeof fakeHost>, name: string): Promise<number | undefined> {
  const bytes = await host.messages.send('udp', at, queryBytes(name));
  return codeIn(bytes);
}

test('the table answers; before it, a server failure; a bad one changes nothing', async () => {
  const { host, server } = started({ '/etc/resolv.conf': resolvConf });
  const dns = await server;
  assert.deepEqual([dns.hasTable(), dns.tableJson(), await codeOf(host, 'api.example.com.')], [false, undefined, 2]);
  assert.equal(dns.onNameTable(Uint8Array.from([10, 9])), 'not a table of names');
  assert.equal(dns.hasTable(), false);
  assert.equal(dns.onNameTable(table), undefined);
  assert.deepEqual([dns.hasTable(), await codeOf(host, 'api.example.com.')], [true, 0]);
  assert.match(dns.tableJson() ?? '', /"api\.example\.com"/);
  assert.partialDeepStrictEqual(dns.counts(), { requests: 2, forwarded: 0, failures: 0 });
  dns.close();
  assert.equal(await codeOf(host, 'api.example.com.'), undefined);
});

test('an unknown name is asked of one server after the other, as it came; nobody answers: a server failure', async () => {
  const asked: string[] = [];
  const { host, server } = started({ '/etc/resolv.conf': resolvConf }, {}, (to, question) => {
    asked.push(to.host);
    assert.deepEqual(question.message, queryBytes('Example.org.'));
    return Promise.resolve(asked.length === 2 ? answered(question) : silent);
  });
  const dns = await server;
  dns.onNameTable(table);
  assert.equal(await codeOf(host, 'Example.org.'), 0);
  assert.deepEqual(asked.toSorted(), ['10.0.0.10', '10.0.0.11']);
  asked.push('more');
  assert.equal(await codeOf(host, 'Example.org.'), 2);
  assert.partialDeepStrictEqual(dns.counts(), { requests: 2, forwarded: 2, failures: 1 });
  assert.deepEqual(dns.counts().within.at(-1), [Number.POSITIVE_INFINITY, 2]);
});

test('in parallel the first good answer counts', async () => {
  const last = Promise.withResolvers<Replied>();
  const { host, server } = started({ '/etc/resolv.conf': resolvConf }, { forwardParallel: true }, (to, question) =>
    to.host === '10.0.0.10' ? last.promise : Promise.resolve(answered(question)),
  );
  (await server).onNameTable(table);
  assert.equal(await codeOf(host, 'example.org.'), 0);
  last.resolve(silent);
});

test('a server is told which messages answer it', async () => {
  const { host, server } = started({ '/etc/resolv.conf': resolvConf }, {}, (_, question) => {
    const good = answered(question);
    const other = answered(question, 1);
    const judged = [good, other].map((each) => each.kind === 'answer' && question.isAnswer(each.message));
    assert.deepEqual(judged, [true, false]);
    return Promise.resolve(good);
  });
  (await server).onNameTable(table);
  assert.equal(await codeOf(host, 'example.org.'), 0);
});

test('a flood of unknown names: a thousand wait, the rest is refused', async () => {
  const hold = Promise.withResolvers<Replied>();
  const { host, server } = started({ '/etc/resolv.conf': resolvConf }, { forwardParallel: true }, () => hold.promise);
  const dns = await server;
  dns.onNameTable(table);
  const all = Array.from({ length: 1001 }, () => codeOf(host, 'example.org.'));
  assert.equal(await all.at(-1), 2);
  hold.resolve(silent);
  await Promise.all(all);
  assert.equal(dns.counts().failures, 1001);
});

test('as the only resolver of a machine it forwards before the first table, by the resolv.conf of before', async () => {
  const asked: string[] = [];
  const files = {
    '/etc/resolv.conf': 'nameserver 127.0.0.1\n',
    '/var/lib/istio/resolv.conf': 'nameserver 192.0.2.53\n',
  };
  const { host, server } = started(files, { address: '127.0.0.1:53' }, (to, question) => {
    asked.push(to.host);
    return Promise.resolve(answered(question));
  });
  await server;
  const bytes = await host.messages.send('tcp', { host: '127.0.0.1', port: 53 }, queryBytes('a.'));
  assert.deepEqual([codeIn(bytes), asked], [0, ['192.0.2.53']]);
});

test('without resolv.conf, or with an address that is none, it does not start', async () => {
  await assert.rejects(started({}).server, /cannot read \/etc\/resolv\.conf/);
  await assert.rejects(
    started({ '/etc/resolv.conf': '' }, { address: 'localhost' }).server,
    /localhost is not HOST:PORT/,
  );
});

for (const [address, servers, expected] of [
  ['localhost:15053', ['10.0.0.1'], ['127.0.0.1 15053']],
  ['localhost:15053', ['fd00::1'], ['::1 15053']],
  ['localhost:15053', ['fd00::1', '10.0.0.1'], ['127.0.0.1 15053', '::1 15053']],
  ['localhost:15053', [], ['127.0.0.1 15053']],
  ['[::1]:53', [], ['::1 53']],
  ['127.0.0.53:53', ['fd00::1'], ['127.0.0.53 53']],
] as const) {
  test(`${address} with servers ${servers}: ${expected}`, () => {
    assert.deepEqual(
      placesOf(address, servers).map(({ host, port }) => `${host} ${port}`),
      expected,
    );
  });
}
