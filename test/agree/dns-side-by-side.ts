// Runs inside of a network namespace whose resolv.conf names 127.0.0.1 and 127.0.0.2: a server at 127.0.0.1, Istio's DNS server and ours in front
// of it, the same messages to both. Prints a line for each: what was asked, both answers. `PROGRAM HOST PORT PARALLEL`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { nodeHost } from '../../src/adapters/node/host.ts';
import { nodeMessages } from '../../src/adapters/node/messages.ts';
import { startDns } from '../../src/apps/agent/dns/server.ts';
import { cutReply, readQuery } from '../../src/core/dns/index.ts';
import { queryBytes, readMessageText } from '../../src/core/dns/plain-message.ts';
import { writeReply } from '../../src/core/dns/reply.ts';
import type { Transport } from '../../src/ports/messages.ts';
import { type Ask, asks, badAsks, search, tableText } from './dns-names.ts';

const [, , program = '', address = '', port = '', parallel = ''] = process.argv;
const timeoutMs = 300;

/** The server behind both. */
function upstream(transport: Transport, message: Uint8Array): Promise<Uint8Array | undefined> {
  const query = readQuery(message);
  if (query.kind !== 'query') return Promise.resolve(undefined);
  const name = query.question?.name.toLowerCase() ?? '';
  if (name === 'silent.up.') return Promise.resolve(undefined);
  const count = name === 'large.up.' ? 60 : name.endsWith('known.up.') || name === 'option.up.' ? 2 : 0;
  const records = Array.from({ length: count }, (_, i) => ({
    kind: 'address' as const,
    owner: query.question?.name ?? '.',
    ttlSeconds: 77,
    bytes: Uint8Array.from([198, 51, 100, i]),
  }));
  const code = name === 'failing.up.' ? 2 : count > 0 ? 0 : 3;
  const bytesAtMost = transport === 'udp' ? query.udpBytes : 65_535;
  const reply = writeReply({ query, code, authoritative: false, records, bytesAtMost });
  reply[3] = (reply[3] ?? 0) | 0x80;
  if (name !== 'option.up.') return Promise.resolve(reply);
  reply[11] = 1;
  return Promise.resolve(cutReply(Uint8Array.from([...reply, 0, 0, 41, 16, 0, 0, 0, 0, 0, 0, 0]), bytesAtMost));
}

for (const transport of ['udp', 'tcp'] as const)
  await nodeMessages.serve(transport, { host: '127.0.0.1', port: 53 }, (message) => upstream(transport, message));

const theirs = { host: address, port: Number(port) };
const ours = { host: '127.0.0.9', port: theirs.port };
const istio = spawn(program, [`${address}:${port}`, 'shop', search, parallel, `${timeoutMs}ms`], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const lines = createInterface(istio.stdout);
await once(lines, 'line');
const dns = await startDns({
  host: nodeHost(),
  log: () => undefined,
  address: `${ours.host}:${ours.port}`,
  namespace: 'shop',
  domain: search,
  forwardParallel: parallel === 'true',
  forwardTimeoutMs: timeoutMs,
});

async function answerOf(to: typeof ours, { transport, message }: Ask): Promise<object | undefined> {
  const isAnswer = (): boolean => true;
  const replied = await nodeMessages.ask(transport, to, { message, timeoutMs: 2000, isAnswer });
  return replied.kind === 'answer' ? readMessageText(replied.message) : undefined;
}

async function compare(ask: Ask): Promise<void> {
  const [istios, mine] = await Promise.all([answerOf(theirs, ask), answerOf(ours, ask)]);
  process.stdout.write(`${JSON.stringify({ what: ask.what, theirs: istios ?? null, ours: mine ?? null })}\n`);
}

const before = ['reviews.', 'known.up.'].map((name) => ({
  what: `before the table: ${name}`,
  transport: 'udp' as const,
  message: queryBytes({ name }),
}));
for (const ask of before) await compare(ask);
istio.stdin.write(`${tableText}\n`);
await once(lines, 'line');
const problem = dns.onNameTable(Buffer.from(tableText, 'base64'));
if (problem !== undefined) throw new Error(problem);
for (const ask of asks) await compare(ask);
await Promise.all(badAsks.map(compare)); // some are never answered
istio.stdin.end();
process.exit(0);
