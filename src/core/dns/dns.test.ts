import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prng } from '../std/prng.ts';
import { encode } from '../wire/index.ts';
import { addressBytes } from './address.ts';
import {
  answer,
  cutReply,
  isAnswerTo,
  lookupTable,
  type NamedHost,
  nameTableJson,
  parseResolvConf,
  placeOf,
  type Query,
  readNameTable,
  readQuery,
} from './index.ts';
import { readName } from './name.ts';
import { queryBytes, readMessageText, types } from './plain-message.ts';
import { writeReply } from './reply.ts';

const service = (name: string, namespace: string, ...addresses: string[]): [string, NamedHost] => [
  `${name}.${namespace}.svc.cluster.local`,
  { addresses, registry: 'Kubernetes', shortName: name, namespace, otherNames: [] },
];
const external = (host: string, ...addresses: string[]): [string, NamedHost] => [
  host,
  { addresses, registry: 'External', shortName: '', namespace: '', otherNames: [] },
];
const names = new Map<string, NamedHost>([
  service('reviews', 'shop', '10.0.0.1'),
  service('ratings', 'other', '10.0.0.2', 'fd00::2'),
  service('db-0.db', 'shop', '10.1.0.1'),
  service('gone', 'shop'),
  [
    'remote.shop.svc.cluster.west',
    { addresses: ['10.0.0.9'], registry: 'Kubernetes', shortName: 'remote', namespace: 'shop', otherNames: [] },
  ],
  external('api.example.com', '192.0.2.1'),
  external('Upper.Example.com', '192.0.2.2'),
  external('*.wild.example.com', '192.0.2.3'),
  external('ratings.other', '192.0.2.66'),
  external('six.example.com', 'fd00::6'),
  external('bad.example.com', 'not-an-address'),
  external('dotted.example.com.', '192.0.2.4'),
  external(`${'long.'.repeat(60)}example.com`, '192.0.2.5'),
]);
const place = placeOf('shop', 'shop.svc.cluster.local', ['shop.svc.cluster.local', 'svc.cluster.local']);
const table = lookupTable(names, place);
const state = { table, beforeTable: 'refuse', prng: prng(1) } as const;

function asQuery(bytes: Uint8Array): Query {
  const received = readQuery(bytes);
  assert.ok(received.kind === 'query');
  return received;
}

function asked(name: string, type = 'A', bytesAtMost = 512): string | readonly string[] {
  const decision = answer(state, asQuery(queryBytes({ name, type: types[type] ?? 0 })), bytesAtMost);
  if (decision.kind === 'forward') return 'forward';
  const message = readMessageText(decision.bytes);
  assert.deepEqual([message?.code, message?.flags], [0, ['AA', 'RD']]);
  assert.equal(message?.question, `${name} ${types[type]}`);
  return message.answers;
}

