// Makes test/vectors/assignment.json and handover.json: the contract of slots and hand-over for other languages. Append only:
// rows that are published stay as they are, and rows are added where the lists below grew.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import {
  createResolver,
  handOver,
  handOverNames,
  layOut,
  parseRollouts,
  type Quota,
  type Run,
  slots,
} from '../src/core/rollout/index.ts';
import { prng } from '../src/core/std/prng.ts';

type Shares = readonly (readonly [revision: string, share: number])[];

const folder = new URL('../test/vectors/', import.meta.url);
const special = [
  '',
  '-',
  '0',
  '123',
  'a',
  'api',
  'web',
  'production',
  'istio-e2e',
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'valueOf',
  'hasownproperty',
  'a'.repeat(63),
  `${'x'.repeat(62)}9`,
  '0'.repeat(63),
  'größe',
  'привет',
  'مرحبا',
  '命名空间',
  '😀',
  'e\u0301',
  'é',
  'İ',
  'ß',
  '\u0000',
  ' ',
  '\n',
  '"',
  '\\',
  '\u2028',
  '\ufeff',
  '\uffff',
  '\u{10ffff}',
  'A',
  'team_a',
  'shop.staging',
  'x'.repeat(300),
];
const splits: readonly Shares[] = [
  [['1-24-5', 10_000]],
  [
    ['1-24-5', 7500],
    ['1-25-2', 2500],
  ],
  [
    ['1-25-2', 500],
    ['1-24-5', 9500],
  ],
  [
    ['1-24-5', 3400],
    ['1-25-2', 3300],
    ['1-26-0', 3300],
  ],
  [
    ['canary', 1],
    ['1-9-0', 4999],
    ['1-10-0', 5000],
    ['1-8-0', 0],
  ],
];
const paths: readonly (readonly Shares[])[] = [
  [
    [
      ['a1', 5000],
      ['b2', 5000],
    ],
    [
      ['a1', 3400],
      ['b2', 3300],
      ['c3', 3300],
    ],
    [
      ['a1', 5000],
      ['b2', 5000],
    ],
  ],
  [
    [['1-24-5', 10_000]],
    [
      ['1-24-5', 9900],
      ['1-25-2', 100],
    ],
    [
      ['1-24-5', 5000],
      ['1-25-2', 5000],
    ],
    [['1-25-2', 10_000]],
  ],
  [
    [['1-25-2', 10_000]],
    [
      ['1-24-5', 2500],
      ['1-25-2', 7500],
    ],
    [['1-25-2', 10_000]],
  ],
  [
    [
      ['1-24-5', 5000],
      ['1-25-2', 5000],
    ],
    [
      ['1-25-2', 5000],
      ['1-26-0', 5000],
    ],
    [['1-26-0', 10_000]],
  ],
];
const order = [
  ['canary', 'stable', '0', '1', '1-2', '1-2-0', '1-2-3', '1-10', '1-10-1', '2'],
  ['1-02', '1-2', 'a1-2', '1-2-0'],
  ['r99999999999999999998', 'r99999999999999999999', 'r100000000000000000000'],
];

function asQuota(shares: Shares): Quota {
  return new Map(shares);
}

function assignments(): object[] {
  const draw = prng('assignment vectors');
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789-';
  const random = Array.from({ length: 60 }, () =>
    Array.from(
      { length: 1 + Math.floor(draw.next() * 30) },
      () => letters[Math.floor(draw.next() * letters.length)],
    ).join(''),
  );
  return [...special, ...random].flatMap((name, index) =>
    ['', '2026', 'соль'].slice(0, index % 2 === 0 ? 3 : 2).map((salt, turn) => {
      const shares = splits[(index + turn) % splits.length] ?? [];
      return { salt, name, slot: slots(salt)(name), shares, revision: assigned(salt, name, shares) };
    }),
  );
}

/** Through the whole resolver, so that the vectors hold for what users call. */
function assigned(salt: string, name: string, shares: Shares): string {
  const rollouts = parseRollouts(
    `production: {${shares.map(([revision, share]) => `${revision}: ${share / 100}`).join(', ')}}\n`,
  );
  if (rollouts.kind === 'invalid') throw new Error(JSON.stringify(rollouts.problems));
  const assignment = createResolver({ rollouts: rollouts.value, slotOf: slots(salt) }).resolve(name);
  return assignment.kind === 'assigned' ? assignment.revision : '';
}

function handovers(): { slots: object[]; names: object[]; order: unknown[] } {
  const draw = prng('handover vectors');
  const random = Array.from({ length: 40 }, () =>
    Array.from({ length: 2 + Math.floor(draw.next() * 5) }, () => randomShares(() => draw.next())),
  );
  return {
    slots: [...paths, ...random].map((path) => ({ path, locks: locks(path) })),
    names: [...names(() => draw.next())],
    order,
  };
}

export function randomShares(next: () => number): Shares {
  const revisions = ['canary', '1-23-1', '1-24-5', '1-24-10', '1-25-2', '2-0-0'].filter(() => next() < 0.5);
  const some = revisions.length === 0 ? ['1-24-5'] : revisions;
  const cuts = some
    .slice(1)
    .map(() => Math.floor(next() * 10_001))
    .sort((a, b) => a - b);
  return some.map((revision, index) => [revision, (cuts[index] ?? 10_000) - (cuts[index - 1] ?? 0)]);
}

export function locks(path: readonly Shares[]): string[] {
  let runs: readonly Run[] | undefined;
  return path.map((shares) => {
    runs = runs === undefined ? layOut(asQuota(shares)) : handOver(runs, asQuota(shares));
    return runs.map(({ revision, from, to }) => `${revision}*${to - from}`).join(' ');
  });
}

function* names(next: () => number): Generator<object> {
  for (let row = 0; row < 20; row++) {
    const shares = randomShares(next);
    const before = Array.from(
      { length: row * 3 },
      (_, index) => [`shop-${row}-${index}`, randomShares(next)[0]?.[0] ?? ''] as const,
    );
    const bucket = { name: 'b', shares: asQuota(shares), mode: 'exact', line: 1, column: 1 } as const;
    const after = [...handOverNames(new Map(before), bucket, slots('names'))].sort(([a], [b]) => (a < b ? -1 : 1));
    yield { salt: 'names', shares, before, after };
  }
}

function append(file: string, made: object[] | ReturnType<typeof handovers>): void {
  const url = new URL(file, folder);
  const published: unknown = existsSync(url) ? JSON.parse(readFileSync(url, 'utf8')) : undefined;
  const merged = Array.isArray(made)
    ? grown(published, made)
    : Object.fromEntries(
        Object.entries(made).map(([key, rows]) => [
          key,
          grown((published as Record<string, unknown> | undefined)?.[key], rows),
        ]),
      );
  const text = Array.isArray(merged)
    ? rowsText(merged)
    : `{\n${Object.entries(merged)
        .map(([key, rows]) => `${JSON.stringify(key)}: ${rowsText(rows).trimEnd()}`)
        .join(',\n')}\n}\n`;
  writeFileSync(url, text);
}

/** The published rows as they are, and the rows that are made beyond them. */
function grown(published: unknown, made: readonly unknown[]): unknown[] {
  const rows = Array.isArray(published) ? published : [];
  return [...rows, ...made.slice(rows.length)];
}

function rowsText(rows: readonly unknown[]): string {
  return `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`;
}

if (import.meta.main) {
  append('assignment.json', assignments());
  append('handover.json', handovers());
}
