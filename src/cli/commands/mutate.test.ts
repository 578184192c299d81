import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capture } from '../capture.ts';

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web # the shop
spec:
  template:
    metadata:
      labels:
        app: web
    spec: {}
`;

test('a manifest from standard input gets one line more', async () => {
  const { code, stdout, stderr } = await capture(['mutate', '--revision', '1-25-2'], { stdin: deployment });
  assert.equal(code, 0);
  assert.equal(stdout, deployment.replace('app: web\n', 'app: web\n        istio.io/rev: 1-25-2\n'));
  assert.match(stderr, /1 of 1 workloads changed/);
});