const searched = 'shop.svc.cluster.local.';
for (const [name, type, expected] of [
  ['reviews.', 'A', ['reviews. 30 A 10.0.0.1']],
  ['reviews.shop.', 'A', ['reviews.shop. 30 A 10.0.0.1']],
  ['reviews.shop.svc.', 'A', ['reviews.shop.svc. 30 A 10.0.0.1']],
  ['reviews.shop.svc.cluster.local.', 'A', ['reviews.shop.svc.cluster.local. 30 A 10.0.0.1']],
  ['REVIEWS.shop.SVC.', 'A', ['reviews.shop.svc. 30 A 10.0.0.1']],
  ['reviews.', 'AAAA', []],
  ['reviews.', 'SRV', 'forward'],
  ['reviews.shop.svc.cluster.', 'A', 'forward'],
  ['ratings.', 'A', 'forward'],
  ['ratings.other.svc.', 'AAAA', ['ratings.other.svc. 30 AAAA fd000000000000000000000000000002']],
  ['ratings.other.', 'A', ['ratings.other. 30 A 192.0.2.66']],
  ['db-0.db.shop.svc.cluster.local.', 'A', ['db-0.db.shop.svc.cluster.local. 30 A 10.1.0.1']],
  ['db-0.db.', 'A', ['db-0.db. 30 A 10.1.0.1']],
  ['gone.', 'A', 'forward'],
  ['remote.', 'A', 'forward'],
  ['remote.shop.svc.cluster.west.', 'A', ['remote.shop.svc.cluster.west. 30 A 10.0.0.9']],
  ['api.example.com.', 'A', ['api.example.com. 30 A 192.0.2.1']],
  [
    `api.example.com.${searched}`,
    'A',
    [`api.example.com.${searched} 30 CNAME api.example.com.`, 'api.example.com. 30 A 192.0.2.1'],
  ],
  [`api.example.com.${searched}`, 'AAAA', []],
  ['api.example.com.svc.cluster.local.', 'A', 'forward'],
  [
    `ratings.other.svc.${searched}`,
    'A',
    [`ratings.other.svc.${searched} 30 CNAME ratings.other.svc.`, 'ratings.other.svc. 30 A 10.0.0.2'],
  ],
  [`reviews.shop.svc.cluster.local.${searched}`, 'A', 'forward'],
  ['upper.example.com.', 'A', ['upper.example.com. 30 A 192.0.2.2']],
  ['a.b.wild.example.com.', 'A', ['a.b.wild.example.com. 30 A 192.0.2.3']],
  ['wild.example.com.', 'A', 'forward'],
  [
    `a.wild.example.com.${searched}`,
    'A',
    [`a.wild.example.com.${searched} 30 CNAME *.wild.example.com.`, '*.wild.example.com. 30 A 192.0.2.3'],
  ],
  ['six.example.com.', 'A', []],
  ['bad.example.com.', 'A', 'forward'],
  ['dotted.example.com.', 'A', ['dotted.example.com. 30 A 192.0.2.4']],
  ['a\\.b.wild.example.com.', 'A', ['a\\.b.wild.example.com. 30 A 192.0.2.3']],
  ['.', 'A', 'forward'],
] as const) {
  test(`${name} ${type}`, () => assert.deepEqual(asked(name, type), expected));
}

test('before the first table: a server failure in a pod, forwarded where nobody else resolves', () => {
  const query = asQuery(queryBytes({ name: 'a.' }));
  const refused = answer({ ...state, table: undefined }, query, 512);
  assert.equal(refused.kind === 'reply' && readMessageText(refused.bytes)?.code, 2);
  assert.equal(answer({ ...state, table: undefined, beforeTable: 'forward' }, query, 512).kind, 'forward');
});

const ofHeader = (flags: number, ...counts: number[]): Uint8Array =>
  Uint8Array.from([7, flags, ...counts].flatMap((value) => [value >> 8, value & 255]));
const named = queryBytes({ name: 'a.' }).slice(12);
for (const [what, bytes, expected] of [
  ['too short', new Uint8Array(11), 'ignored'],
  ['an answer', ofHeader(0x8000, 1, 0, 0, 0), 'ignored'],
  ['an update', ofHeader(0x2900, 1, 0, 0, 0), '4 RD '],
  ['two questions', ofHeader(0x0100, 2, 0, 0, 0), '1 RD '],
  ['no question', ofHeader(0x0100, 0, 0, 0, 0), '1 RD '],
  ['a promised question', ofHeader(0x0100, 1, 0, 0, 0), 'query'],
  ['two answers', ofHeader(0x0100, 1, 2, 0, 0), '1 RD '],
  ['two authorities', ofHeader(0x0100, 1, 0, 2, 0), '1 RD '],
  ['three more', ofHeader(0x0100, 1, 0, 0, 3), '1 RD '],
  ['a cut question', Uint8Array.from([...ofHeader(0x0530, 1, 0, 0, 0), 3, 97]), '1 RD,AD,CD '],
  ['a cut record', Uint8Array.from([...ofHeader(0x0100, 1, 0, 0, 1), ...named, 0, 0, 41]), '1 RD a. 1'],
  ['a notify', Uint8Array.from([...ofHeader(0x2100, 1, 0, 0, 0), ...named]), 'query'],
] as const) {
  test(`received: ${what}`, () => {
    const received = readQuery(bytes);
    const message = received.kind === 'refused' ? readMessageText(received.reply) : undefined;
    assert.equal(
      message === undefined ? received.kind : `${message.code} ${message.flags.join(',')} ${message.question}`,
      expected,
    );
  });
}

