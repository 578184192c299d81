// Runs inside of a namespace: `server ADDRESS` answers every name with 198.51.100.1 on port 53; `proxy UID` is the agent's DNS proxy with a
// table of names, as that user. Each says when it listens.
import { nodeHost } from '../../src/adapters/node/host.ts';
import { nodeMessages } from '../../src/adapters/node/messages.ts';
import { startDns } from '../../src/apps/agent/dns/server.ts';
import { readQuery } from '../../src/core/dns/index.ts';
import { writeReply } from '../../src/core/dns/reply.ts';
import { encode } from '../../src/core/wire/index.ts';

const [, , verb, what = ''] = process.argv;

function everyName(message: Uint8Array): Promise<Uint8Array | undefined> {
  const query = readQuery(message);
  if (query.kind !== 'query') return Promise.resolve(undefined);
  const owner = query.question?.name ?? '.';
  const bytes = Uint8Array.from([198, 51, 100, 1]);
  const records = query.question?.type === 1 ? [{ kind: 'address' as const, owner, ttlSeconds: 5, bytes }] : [];
  return Promise.resolve(writeReply({ query, code: 0, authoritative: false, records, bytesAtMost: 512 }));
}

function host(
  name: string,
  addresses: readonly string[],
  ...service: readonly [number, string][]
): [number, Uint8Array] {
  const info = encode(...addresses.map((address): [number, string] => [1, address]), ...service);
  return [1, encode([1, name], [2, info])];
}

if (verb === 'server') {
  for (const transport of ['udp', 'tcp'] as const)
    await nodeMessages.serve(transport, { host: what, port: 53 }, everyName);
} else {
  process.setgid?.(Number(what));
  process.setuid?.(Number(what));
  const dns = await startDns({
    host: nodeHost(),
    log: () => undefined,
    address: 'localhost:15053',
    namespace: 'shop',
    domain: 'shop.svc.cluster.local',
    forwardParallel: false,
    forwardTimeoutMs: 5000,
  });
  const many = Array.from({ length: 100 }, (_, i) => `10.2.0.${i + 1}`);
  const service = (name: string): [number, string][] => [
    [2, 'Kubernetes'],
    [3, name],
    [4, 'shop'],
  ];
  const problem = dns.onNameTable(
    encode(
      host('reviews.shop.svc.cluster.local', ['10.0.0.1', 'fd00::1'], ...service('reviews')),
      host('many.shop.svc.cluster.local', many, ...service('many')),
      host('api.example.com', ['192.0.2.1']),
    ),
  );
  if (problem !== undefined) throw new Error(problem);
}
process.stdout.write('listening\n');
