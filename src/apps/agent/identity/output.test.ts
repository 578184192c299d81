// OUTPUT_CERTS where the folder does not take them at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeHost } from '../fake-host.ts';
import { logTo } from '../log.ts';
import { keepCertificates } from './output.ts';

test('what cannot be written is written later; what is there is left alone', async () => {
  const host = fakeHost();
  const writes: string[] = [];
  let isFull = true;
  const full = {
    ...host,
    files: {
      ...host.files,
      write: (path: string, content: string | Uint8Array) => {
        writes.push(path);
        return isFull && path.endsWith('chain.pem') ? `${path}: no space left` : host.files.write(path, content);
      },
    },
  };
  const secret = { kind: 'pair', chain: 'C', key: 'K' } as const;
  const secrets = { get: (name: string) => (name === 'default' ? { name, version: '1', secret } : undefined) };
  const log = logTo(host, { json: false, least: 'info' });
  const kept = keepCertificates({ host: full, log, folder: '/out', mode: 0o600 }, secrets);
  kept.write();
  assert.deepEqual(writes, ['/out/key.pem', '/out/cert-chain.pem']);
  await host.advance(60_000);
  assert.equal(writes.length, 3, 'only what is missing is tried again');
  isFull = false;
  await host.advance(60_000);
  assert.deepEqual([host.written.get('/out/key.pem'), host.written.get('/out/cert-chain.pem')], ['K', 'C']);
  await host.advance(600_000);
  assert.equal(writes.length, 4);
  assert.equal(host.lines.filter((line) => line.includes('no space left')).length, 2);
  isFull = true;
  host.written.delete('/out/cert-chain.pem');
  kept.write();
  kept.end();
  await host.advance(600_000);
  assert.equal(writes.length, 5, 'nothing after the end');
});
