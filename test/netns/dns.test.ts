// DNS capture in a namespace: what programs resolve with the C library goes to the agent's DNS proxy, which answers or asks the server that
// resolv.conf names; its own questions are not led back to it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { namespace, podAddress } from './namespace.ts';

const part = fileURLToPath(new URL('dns-part.ts', import.meta.url));
const proxyUser = '1337';

test('names of the mesh by the agent, others by the server, by UDP and TCP', { timeout: 120_000 }, async (t) => {
  const ns = namespace(t, `nameserver ${podAddress.v4}\nsearch shop.svc.cluster.local\noptions timeout:10\n`);
  const starting = ['server', 'proxy'].map((verb) => {
    const child = ns.start(process.execPath, part, verb, verb === 'server' ? podAddress.v4 : proxyUser);
    return new Promise((resolve, reject) => {
      child.stdout?.once('data', resolve);
      child.once('exit', () => reject(new Error(`${verb} ended`)));
    });
  });
  await Promise.all(starting);
  const resolved = (name: string, family = 'ahostsv4'): string[] => {
    const { output } = ns.run('getent', family, name);
    return [...new Set(output.split('\n').flatMap((line) => line.split(' ')[0] ?? []))].filter(Boolean).toSorted();
  };
  assert.deepEqual(resolved('reviews.shop'), ['198.51.100.1'], 'without rules the server is asked');
  assert.equal(ns.iptables('-b', '*', '-i', '*', '--redirect-dns').status, 0);
  assert.deepEqual(resolved('reviews.shop'), ['10.0.0.1']);
  assert.deepEqual(resolved('reviews'), ['10.0.0.1']);
  assert.deepEqual(resolved('reviews', 'ahostsv6'), ['fd00::1']);
  assert.deepEqual(resolved('api.example.com'), ['192.0.2.1']);
  assert.deepEqual(resolved('elsewhere.example.org'), ['198.51.100.1']);
  assert.equal(resolved('many').length, 100, 'cut by UDP, asked again by TCP');
});
