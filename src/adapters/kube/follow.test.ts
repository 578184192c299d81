import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { prng } from '../../core/std/prng.ts';
import type { Following } from '../../ports/cluster.ts';
import { followResource } from './follow.ts';
import { transport } from './transport.ts';

/** One answer of the script: what the request must be, and what comes back. */
interface Turn {
  readonly expect: string;
  readonly reply: (response: ServerResponse) => void;
}

const object = (name: string, version: number) => ({ metadata: { uid: name, name, resourceVersion: String(version) } });
const page =
  (version: number, ...objects: readonly object[]): Turn['reply'] =>
  (response) =>
    response.end(JSON.stringify({ metadata: { resourceVersion: String(version) }, items: objects }));
const status =
  (code: number): Turn['reply'] =>
  (response) =>
    response.writeHead(code).end('{}');
const event = (type: string, value: object): string => `${JSON.stringify({ type, object: value })}\n`;
const added = event('ADDED', object('p3', 110));
const bookmark = event('BOOKMARK', { metadata: { resourceVersion: '180' } });
const expired = event('ERROR', { kind: 'Status', code: 410, reason: 'Expired' });
const stream =
  (...lines: readonly string[]): Turn['reply'] =>
  (response) =>
    response.end(lines.join(''));
const hang =
  (...lines: readonly string[]): Turn['reply'] =>
  (response) =>
    void (response.writeHead(200), response.flushHeaders(), response.write(lines.join('') || '\n'));

const list: Turn = { expect: 'LIST', reply: page(100, object('p1', 90), object('p2', 95)) };
const relist: Turn = { expect: 'LIST', reply: page(300, object('p1', 90), object('p3', 250)) };
const last: Turn = { expect: 'WATCH rv=300', reply: hang() };
const seen = ['put p1', 'put p2', 'put p3', 'put p3', 'remove p2'];

const silent = 'a silent stream';
const scripts: Readonly<Record<string, readonly Turn[]>> = {
  'the version is gone, by an event': [
    list,
    { expect: 'WATCH rv=100', reply: stream(added, bookmark) },
    { expect: 'WATCH rv=180', reply: stream(expired) },
    relist,
    last,
  ],
  'the version is gone, by a status': [
    list,
    { expect: 'WATCH rv=100', reply: stream(added, bookmark) },
    { expect: 'WATCH rv=180', reply: status(410) },
    relist,
    last,
  ],
  'no bookmark: on from the last event': [
    list,
    { expect: 'WATCH rv=100', reply: stream(added) },
    { expect: 'WATCH rv=110', reply: stream(expired) },
    relist,
    last,
  ],
  'the list fails too': [
    list,
    { expect: 'WATCH rv=100', reply: stream(added, bookmark) },
    { expect: 'WATCH rv=180', reply: stream(expired) },
    { expect: 'LIST', reply: status(500) },
    relist,
    last,
  ],
  [silent]: [
    list,
    { expect: 'WATCH rv=100', reply: hang(added) },
    { expect: 'WATCH rv=110', reply: stream(expired) },
    relist,
    last,
  ],
};

for (const [name, script] of Object.entries(scripts))
  test(`follow: ${name}`, async () => {
    const { said, requests, done, following } = await play(script, name === silent ? 1000 : undefined);
    await done;
    following.stop();
    assert.deepEqual(
      requests,
      script.map(({ expect }) => expect),
    );
    assert.deepEqual(said, seen);
    assert.equal(following.synced(), true);
  });

test('follow: a server that is away for a while is found again, with one connection', async () => {
  const refused = 4;
  const script = [
    ...Array.from({ length: refused }, (): Turn => ({ expect: 'LIST', reply: (response) => response.destroy() })),
    list,
    { ...last, expect: 'WATCH rv=100' },
  ];
  const { requests, done, following, sockets } = await play(script);
  await done;
  assert.equal(requests.length, script.length);
  assert.equal(sockets(), 1);
  following.stop();
});

test('a resource that is not served is absent until it is', async () => {
  const script: Turn[] = [{ expect: 'LIST', reply: status(404) }, list, { ...last, expect: 'WATCH rv=100' }];
  const { done, following, absences } = await play(script);
  await done;
  following.stop();
  assert.deepEqual([absences.includes(true), following.absent(), following.synced()], [true, false, true]);
});

const closing: (() => void)[] = [];
after(() => {
  for (const close of closing) close();
});

interface Played {
  readonly said: string[];
  readonly requests: string[];
  /** At each request, whether the one before it told that there is no such resource. */
  readonly absences: readonly boolean[];
  readonly done: Promise<void>;
  readonly following: Following;
  readonly sockets: () => number;
}

/** Runs a script; `done` once its last turn was asked for, and once what it said was told. */
async function play(script: readonly Turn[], graceMs = 60_000): Promise<Played> {
  const requests: string[] = [];
  const absences: boolean[] = [];
  let current: Following | undefined;
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const turn = script[requests.length];
    requests.push(shortForm(request));
    absences.push(current?.absent() ?? false);
    turn?.reply(response);
    if (requests.length === script.length) resolve();
  });
  const url = await listen(server);
  const wire = transport({ url, options: () => Promise.resolve({}) });
  const said: string[] = [];
  const sink = {
    put: (value: unknown) => void said.push(`put ${nameOf(value)}`),
    remove: (uid: string) => void said.push(`remove ${uid}`),
  };
  const policy = {
    firstDelayMs: 2,
    longestDelayMs: 2000,
    healthyMs: 0,
    watchSeconds: 0,
    watchSpreadSeconds: 0,
    graceMs,
  };
  const world = { transport: wire, nowMs: Date.now, prng: prng(1), policy, log: () => {} };
  const following = followResource(
    { group: '', version: 'v1', plural: 'pods', namespace: 'team-a' },
    'metadata',
    sink,
    world,
  );
  current = following;
  closing.push(
    following.stop,
    wire.close,
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return { said, requests, absences, done, following, sockets: () => connections(server) };
}

function shortForm({ url = '', headers }: IncomingMessage): string {
  const { pathname, searchParams: query } = new URL(url, 'http://x');
  assert.equal(pathname, '/api/v1/namespaces/team-a/pods');
  assert.match(headers.accept ?? '', /as=PartialObjectMetadata/);
  if (query.get('watch') === null) {
    assert.equal(query.get('resourceVersion'), null);
    return 'LIST';
  }
  assert.equal(query.get('allowWatchBookmarks'), 'true');
  assert.ok(query.has('timeoutSeconds'));
  return `WATCH rv=${query.get('resourceVersion')}`;
}

async function listen(server: Server): Promise<URL> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.on('connection', (socket) => {
    counts.set(server, (counts.get(server) ?? 0) + 1);
    socket.on('close', () => counts.set(server, (counts.get(server) ?? 1) - 1));
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const counts = new WeakMap<Server, number>();
function connections(server: Server): number {
  return counts.get(server) ?? 0;
}

function nameOf(value: unknown): string {
  return (value as { metadata: { name: string } }).metadata.name;
}
