import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { capture } from '../capture.ts';

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web # the shop
  namespace: shop
spec:
  template:
    metadata:
      labels:
        app: web
    spec: {}
`;
const labelled = deployment.replace('app: web\n', 'app: web\n        istio.io/rev: 1-25-2\n');
const revision = ['mutate', '--revision', '1-25-2'];

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-mutate-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

test('a manifest from standard input gets one line more', async () => {
  const { code, stdout, stderr } = await capture(revision, { stdin: deployment });
  assert.deepEqual([code, stdout], [0, labelled]);
  assert.match(stderr, /1 of 1 workloads changed/);
});

test('the revision comes from rollouts.yml, fairway.yml excludes, -n gives a namespace', async () => {
  const cwd = folderWith({
    'rollouts.yml': 'production: {1-24-5: 100}\nshop: {1-25-2: 100}\n',
    'fairway.yml': 'exclude: [legacy-.*]\n',
  });
  assert.equal((await capture(['mutate'], { stdin: deployment, cwd })).stdout, labelled);
  const excluded = deployment.replace('namespace: shop', 'namespace: legacy-shop');
  assert.equal((await capture(['mutate'], { stdin: excluded, cwd })).stdout, excluded);
  const bare = deployment.replace('  namespace: shop\n', '');
  const missing = await capture(['mutate'], { stdin: bare, cwd });
  assert.deepEqual([missing.code, missing.stdout], [2, '']);
  assert.match(missing.stderr, /namespace-missing/);
  assert.match((await capture(['mutate', '-n', 'shop'], { stdin: bare, cwd })).stdout, /istio\.io\/rev: 1-25-2/);
});

test('--write changes what is found in a folder, keeps modes and links, and leaves out what is ignored', async () => {
  const cwd = folderWith({
    'k/a.yaml': deployment,
    'k/sub/b.yml': deployment,
    'k/sub/ignored.yaml': 'a: {{ x }}\n',
    'k/plain.yaml': 'a: 1\n',
    'k/notes.txt': deployment,
    'k/.fairwayignore': 'ignored.*\n!kept.yaml\n',
    'target.yaml': deployment,
  });
  chmodSync(join(cwd, 'k/a.yaml'), 0o600);
  symlinkSync('../target.yaml', join(cwd, 'k/link.yaml'));
  const before = statSync(join(cwd, 'k/plain.yaml')).mtimeMs;
  const { code, stdout, stderr } = await capture([...revision, '--write', 'k'], { cwd });
  assert.deepEqual([code, stdout], [0, ''], stderr);
  for (const name of ['k/a.yaml', 'k/sub/b.yml', 'target.yaml'])
    assert.equal(readFileSync(join(cwd, name), 'utf8'), labelled);
  assert.equal(statSync(join(cwd, 'k/a.yaml')).mode & 0o777, 0o600);
  assert.ok(lstatSync(join(cwd, 'k/link.yaml')).isSymbolicLink());
  assert.equal(statSync(join(cwd, 'k/plain.yaml')).mtimeMs, before);
  assert.deepEqual(
    readdirSync(join(cwd, 'k')).filter((name) => name.includes('.tmp')),
    [],
  );
  assert.equal(readFileSync(join(cwd, 'k/notes.txt'), 'utf8'), deployment);
});

test('one broken file, and nothing is written; all problems are told', async () => {
  const cwd = folderWith({ 'a.yaml': deployment, 'b.yaml': 'a: [\n', 'c.yaml': 'x: y\n---z: 1\n' });
  const { code, stdout, stderr } = await capture([...revision, '--write', '.'], { cwd });
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /b\.yaml:\d+:\d+: error: document 1: .*\[yaml-invalid\]/);
  assert.match(stderr, /c\.yaml:2:1: error: .*\[glued-separator\]/);
  assert.equal(readFileSync(join(cwd, 'a.yaml'), 'utf8'), deployment);
});

const broken: readonly (readonly [input: string | Uint8Array, code: string, line: number | undefined])[] = [
  ['a: b: c\n', 'yaml-invalid', 1],
  ['ok: 1\n---\nimage: {{ .Values.image }}\n', 'template-not-rendered', 3],
  ['{{- if .Values.on }}\na: 1\n{{- end }}\n', 'template-not-rendered', 1],
  [Uint8Array.of(0x61, 0x3a, 0x0a, 0xff), 'encoding', 2],
  ['a: "\u0001"\n', 'control-character', 1],
  ['a: *x\n', 'yaml-invalid', 1],
  ['a:\n\tb: 1\n', 'yaml-invalid', 2],
  ['a'.repeat(101), 'too-large', undefined],
];
for (const [stdin, code, line] of broken)
  test(`bad input ${JSON.stringify(String(stdin)).slice(0, 40)} is ${code}`, async () => {
    const result = await capture([...revision, '--max-bytes', '100', '-'], { stdin });
    assert.deepEqual([result.code, result.stdout], [2, '']);
    assert.match(result.stderr, new RegExp(`\\[${code}\\]`));
    if (line !== undefined) assert.match(result.stderr, new RegExp(`^<stdin>:${line}:`));
  });

test('a name out of a manifest begins no line of the log', async () => {
  const name = JSON.stringify('a\n::error::b');
  const stdin = `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, namespace: ${name}}\nspec: {hostNetwork: true}\n`;
  const { stderr } = await capture(revision, { stdin });
  assert.match(stderr, /^<stdin>: note: document 1: Pod\/a\\u000a::error::b\/a\\u000a::error::b: hostNetwork/);
  assert.doesNotMatch(stderr, /^::/m);
});

test('the last line says whether it happened', async () => {
  const cwd = folderWith({ 'a.yaml': deployment });
  for (const [flag, said] of [
    ['--check', '1 of 1 workloads would change'],
    ['--diff', '1 of 1 workloads would change'],
    ['--write', '1 of 1 workloads changed'],
    ['--check', '0 of 1 workloads would change'],
  ] as const) {
    const { stderr } = await capture([...revision, flag, 'a.yaml'], { cwd });
    assert.equal(stderr, `fairway mutate: ${said}\n`);
  }
});

test('--check lists what would change, --diff prints it, and neither writes', async () => {
  const cwd = folderWith({ 'a.yaml': deployment, 'b.yaml': labelled });
  assert.deepEqual(await capture([...revision, '--check', '.'], { cwd }).then(({ code, stdout }) => [code, stdout]), [
    1,
    'a.yaml\n',
  ]);
  assert.equal((await capture([...revision, '--check', 'b.yaml'], { cwd })).code, 0);
  const { code, stdout } = await capture([...revision, '--diff', '.'], { cwd });
  assert.equal(code, 0);
  assert.equal(readFileSync(join(cwd, 'a.yaml'), 'utf8'), deployment);
  execFileSync('git', ['apply', '-p1', '-'], { cwd, input: stdout });
  assert.equal(readFileSync(join(cwd, 'a.yaml'), 'utf8'), labelled);
});

const told: readonly (readonly [edit: readonly [string, string], message: RegExp, strict: 0 | 1])[] = [
  [['    spec: {}', '    spec: {hostNetwork: true}'], /note: .*hostNetwork/, 0],
  [['app: web', 'sidecar.istio.io/inject: "false"'], /note: .*inject is "false"/, 0],
  [['namespace: shop', 'namespace: kube-system'], /note: .*kube-system is not in the mesh/, 0],
  [
    ['spec:\n  template', 'spec:\n  selector: {matchLabels: {istio.io/rev: x}}\n  template'],
    /warning: .*selector contains/,
    1,
  ],
  [
    ['  template:\n    metadata:\n      labels:\n        app: web\n    spec: {}\n', '  replicas: 2\n'],
    /note: .*no pod template/,
    0,
  ],
];
for (const [[from, to], message, strict] of told)
  test(`${message}: left as it is`, async () => {
    const stdin = deployment.replace(from, to);
    const { code, stdout, stderr } = await capture(revision, { stdin });
    assert.deepEqual([code, stdout], [0, stdin]);
    assert.match(stderr, message);
    assert.equal((await capture([...revision, '--strict'], { stdin })).code, strict);
  });

test('an ambient namespace is left alone, its Namespace object being in the stream', async () => {
  const namespace =
    'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {istio.io/dataplane-mode: ambient}}\n---\n';
  const { stdout, stderr } = await capture(revision, { stdin: namespace + deployment });
  assert.equal(stdout, namespace + deployment);
  assert.match(stderr, /namespace shop is ambient/);
});

test('anchors: an alias is overlaid, a shared map is refused', async () => {
  const selector =
    'spec:\n  selector:\n    matchLabels: &labels {app: web}\n  template:\n    metadata:\n      labels: *labels\n';
  const stdin = `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n${selector}    spec: {}\n`;
  const overlaid = await capture(revision, { stdin });
  assert.match(overlaid.stdout, /labels: \{<<: \*labels, istio\.io\/rev: 1-25-2\}/);
  const shared = stdin
    .replace('&labels {app: web}', '{app: web}')
    .replace('labels: *labels', 'labels: &l {app: web}')
    .replace('spec: {}', 'spec: {x: *l}');
  const refused = await capture(revision, { stdin: shared });
  assert.deepEqual([refused.code, refused.stdout], [2, '']);
  assert.match(refused.stderr, /edit-refused/);
});

test('--stamp writes the given time once, into the workload’s own metadata', async () => {
  const flags = [...revision, '--stamp', '--stamp-time', '2026-01-31T13:00:00+01:00'];
  const { stdout } = await capture(flags, { stdin: deployment });
  assert.match(stdout, /^ {2}annotations:\n {4}fairway\.dev\/stamped-at: "2026-01-31T12:00:00Z"$/m);
  assert.equal((await capture(flags, { stdin: stdout })).stdout, stdout);
  assert.equal((await capture([...revision, '--stamp'], { stdin: deployment })).code, 2);
});

test('--stamp takes the last commit that touched the file, not a later one', async () => {
  const cwd = folderWith({ 'a.yaml': deployment, 'b.yaml': 'a: 1\n' });
  const git = (date: string, ...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.test', ...args], {
      cwd,
      stdio: 'ignore',
      env: { ...process.env, GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date },
    });
  git('', 'init');
  git('2026-01-01T00:00:00Z', 'add', 'a.yaml');
  git('2026-01-01T00:00:00Z', 'commit', '-m', 'a');
  git('2026-02-01T00:00:00Z', 'add', 'b.yaml');
  git('2026-02-01T00:00:00Z', 'commit', '-m', 'b');
  const { stdout, stderr } = await capture([...revision, '--stamp', 'a.yaml'], { cwd });
  assert.match(stdout, /stamped-at: "2026-01-01T00:00:00Z"/, stderr);
});

test('own mutators: a module and a declared patch', async () => {
  const cwd = folderWith({
    'team.mjs': `export const mutator = { name: 'team', target: 'workload', scope: ['/metadata/labels/team'],
      applies: () => ({ kind: 'applies', remarks: [] }),
      mutate: (subject) => subject.at('workload', ['metadata', 'labels']) === undefined
        ? [{ op: 'add', path: '/metadata/labels', value: { team: subject.namespace } }] : [] };`,
    'scrape.yaml':
      'name: scrape\npatch:\n- {op: add, path: /metadata/annotations, value: {prometheus.io/scrape: "true"}}\n',
    'bad.mjs': `export const mutator = { name: 'bad', target: 'template', scope: ['/metadata/labels/a'],
      applies: () => ({ kind: 'applies', remarks: [] }), mutate: () => [{ op: 'add', path: '/spec/x', value: 1 }] };`,
  });
  const { stdout, stderr } = await capture([...revision, '--mutator', 'team.mjs', '--mutator', 'scrape.yaml'], {
    stdin: deployment,
    cwd,
  });
  assert.match(stdout, /^ {2}labels:\n {4}team: shop$/m, stderr);
  assert.match(stdout, /^ {6}annotations:\n {8}prometheus\.io\/scrape: "true"$/m);
  const bad = await capture([...revision, '--mutator', 'bad.mjs'], { stdin: deployment, cwd });
  assert.equal(bad.code, 2);
  assert.match(bad.stderr, /"bad" wrote \/spec\/x, which is outside of its scope \(bad\.mjs\)/);
  assert.doesNotMatch(bad.stderr, /bug/);
});

test('a declared patch that names an item of a list that is not there is an error', async () => {
  const cwd = folderWith({
    'item.yaml': 'name: item\npatch:\n- {op: add, path: /spec/containers/0, value: {name: x}}\n',
    'end.yaml': 'name: end\npatch:\n- {op: add, path: /spec/containers/-, value: {name: x}}\n',
  });
  const { code, stdout, stderr } = await capture([...revision, '--mutator', 'item.yaml'], { stdin: deployment, cwd });
  assert.deepEqual([code, stdout], [2, ''], stderr);
  assert.match(
    stderr,
    /"item": \/spec\/containers\/0 names an item, and there is no \/spec\/containers.*\[patch-no-list\]/,
  );
});

test('--write removes what a killed run left behind, and nothing else', async () => {
  const gone = spawnSync(process.execPath, ['-e', '']).pid;
  const cwd = folderWith({
    'a.yaml': deployment,
    [`.b.yaml.fairway-${gone}.tmp`]: 'half',
    [`.c.yaml.fairway-${process.ppid}.tmp`]: 'of a run that lives',
    [`.d.yaml.fairway-${gone}.tmp.bak`]: 'not ours',
    [`sub/.b.yaml.fairway-${gone}.tmp`]: 'a folder that is not written to',
  });
  const { code, stderr } = await capture([...revision, '--write', 'a.yaml'], { cwd });
  assert.equal(code, 0, stderr);
  assert.deepEqual(readdirSync(cwd).sort(), [
    `.c.yaml.fairway-${process.ppid}.tmp`,
    `.d.yaml.fairway-${gone}.tmp.bak`,
    'a.yaml',
    'sub',
  ]);
  assert.deepEqual(readdirSync(join(cwd, 'sub')), [`.b.yaml.fairway-${gone}.tmp`]);
});

test('JSON, a List, a stream of JSON, CRLF and a file without a last line end keep their style', async () => {
  const pod = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"shop"}}';
  const added = pod.replace('"shop"', '"shop","labels":{"istio.io/rev":"1-25-2"}');
  assert.equal((await capture(revision, { stdin: pod })).stdout, added);
  assert.equal((await capture(revision, { stdin: `${pod}\n${pod}\n` })).stdout, `${added}\n${added}\n`);
  const list = `{"apiVersion":"v1","kind":"List","items":[${pod},${pod}]}`;
  assert.equal(
    (await capture(revision, { stdin: list })).stdout,
    `{"apiVersion":"v1","kind":"List","items":[${added},${added}]}`,
  );
  const crlf = deployment.replaceAll('\n', '\r\n');
  assert.equal((await capture(revision, { stdin: crlf })).stdout, labelled.replaceAll('\n', '\r\n'));
  const cut = deployment.slice(0, deployment.indexOf('\n    spec: {}'));
  assert.equal((await capture(revision, { stdin: cut })).stdout, `${cut}\n        istio.io/rev: 1-25-2`);
});

test('flags that exclude each other, and paths that are not there', async () => {
  for (const args of [
    ['--krm', 'x.yaml'],
    ['--post-renderer', '--check'],
    ['--write'],
    ['--write', '--check', '.'],
    ['no-such-file'],
    ['--mutator', 'no.mjs'],
  ]) {
    const { code, stderr } = await capture([...revision, ...args], { stdin: deployment });
    assert.equal(code, 2, args.join(' '));
    assert.match(stderr, /^error: /);
  }
});

test('links in a circle are passed by in a folder, and told where they are named', async () => {
  const cwd = folderWith({ 'a.yaml': deployment });
  symlinkSync('loop.yaml', join(cwd, 'loop.yaml'));
  symlinkSync('nowhere.yaml', join(cwd, 'dangling.yaml'));
  assert.equal((await capture([...revision, '.'], { cwd })).stdout, labelled);
  const { code, stderr } = await capture([...revision, 'loop.yaml'], { cwd });
  assert.equal(code, 2);
  assert.match(stderr, /^error: cannot stat .*loop\.yaml: too many symbolic links encountered \(ELOOP\)\n$/);
});

test('a device without end stops at the limit', async () => {
  const { code, stderr } = await capture([...revision, '--max-bytes', '100000', '/dev/zero']);
  assert.equal(code, 2);
  assert.match(stderr, /too-large/);
});

test('a mutator of the user that fails is told as theirs', async () => {
  const body = (mutate: string) =>
    `export const mutator = { name: 'mine', target: 'template', scope: ['/metadata/labels'], applies: () => ({ kind: 'applies', remarks: [] }), mutate: () => ${mutate} };\n`;
  const cwd = folderWith({
    'throws.mjs': body('{ throw new Error("boom"); }'),
    'test.yaml': 'name: t\npatch: [{op: test, path: /metadata/labels/app, value: other}]\n',
  });
  for (const [file, words] of [
    ['throws.mjs', /mutator "mine" of throws\.mjs failed: boom/],
    ['test.yaml', /Deployment\/shop\/web: mutator "t": the test of .*patch-test-failed/],
  ] as const) {
    const { code, stderr } = await capture([...revision, '--mutator', file], { cwd, stdin: deployment });
    assert.equal(code, 2);
    assert.match(stderr, words);
    assert.doesNotMatch(stderr, /bug of fairway/);
  }
});

test('standard input that comes in many pieces is put together', async () => {
  const text = `${deployment}---\n`.repeat(20_000);
  const { stdout } = await capture(revision, { stdin: text });
  assert.equal(stdout, `${labelled}---\n`.repeat(20_000));
});
