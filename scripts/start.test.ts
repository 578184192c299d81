import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

test('npm start plans the example and shows its mutated manifests', () => {
  const { status, stdout } = spawnSync(process.execPath, ['scripts/start.ts'], { encoding: 'utf8' });
  assert.equal(status, 0);
  for (const shown of [
    /^\d+ of \d+ namespaces move/m,
    /^Done by$/m,
    /^\+ {8}istio\.io\/rev: 1-24-5$/m,
    /^apiVersion: apps\/v1$/m,
  ])
    assert.match(stdout, shown);
});
