import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { commandNames } from '../src/cli/run.ts';

describe('the built command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-build-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  function run(args: readonly string[], input = '') {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { input, encoding: 'utf8', timeout: 300_000 });
    return { status, stdout, stderr };
  }

  const fairway = (args: readonly string[], input?: string) => run([join(folder, 'dist/fairway.js'), ...args], input);

  before(() => {
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    const { status, stderr } = run(['scripts/build.ts', join(folder, 'dist')]);
    assert.equal(status, 0, stderr);
  });

  for (const command of commandNames) {
    test(`can load ${command}`, () => {
      const { status, stdout, stderr } = fairway([command, '--help']);
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
      assert.match(stdout, /Usage/);
    });
  }

  const pod = (rest: string) => `apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  labels:\n    app: web\n${rest}`;
  const readers = [
    ['the fast path', pod('spec: {}\n')],
    ['js-yaml, loaded on demand', pod('spec:\n  a: &anchor 1\n  b: *anchor\n')],
  ] as const;
  for (const [name, text] of readers) {
    test(`labels what is read by ${name}`, () => {
      const { status, stdout } = fairway(['mutate', '--revision', '1-25-2', '-'], text);
      assert.equal(status, 0);
      assert.equal(stdout, text.replace('    app: web\n', '    app: web\n    istio.io/rev: 1-25-2\n'));
    });
  }

  const printers = [
    ['resolve', '--rollouts', 'examples/fleet/rollouts.yml', 'shop', '-o', 'yaml'],
    [
      'plan',
      '--from',
      'none',
      '--to',
      'examples/fleet/rollouts.yml',
      '--namespaces',
      'examples/fleet/namespaces.txt',
      '-o',
      'yaml',
    ],
    ['admission', 'manifests', '--image', 'registry.example.test/fairway:1', '--config', 'examples/fleet'],
  ] as const;
  for (const args of printers) {
    test(`prints YAML: ${args.join(' ').slice(0, 40)}`, () => {
      const { status, stdout, stderr } = fairway(args);
      assert.match(stdout, /^(?:- )?\w+:/, stderr);
      assert.notEqual(status, 70);
    });
  }

  test('a Node that is too old is told so, before anything else', () => {
    const older =
      'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.20.2"}})';
    const { status, stdout, stderr } = run(['--import', older, join(folder, 'dist/fairway.js'), 'plan']);
    assert.deepEqual([status, stdout], [69, '']);
    assert.match(stderr, /^error: fairway needs Node 22\.18 or newer, and this is 20\.20\.2\n {2}hint: /);
  });

  test('can ask a cluster', () => {
    const { status, stderr } = fairway(['doctor', '--kubeconfig', 'examples/fleet/namespaces.txt']);
    assert.notEqual(status, 70, stderr);
  });

  test('tells what js-yaml found wrong', () => {
    const { status, stderr } = fairway(['mutate', '--revision', '1-25-2', '-'], pod('spec: *nothing\n'));
    assert.equal(status, 2);
    assert.match(stderr, /<stdin>:7:7: error: document 1: the alias \*nothing names nothing/);
  });
});
