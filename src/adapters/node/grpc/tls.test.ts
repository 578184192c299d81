// The client against servers with TLS: whom it trusts, what it shows, what it asks for.
import assert from 'node:assert/strict';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { type Authority, newAuthority } from '../../../../test/xds/authority.ts';
import type { GrpcTls } from '../../../ports/grpc.ts';
import { nodeGrpc } from './index.ts';
import { answerCalls, serverOptions } from './server.ts';

let authority: Authority;
let port = 0;
let end = (): void => undefined;
const seen: {
  servername?: string;
  client?: string | undefined;
  authority?: string | undefined;
  protocol?: string | null;
  cipher?: string;
} = {};

before(async () => {
  authority = await newAuthority();
  const pair = await authority.issue({ type: 'dns', value: 'istiod.test' }, { type: 'ip', value: '127.0.0.1' });
  const options = { requestCert: true, rejectUnauthorized: false, ca: authority.root };
  const server = createSecureServer({ ...serverOptions, ...pair, ...options });
  server.on('secureConnection', (socket: TLSSocket) => {
    seen.servername = String(socket.servername);
    seen.protocol = socket.getProtocol();
    seen.cipher = socket.getCipher().name;
    seen.client = socket.authorized ? socket.getPeerCertificate().subjectaltname : undefined;
  });
  const endCalls = answerCalls(server, async (call) => {
    seen.authority = call.metadata[':authority'] as string;
    for await (const message of call.messages(99)) await call.send(message);
    return { code: 'OK', message: '' };
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  end = () => {
    server.close();
    endCalls();
  };
});
after(() => end());

async function ask(tls: GrpcTls, name?: string): Promise<string> {
  const channel = nodeGrpc.connect({
    at: { kind: 'tcp', host: '127.0.0.1', port },
    tls,
    connectTimeoutMs: 10_000,
    ...(name === undefined ? {} : { authority: name }),
  });
  const answer = await channel.unary('/a.B/C', new Uint8Array(1), { timeoutMs: 30_000, maxBytes: 9 });
  channel.close();
  return answer.kind === 'answer' ? 'OK' : `${answer.status.code} ${answer.status.message}`;
}

test('the root given, the name asked for, the authority told', { timeout: 60_000 }, async () => {
  assert.equal(await ask({ roots: authority.root, serverName: 'istiod.test' }, 'istiod.mesh:15012'), 'OK');
  assert.partialDeepStrictEqual(seen, { servername: 'istiod.test', client: undefined, authority: 'istiod.mesh:15012' });
  assert.equal(await ask({ roots: authority.root }), 'OK', 'an address in the certificate');
});

test('another root, another name: UNAVAILABLE, and the reason is told', { timeout: 60_000 }, async () => {
  const other = await newAuthority('other');
  assert.match(await ask({ roots: other.root }), /^UNAVAILABLE .*certificate/i);
  assert.match(await ask({ roots: undefined }), /^UNAVAILABLE .*certificate/i);
  assert.match(await ask({ roots: authority.root, serverName: 'else.test' }), /^UNAVAILABLE .*(altname|host)/i);
});

test('limits are kept to: the version, the cipher', { timeout: 60_000 }, async () => {
  const ciphers = 'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256';
  const limits = { maxVersion: 'TLSv1.2', ciphers, ecdhCurve: 'P-256' } as const;
  assert.equal(await ask({ roots: authority.root }), 'OK');
  assert.equal(seen.protocol, 'TLSv1.3');
  assert.equal(await ask({ roots: authority.root, limits }), 'OK');
  assert.equal(seen.protocol, 'TLSv1.2');
  assert.ok(ciphers.split(':').includes(seen.cipher ?? ''), seen.cipher);
});

test('a client certificate is shown', { timeout: 60_000 }, async () => {
  const pair = await authority.issue({ type: 'url', value: 'spiffe://cluster.local/ns/a/sa/b' });
  const client = { chain: pair.cert, key: pair.key };
  assert.equal(await ask({ roots: authority.root, client }), 'OK');
  assert.match(seen.client ?? '', /spiffe:\/\/cluster\.local\/ns\/a\/sa\/b/);
});
