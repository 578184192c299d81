// A server with TLS on loopback, with a certificate that nobody trusts, as applications have them.
import 'reflect-metadata';
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type SecureServerOptions,
} from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { before, type TestContext, test } from 'node:test';
import { PemConverter, X509CertificateGenerator } from '@peculiar/x509';
import type { Fetched, HttpRequest } from '../../ports/host.ts';
import { nodeNet } from './net.ts';

let certificate: SecureServerOptions = {};
before(async () => {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const made = await X509CertificateGenerator.createSelfSigned({ name: 'CN=app', signingAlgorithm: algorithm, keys });
  const key = PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  certificate = { cert: made.toString('pem'), key };
});

/** Answers with the version of HTTP, the host asked for and the client's address. */
function serving(t: TestContext, versions: 'two' | 'both' | 'one'): Promise<number> {
  const answer = (
    request: IncomingMessage | Http2ServerRequest,
    response: ServerResponse | Http2ServerResponse,
  ): void => {
    if (request.url === '/late') return;
    response.statusCode = 418;
    response.setHeader('x-method', request.method ?? '');
    const host = request.headers[':authority'] ?? request.headers.host ?? '';
    const peer = (request.socket.remoteAddress ?? '').replace('::ffff:', '');
    response.end(`${request.httpVersion} ${host} ${peer}`);
  };
  const server =
    versions === 'one'
      ? createServer(certificate, answer)
      : createSecureServer({ ...certificate, allowHTTP1: versions === 'both' }, answer);
  t.after(() => server.close());
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function ask(port: number, more: Partial<HttpRequest> = {}): Promise<Fetched> {
  const usual = {
    method: 'GET',
    host: '127.0.0.1',
    path: '/',
    timeoutMs: 20_000,
    tls: true,
    localAddress: '127.0.0.6',
  };
  return nodeNet.fetch({ ...usual, port, ...more });
}

for (const [what, versions, http2, version] of [
  ['a server of HTTP/2 alone', 'two', true, '2.0'],
  ['a server of both', 'both', true, '2.0'],
  ['a server of both, not asked for', 'both', false, '1.1'],
  ['a server of HTTP/1.1 alone', 'one', true, '1.1'],
] as const) {
  test(`over TLS: ${what}: HTTP/${version}`, async (t) => {
    const port = await serving(t, versions);
    const answer = await ask(port, { http2, headers: { host: 'shop.example:8443' } });
    assert.ok(answer.kind === 'answer', JSON.stringify(answer));
    assert.deepEqual(
      [answer.status, answer.headers['x-method'], Buffer.from(answer.body).toString('utf8')],
      [418, 'GET', `${version} shop.example:8443 127.0.0.6`],
    );
  });
}

test('over TLS: too late, nobody there, no TLS there: told', async (t) => {
  const port = await serving(t, 'both');
  for (const http2 of [true, false])
    assert.deepEqual(await ask(port, { http2, path: '/late', timeoutMs: 300 }), {
      kind: 'failed',
      problem: 'no answer within 300 ms',
    });
  const plain = await nodeNet.serve(0, () => Promise.resolve({ status: 200, body: '' }));
  t.after(plain.end);
  assert.equal((await ask(plain.port)).kind, 'failed');
  plain.end();
  assert.equal((await ask(plain.port)).kind, 'failed');
});
