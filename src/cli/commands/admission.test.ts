import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { capture } from '../capture.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-admission-'));
after(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): void => writeFileSync(join(folder, name), text);
file('rollouts.yml', 'production: {1-25-2: 100}\n');
file('ca.pem', 'a root');

const run = (...args: string[]) =>
  capture(['admission', 'manifests', '--image', 'example.test/fairway:1', ...args], { cwd: folder });
const kinds = (text: string): unknown[] => parseAllDocuments(text).map((document) => document.get('kind'));

test('manifests: Krispr alone, its webhook last', async () => {
  const { code, stdout, stderr } = await run();
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  assert.equal(kinds(stdout).at(0), 'Namespace');
  assert.equal(kinds(stdout).at(-1), 'MutatingWebhookConfiguration');
  assert.match(stdout, /rollouts\.yml: \|\n {4}production: \{1-25-2: 100\}/);
});

test('manifests: the parts together are the whole', async () => {
  const args = ['--inject', 'a-1', 'b-2', '--default-revision', 'a-1'];
  const [all, server, webhooks] = await Promise.all(
    ['all', 'server', 'webhooks'].map((only) => run(...args, '--only', only)),
  );
  assert.deepEqual(kinds(webhooks?.stdout ?? ''), Array(3).fill('MutatingWebhookConfiguration'));
  assert.equal(all?.stdout, `${server?.stdout}---\n${webhooks?.stdout}`);
});

const badNames: readonly (readonly [args: readonly string[], stderr: RegExp])[] = [
  [['--image', ''], /--image "" is no image/],
  [['--namespace', 'Fairway_System'], /--namespace "Fairway_System" is no name.*\n {2}hint: lower-case/],
  [['--inject', '1.25.2', 'A B'], /"1\.25\.2" is no revision[^]*"A B" is no revision/],
];
for (const [args, wanted] of badNames) {
  test(`manifests ${args.join(' ')} are refused`, async () => {
    const { code, stdout, stderr } = await run(...args);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    assert.match(stderr, wanted);
  });
}

test('manifests: a certificate of somebody else', async () => {
  const { code, stdout } = await run('--tls-secret', 'certificate', '--ca-file', 'ca.pem');
  assert.equal(code, 0);
  assert.match(stdout, /caBundle: YSByb290/);
  assert.match(stdout, /secretName: certificate/);
});

test('manifests: the rights to follow the kinds that fairway.yml adds', async () => {
  const more = mkdtempSync(join(folder, 'kinds-'));
  writeFileSync(join(more, 'rollouts.yml'), 'production: {1-25-2: 100}\n');
  writeFileSync(
    join(more, 'fairway.yml'),
    'kinds: [{apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, template: /spec/template}]\n',
  );
  const { stdout } = await run('--config', more);
  assert.match(stdout, /- apps\.kruise\.io\n +resources:\n +- clonesets\n/);
});

test('manifests: the files of one cluster, and the server is told which', async () => {
  const many = mkdtempSync(join(folder, 'clusters-'));
  const write = (name: string, text: string): void => writeFileSync(join(many, name), text);
  write('rollouts.eu.yml', 'production: {b-2: 100}\n');
  write('fairway.yml', 'clusters: {eu: {rollouts: rollouts.eu.yml}, us: {}, low: {rollouts: ../rollouts.yml}}\n');
  const { code, stdout } = await run('--config', many, '--cluster', 'eu');
  assert.equal(code, 0);
  const [config, deployment] = ['ConfigMap', 'Deployment'].map((kind) =>
    parseAllDocuments(stdout).find((document) => document.get('kind') === kind),
  );
  assert.match(String(config), /^ {2}rollouts\.eu\.yml: \|\n.*^ {2}fairway\.yml: \|$/ms);
  assert.doesNotMatch(String(config), /^ {2}rollouts\.yml: /m);
  assert.match(String(deployment), /--cluster=eu/);
  for (const [cluster, message] of [
    ['us', /rollouts\.yml does not exist/],
    ['ue', /lists no cluster "ue"/],
    ['low', /\.\.\/rollouts\.yml cannot be a key of a ConfigMap/],
  ] as const) {
    const refusal = await run('--config', many, '--cluster', cluster);
    assert.equal(refusal.code, 2);
    assert.match(refusal.stderr, message);
  }
});

const refused: readonly (readonly [what: string, args: readonly string[], message: RegExp])[] = [
  ['half a certificate', ['--tls-secret', 'certificate'], /--ca-file/],
  ['a CA file that is not there', ['--tls-secret', 'c', '--ca-file', 'no.pem'], /cannot read .*no\.pem/],
  ['no rollouts.yml', ['--config', '/nowhere'], /rollouts\.yml does not exist/],
  ['a default that is not injected', ['--inject', 'a-1', '--default-revision', 'b-2'], /b-2/],
  ['every namespace without a default', ['--inject', 'a-1', '--every-namespace'], /--default-revision/],
  ['no replicas', ['--replicas', '0'], /replicas/],
  ["Istio's namespace", ['--namespace', 'istio-system'], /not Fairway's alone/],
  ["Kubernetes' namespaces", ['--namespace', 'kube-system'], /not Fairway's alone/],
];
for (const [what, args, message] of refused)
  test(`manifests refuses ${what}`, async () => {
    const { code, stdout, stderr } = await run(...args);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    assert.match(stderr, message);
  });

test('a policy for a cluster that is too old is refused', async () => {
  const old = mkdtempSync(join(folder, 'old-'));
  writeFileSync(join(old, 'rollouts.yml'), 'production: {1-25-2: 100}\n');
  writeFileSync(join(old, 'fairway.yml'), 'kubernetes: "1.35"\n');
  const { code, stdout, stderr } = await run('--config', old, '--mode', 'policy');
  assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
  assert.match(stderr, /Kubernetes 1\.35, and policies need 1\.36/);
});

test('manifests refuses a rollouts.yml that the server would refuse', async () => {
  const bad = mkdtempSync(join(folder, 'bad-'));
  writeFileSync(join(bad, 'rollouts.yml'), 'production: {1-25-2: 99}\n');
  const { code, stderr } = await run('--config', bad);
  assert.equal(code, 2);
  assert.match(stderr, /^rollouts\.yml:1:/);
});