test('a header alone is refused', () => {
  const decision = answer(state, asQuery(ofHeader(0x0100, 1, 0, 0, 0)), 512);
  assert.equal(decision.kind === 'reply' && readMessageText(decision.bytes)?.code, 5);
});

for (const [room, expected] of [
  [undefined, 512],
  [100, 512],
  [4096, 4096],
] as const) {
  test(`an OPT of ${room} allows ${expected} bytes`, () => {
    const query = queryBytes({ name: 'a.', ...(room === undefined ? {} : { room }) });
    assert.equal(asQuery(query).udpBytes, expected);
  });
}

const many = lookupTable(
  new Map([external('many.example.com', ...Array.from({ length: 100 }, (_, i) => `10.9.0.${i}`))]),
  place,
);
test('more addresses than there is room for: as many as fit, marked as cut, in another order each time', () => {
  const query = asQuery(queryBytes({ name: 'many.example.com.' }));
  const answers = [512, 65_535].map((room) => {
    const decision = answer({ ...state, table: many }, query, room);
    return decision.kind === 'reply' ? decision.bytes : new Uint8Array();
  });
  const [cut, whole] = answers.map(readMessageText);
  assert.ok((answers[0]?.length ?? 0) <= 512);
  assert.deepEqual(
    [cut?.flags, whole?.flags],
    [
      ['AA', 'TC', 'RD'],
      ['AA', 'RD'],
    ],
  );
  assert.deepEqual([cut?.answers.length, whole?.answers.length, new Set(whole?.answers).size], [29, 100, 100]);
  assert.notDeepEqual(whole?.answers.slice(0, 29), cut?.answers);
});

/** A server's answer of so many addresses, with its OPT at the end. */
function foreign(count: number): Uint8Array {
  const query = asQuery(queryBytes({ name: 'x.', id: 9 }));
  const records = Array.from({ length: count }, (_, i) => ({
    kind: 'address' as const,
    owner: 'x.',
    ttlSeconds: 5,
    bytes: Uint8Array.from([10, 0, 0, i]),
  }));
  const bytes = writeReply({ query, code: 0, authoritative: false, records, bytesAtMost: 65_535 });
  const opt = [0, 0, 41, 16, 0, 0, 0, 0, 0, 0, 0];
  return Uint8Array.from([...bytes.slice(0, 11), 1, ...bytes.slice(12), ...opt]);
}

