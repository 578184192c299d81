// Who is told what, and when a file is there.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { RunningFiles } from './running.ts';

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'running-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, 'running');
}

test('a container is told of the other regular containers', (t) => {
  const folder = folderOf(t);
  const files = new RunningFiles(folder, ['app', 'worker', 'istio-proxy']);
  const told = '/run/fairway/running';
  assert.deepEqual(files.toldTo('istio-proxy', 'mounted'), {
    env: [['FAIRWAY_APP_RUNNING', `${told}/app:${told}/worker`]],
    mounts: [{ source: folder, target: told, readOnly: true }],
  });
  assert.deepEqual(files.toldTo('app', 'as-is'), {
    env: [['FAIRWAY_APP_RUNNING', `${folder}/worker:${folder}/istio-proxy`]],
    mounts: [],
  });
  assert.deepEqual(new RunningFiles(folder, ['app']).toldTo('app', 'mounted'), { env: [], mounts: [] });
});

test('a native sidecar is told of all of them, and has no file itself', (t) => {
  const folder = folderOf(t);
  const files = new RunningFiles(folder, ['app']);
  assert.deepEqual(files.toldTo('istio-proxy', 'as-is').env, [['FAIRWAY_APP_RUNNING', `${folder}/app`]]);
  files.began('istio-proxy');
  files.began('app');
  assert.deepEqual(readdirSync(folder), ['app']);
  files.ended('istio-proxy');
  files.ended('app');
  files.ended('app');
  assert.deepEqual(readdirSync(folder), []);
});
