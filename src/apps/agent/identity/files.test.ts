// Certificate files in virtual time: read when asked for, again when they change, never half.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeHost } from '../fake-host.ts';
import { fakeCertificate } from '../fake-keys.ts';
import { logTo } from '../log.ts';
import { type FileSecrets, watchFiles } from './files.ts';

type Fake = ReturnType<typeof fakeHost>;

function watching(files: Readonly<Record<string, string>>): {
  readonly host: Fake;
  readonly secrets: FileSecrets;
  readonly changes: () => number;
} {
  const host = fakeHost({ files });
  const log = logTo(host, { json: false, least: 'info' });
  let changes = 0;
  const secrets = watchFiles({ host, log, debounceMs: 100, changed: () => changes++ });
  return { host, secrets, changes: () => changes };
}

const pairFiles = { chain: '/c.pem', key: '/k.pem' };
const first = { '/c.pem': fakeCertificate('1', 1e13), '/k.pem': '1' };
const second = { '/c.pem': fakeCertificate('2', 1e13), '/k.pem': '2' };

function write(host: Fake, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) host.written.set(path, text);
}

test('a pair is there at the first question, and changes with its files', async () => {
  const { host, secrets, changes } = watching(first);
  assert.deepEqual(secrets.pair(pairFiles), { kind: 'pair', chain: first['/c.pem'], key: '1' });
  await host.advance(5000);
  assert.equal(changes(), 0);
  write(host, second);
  await host.advance(1100);
  assert.deepEqual(secrets.pair(pairFiles), { kind: 'pair', chain: second['/c.pem'], key: '2' });
  assert.equal(changes(), 1);
});

test('a writer who is half done is waited for, and the last good pair is served', async () => {
  const { host, secrets, changes } = watching(first);
  secrets.pair(pairFiles);
  write(host, { '/k.pem': '2' });
  await host.advance(3000);
  assert.deepEqual(secrets.pair(pairFiles), { kind: 'pair', chain: first['/c.pem'], key: '1' });
  assert.equal(host.lines.filter((line) => line.includes('cannot be used')).length, 1, host.lines.join('\n'));
  host.written.delete('/c.pem');
  await host.advance(3000);
  assert.equal(changes(), 0);
  write(host, second);
  await host.advance(1100);
  assert.equal(changes(), 1);
});

test('a file that comes later', async () => {
  const { host, secrets, changes } = watching({});
  assert.equal(secrets.roots('/r.pem'), undefined);
  await host.advance(5000);
  write(host, { '/r.pem': `# roots\n${fakeCertificate('a', 1)}` });
  await host.advance(1100);
  assert.deepEqual(secrets.roots('/r.pem'), { kind: 'roots', pem: fakeCertificate('a', 1), crlFile: undefined });
  assert.equal(changes(), 1);
});

test('roots that cannot be read are left out of a file; a file without any is not used', () => {
  const bad = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  const { secrets } = watching({ '/r.pem': `${bad}${fakeCertificate('a', 1)}`, '/bad.pem': bad });
  assert.deepEqual(secrets.roots('/r.pem'), { kind: 'roots', pem: fakeCertificate('a', 1), crlFile: undefined });
  assert.equal(secrets.roots('/bad.pem'), undefined);
});

test('nothing is looked at after the end', async () => {
  const { host, secrets, changes } = watching(first);
  secrets.pair(pairFiles);
  secrets.end();
  write(host, second);
  await host.advance(5000);
  assert.equal(changes(), 0);
});
