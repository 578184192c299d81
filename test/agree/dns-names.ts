// What Istio's DNS server and ours are asked: a table of names, queries of every kind, and a server behind both that answers, or does not.
import type { NamedHost } from '../../src/core/dns/index.ts';
import { queryBytes, types } from '../../src/core/dns/plain-message.ts';
import { encode } from '../../src/core/wire/index.ts';
import type { Transport } from '../../src/ports/messages.ts';

export const search = 'shop.svc.cluster.local';
const kubernetes = (shortName: string, namespace: string, addresses: readonly string[]): NamedHost => ({
  addresses,
  registry: 'Kubernetes',
  shortName,
  namespace,
  otherNames: [],
});
const external = (...addresses: readonly string[]): NamedHost => ({
  ...kubernetes('', '', addresses),
  registry: 'External',
});
const range = (count: number, prefix: string): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i + 1}`);

const hosts: Readonly<Record<string, NamedHost>> = {
  'reviews.shop.svc.cluster.local': kubernetes('reviews', 'shop', ['10.0.0.1']),
  'ratings.other.svc.cluster.local': kubernetes('ratings', 'other', ['10.0.0.2', 'fd00::2']),
  'Mixed.shop.svc.cluster.local': kubernetes('Mixed', 'shop', ['10.0.0.3']),
  'headless.shop.svc.cluster.local': kubernetes('headless', 'shop', range(5, '10.1.0.')),
  'db-0.headless.shop.svc.cluster.local': kubernetes('db-0.headless', 'shop', ['10.1.0.1']),
  'db-1.headless.shop.svc.cluster.local': kubernetes('db-1.headless', 'shop', ['10.1.0.2']),
  // A pod of a headless service, and a service of the same short name.
  'db-2.headless.shop.svc.cluster.local': kubernetes('db-2.headless', 'shop', ['10.1.0.3']),
  'db-2.headless.svc.cluster.local': kubernetes('db-2', 'headless', ['10.0.0.9']),
  'many.shop.svc.cluster.local': kubernetes('many', 'shop', range(120, '10.2.0.')),
  'mcs.shop.svc.clusterset.local': kubernetes('', '', ['10.0.0.4']),
  'far.shop.svc.cluster.west': kubernetes('far', 'shop', ['10.0.0.5']),
  'named.shop.svc.cluster.local': {
    ...kubernetes('named', 'shop', ['10.0.0.6']),
    otherNames: ['named.elsewhere', 'named.shop.svc.alias'],
  },
  'empty.shop.svc.cluster.local': kubernetes('empty', 'shop', []),
  'broken.shop.svc.cluster.local': kubernetes('broken', 'shop', ['10.0.0.300', 'here', '10.0.0.0/8']),
  'half.shop.svc.cluster.local': kubernetes('half', 'shop', ['10.0.0.300', '10.0.0.7']),
  'dotted.shop.svc.cluster.local.': kubernetes('dotted', 'shop', ['10.0.0.8']),
  'api.example.com': external('192.0.2.1'),
  'UPPER.example.com': external('192.0.2.2'),
  'six.example.com': external('fd00::6', '::ffff:192.0.2.6'),
  'both.example.com': external('192.0.2.3', 'fd00::3', '192.0.2.33'),
  'dotted.example.com.': external('192.0.2.4'),
  '*.wild.example.com': external('192.0.2.5'),
  '*.deep.wild.example.com': external('192.0.2.55'),
  'own.wild.example.com': external('192.0.2.56'),
  '*.shop.svc.cluster.local': external('192.0.2.57'),
  single: external('192.0.2.7'),
};

/** As protobuf, in base64. */
export const tableText = Buffer.from(
  encode(
    ...Object.entries(hosts).map(([host, { addresses, registry, shortName, namespace, otherNames }]) => {
      const texts = (field: number, values: readonly string[]): [number, string][] =>
        values.map((value) => [field, value]);
      const info = encode(
        ...texts(1, addresses),
        [2, registry],
        [3, shortName],
        [4, namespace],
        ...texts(5, otherNames),
      );
      return [1, encode([1, host], [2, info])] as [number, Uint8Array];
    }),
  ),
).toString('base64');

const names = [
  ...Object.keys(hosts).map((host) => `${host.replace(/\.$/, '')}.`),
  ...[
    'reviews',
    'ratings',
    'mixed',
    'headless',
    'db-0.headless',
    'named',
    'empty',
    'broken',
    'half',
    'far',
    'single',
  ].flatMap((name) => [
    `${name}.`,
    `${name}.shop.`,
    `${name}.shop.svc.`,
    `${name}.shop.svc.cluster.`,
    `${name}.${search}.`,
    `${name}.other.svc.cluster.local.`,
  ]),
  'ratings.other.',
  'ratings.other.svc.',
  'named.elsewhere.',
  'named.shop.svc.alias.',
  'REVIEWS.Shop.svc.Cluster.LOCAL.',
  'aPi.eXample.com.',
  'x.wild.example.com.',
  'x.y.wild.example.com.',
  'X.Y.Wild.Example.com.',
  'x.deep.wild.example.com.',
  'deep.wild.example.com.',
  'wild.example.com.',
  '*.example.com.',
  'we\\.ird.wild.example.com.',
  'sp ace.wild.example.com.',
  '.',
  'com.',
  'known.up.',
  'Known.UP.',
  'missing.up.',
  'failing.up.',
  'option.up.',
  'stranger.up.',
];

/** Names as a resolver with a search domain asks them first. */
const searched = names.filter((name) => name !== '.').map((name) => `${name}${search}.`);

export interface Ask {
  readonly what: string;
  readonly transport: Transport;
  readonly message: Uint8Array;
}

function ask(name: string, type: string, transport: Transport = 'udp', room?: number): Ask {
  const message = queryBytes({ name, type: types[type] ?? 0, ...(room === undefined ? {} : { room }) });
  return { what: `${transport} ${name} ${type}${room === undefined ? '' : ` in ${room}`}`, transport, message };
}

const transports = ['udp', 'tcp'] as const;

/** Queries that both must answer alike. */
export const asks: readonly Ask[] = [
  ...[...names, ...searched].flatMap((name) => [ask(name, 'A'), ask(name, 'AAAA')]),
  ...names.flatMap((name) => ['SRV', 'PTR', 'CNAME', 'ANY', 'HTTPS'].map((type) => ask(name, type))),
  ...['reviews.', 'x.wild.example.com.', 'known.up.', 'missing.up.', 'large.up.'].map((name) => ask(name, 'A', 'tcp')),
  ...['many.', `many.shop.svc.${search}.`, 'large.up.', 'known.up.', 'option.up.'].flatMap((name) =>
    [0, 511, 1232, 4096, 65_535].map((room) => ask(name, 'A', 'udp', room)),
  ),
  ...['many.', 'large.up.', 'headless.'].flatMap((name) => transports.map((transport) => ask(name, 'A', transport))),
  ...transports.map((transport) => ask('silent.up.', 'A', transport)),
];

const header = (flags: number, ...counts: readonly number[]): number[] =>
  [9, flags, ...counts].flatMap((value) => [value >> 8, value & 0xff]);
const question = Array.from(queryBytes({ name: 'reviews.' }).slice(12));

/** What no resolver sends. */
export const badAsks: readonly Ask[] = [
  ['flags as they may be', [...header(0x0130, 1, 0, 0, 0), ...question]],
  ['all other flags', [...header(0x06f0, 1, 0, 0, 0), ...question]],
  ['a question that is an answer', [...header(0x8100, 1, 0, 0, 0), ...question]],
  ['an update', [...header(0x2930, 1, 0, 0, 0), ...question]],
  ['a status', header(0x1170, 1, 0, 0, 0)],
  ['a notify', [...header(0x2130, 1, 0, 0, 0), ...question]],
  ['a header alone', header(0x0100, 1, 0, 0, 0)],
  ['no question', header(0x0120, 0, 0, 0, 0)],
  ['two questions', [...header(0x0100, 2, 0, 0, 0), ...question, ...question]],
  ['too short', header(0x0100, 1, 0, 0, 0).slice(0, 11)],
  ['a cut name', [...header(0x0150, 1, 0, 0, 0), 9, 97]],
  ['a cut question', [...header(0x0100, 1, 0, 0, 0), ...question.slice(0, -1)]],
  ['a loop of pointers', [...header(0x0100, 1, 0, 0, 0), 0xc0, 12, 0, 1, 0, 1]],
  ['a reserved label', [...header(0x0100, 1, 0, 0, 0), 0x80, 0, 0, 1, 0, 1]],
  ['bytes behind', [...header(0x0100, 1, 0, 0, 0), ...question, 1, 2, 3]],
  ['a cut record', [...header(0x0100, 1, 0, 0, 1), ...question, 0, 0, 41, 16]],
  ['an OPT whose data ends too late', [...header(0x0100, 1, 0, 0, 1), ...question, 0, 0, 41, 16, 0, 0, 0, 0, 0, 0, 9]],
  ['three additional records', [...header(0x0100, 1, 0, 0, 3), ...question]],
  ['two answers', [...header(0x0100, 1, 2, 0, 0), ...question]],
].map(([what, bytes]) => ({
  what: `bad: ${what as string}`,
  transport: 'udp' as const,
  message: Uint8Array.from(bytes as number[]),
}));