test("a server's answer passes as it came where there is room, and is cut after whole records, OPT kept, where not", () => {
  const bytes = foreign(60);
  assert.equal(cutReply(bytes, bytes.length), bytes);
  const cut = cutReply(bytes, 512);
  const message = readMessageText(cut);
  assert.ok(cut.length <= 512);
  assert.deepEqual([message?.answers.length, message?.flags, message?.extras], [30, ['TC', 'RD'], [41]]);
  const lying = Uint8Array.from([...bytes.slice(0, 7), 99, ...bytes.slice(8)]);
  assert.deepEqual([...cutReply(lying, 512)], [0, 9, 131, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
});

test('an answer belongs to its query by id and question; a server may leave the question out', () => {
  const query = asQuery(queryBytes({ name: 'X.', id: 9 }));
  const bytes = foreign(1);
  const other = queryBytes({ name: 'y.', id: 9, flags: 0x8180 });
  const rows = [
    bytes,
    Uint8Array.from([0, 8, ...bytes.slice(2)]),
    queryBytes({ name: 'x.', id: 9 }),
    other,
    bytes.slice(0, 5),
    ofHeader(0x8005, 0, 0, 0, 0),
  ];
  assert.deepEqual(
    rows.map((row) => isAnswerTo(query, row)),
    [true, false, false, false, false, false],
  );
  assert.ok(isAnswerTo({ ...query, id: 7 }, ofHeader(0x8005, 0, 0, 0, 0)));
});

for (const [bytes, expected] of [
  [[1, 97, 0], 'a.'],
  [[0], '.'],
  [[3, 97, 46, 92, 0], 'a\\.\\\\.'],
  [[0xc0, 0], undefined],
  [[1, 97, 0xc0, 0], undefined],
  [[0x40, 0], undefined],
  [[2, 97], undefined],
  [[1, 97], undefined],
  [[0xc0], undefined],
  [[...Array.from({ length: 128 }, () => [1, 97]).flat(), 0], undefined],
] as const) {
  test(`a name: ${String(bytes).slice(0, 20)}`, () => {
    assert.equal(readName(Uint8Array.from(bytes), 0)?.name, expected);
  });
}

for (const [text, expected] of [
  ['10.0.0.1', '10,0,0,1'],
  ['10.0.0.01', undefined],
  ['10.0.0.256', undefined],
  ['10.0.0', undefined],
  ['', undefined],
  ['::', '0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0'],
  ['fe80::1%eth0', '254,128,0,0,0,0,0,0,0,0,0,0,0,0,0,1'],
  ['fe80::1%', undefined],
  ['::ffff:1.2.3.4', '0,0,0,0,0,0,0,0,0,0,255,255,1,2,3,4'],
  ['1.2.3.4::', undefined],
  ['1:2:3:4:5:6:7:8', '0,1,0,2,0,3,0,4,0,5,0,6,0,7,0,8'],
  ['1:2:3:4:5:6:7::', '0,1,0,2,0,3,0,4,0,5,0,6,0,7,0,0'],
  ['1:2:3:4:5:6:7:8::', undefined],
  ['1:2:3:4:5:6:7:8:9:a::', undefined],
  ['1::2::3', undefined],
  ['12345::', undefined],
] as const) {
  test(`an address: ${text}`, () => assert.equal(addressBytes(text)?.join(','), expected));
}

test('a chain of pointers is followed for as long as a name may be', () => {
  const pointing = (count: number): Uint8Array =>
    Uint8Array.from([0, ...Array.from({ length: count }, (_, i) => [0xc0, Math.max(0, 2 * i - 1)]).flat()]);
  assert.equal(readName(pointing(100), 199)?.name, '.');
  assert.equal(readName(pointing(128), 255), undefined);
});

test("the control plane's message, and the table with every name", () => {
  const info = encode([1, '10.0.0.1'], [1, 'fd00::1'], [2, 'Kubernetes'], [3, 'a'], [4, 'shop'], [5, 'a.other']);
  const read = readNameTable(encode([1, encode([1, 'a.shop.svc.cluster.local'], [2, info])]));
  assert.ok(read);
  assert.deepEqual([...read.keys()], ['a.shop.svc.cluster.local']);
  const shown = { ips: ['10.0.0.1', 'fd00::1'], registry: 'Kubernetes' };
  assert.deepEqual(JSON.parse(nameTableJson(read, place)), {
    table: {
      'a.shop.svc.cluster.local': { ...shown, shortname: 'a', namespace: 'shop', altHosts: ['a.other'] },
      ...Object.fromEntries(
        ['a.shop.svc.cluster.local.', 'a.shop.', 'a.', 'a.shop.svc.', 'a.other.'].map((name) => [name, shown]),
      ),
    },
  });
  assert.deepEqual(readNameTable(new Uint8Array()), new Map());
  assert.equal(readNameTable(Uint8Array.from([10, 200])), undefined);
  assert.equal(readNameTable(encode([1, Uint8Array.from([10, 200])])), undefined);
});

test('resolv.conf: servers in order, the last of search and domain', () => {
  const text = '# x\nnameserver 10.0.0.10\n nameserver\t::1 #no\nnameserver\ndomain a\nsearch b c\noptions ndots:5\n';
  assert.deepEqual(parseResolvConf(text), { servers: ['10.0.0.10', '::1'], search: ['b', 'c'] });
  assert.deepEqual(parseResolvConf('search a b\ndomain c\n').search, ['c']);
});

for (const [namespace, domain, expected] of [
  ['shop', 'shop.svc.cluster.local', 'svc.cluster.local'],
  ['shop', 'svc.cluster.local', 'svc.cluster.local'],
  ['', '', ''],
] as const) {
  test(`a proxy in "${namespace}" of domain "${domain}"`, () => {
    assert.equal(placeOf(namespace, domain, []).domain, expected);
  });
}

test('without a search domain a name is only itself', () => {
  const own = lookupTable(names, placeOf('shop', 'shop.svc.cluster.local', []));
  const query = asQuery(queryBytes({ name: `api.example.com.${searched}` }));
  assert.equal(answer({ ...state, table: own }, query, 512).kind, 'forward');
});
