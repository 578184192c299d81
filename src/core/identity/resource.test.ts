import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Resource, resourceOf } from './resource.ts';

const rows: readonly (readonly [name: string, resource: Resource | 'malformed'])[] = [
  ['default', { kind: 'workload' }],
  ['ROOTCA', { kind: 'roots' }],
  ['rootca', { kind: 'workload' }],
  ['', { kind: 'workload' }],
  ['file-cert:/etc/c.pem~/etc/k.pem', { kind: 'key-pair', certificate: '/etc/c.pem', key: '/etc/k.pem' }],
  ['file-cert:c~k~m', 'malformed'],
  ['file-cert:c', 'malformed'],
  ['file-cert:~k', 'malformed'],
  ['file-root:/etc/r.pem', { kind: 'root-file', path: '/etc/r.pem' }],
  ['file-root:system', { kind: 'system-roots' }],
  ['file-root:a~b', 'malformed'],
  ['file-root:', 'malformed'],
];
for (const [name, resource] of rows)
  test(`the secret ${JSON.stringify(name)}`, () => {
    const found = resourceOf(name);
    if (resource === 'malformed') assert.equal(found.kind, 'malformed');
    else assert.deepEqual(found, resource);
  });
