// The embedded tables of Kubernetes' and Istio's types are those that the Go modules give.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generated, stored } from '../../scripts/generate-schemas.ts';

for (const name of ['pod', 'mesh'] as const) {
  test(`${name}: the embedded table is current`, () => assert.equal(stored(name), generated(name)));
}
