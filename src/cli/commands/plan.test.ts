import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { capture } from '../capture.ts';

const top = mkdtempSync(join(tmpdir(), 'fairway-plan-'));
after(() => rmSync(top, { recursive: true }));

const before = 'production: {1-24-5: 100}\n"shop-.*": {1-24-5: 50, 1-25-2: 50}\n';
const three = 'production: {1-24-5: 100}\n"shop-.*": {1-24-5: 34, 1-25-2: 33, 1-26-0: 33}\n';
const names = Array.from({ length: 60 }, (_, index) => `shop-${index}\n`).join('');

/** A repository whose HEAD holds `before`, committed at a known time. */
function repository(): string {
  const cwd = mkdtempSync(join(top, 'repo-'));
  const git = (...args: string[]): void => {
    const date = '2026-11-01T00:00:00Z';
    const env = { ...process.env, GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date };
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], { cwd, env });
  };
  git('init', '--quiet');
  writeFileSync(join(cwd, 'rollouts.yml'), before);
  writeFileSync(join(cwd, 'names'), names);
  git('add', '.');
  git('commit', '--quiet', '-m', 'x');
  return cwd;
}

test('plan: HEAD against the working tree, and the exit code', async () => {
  const cwd = repository();
  assert.equal((await capture(['plan', '--namespaces', 'names'], { cwd })).code, 0);
  writeFileSync(join(cwd, 'rollouts.yml'), three);
  const { code, stdout, stderr } = await capture(['plan', '--namespaces', 'names'], { cwd });
  assert.equal(code, 1, stderr);
  assert.match(stdout, /of 60 namespaces move/);
  assert.match(stdout, /1970-02-14T00:00:30Z at the latest, 44 days/);
  const strict = await capture(['plan', '--namespaces', 'names', '--strict'], { cwd });
  assert.deepEqual([strict.code, /needless/.test(strict.stderr)], [2, true]);
});

test('plan: what nobody knows is not told as nothing', async () => {
  const cwd = repository();
  writeFileSync(join(cwd, 'rollouts.yml'), three);
  const slots = await capture(['plan'], { cwd });
  assert.match(slots.stderr, /\d slots move, and the shares do not ask for it/);
  const { stdout, stderr } = await capture(['plan', '--namespaces', 'names'], { cwd });
  assert.match(stdout, /^ {2}1-24-5 → 1-25-2: \d+ namespaces?$/m);
  assert.match(stdout, /^ {2}shop-\d+ +1-\S+ +1-\S+ +- +- +slot/m);
  assert.match(stderr, /\d namespaces? moves?, and the shares/);
  writeFileSync(join(cwd, 'pod.yaml'), 'apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: shop-1}\n');
  const one = await capture(['plan', '--from', 'none', '--manifests', 'pod.yaml'], { cwd });
  assert.match(one.stdout, /^1 of 1 namespace move \(1 workload, 1 pod\);/);
  const still = await capture(['plan', '--from', 'rollouts.yml', '--manifests', 'pod.yaml'], { cwd });
  assert.match(still.stdout, /^Nothing moves: 1 namespace stays where it is\./);
  assert.doesNotMatch(still.stdout, /Done by/);
});

test('plan: --write-lock makes every move needed, twice the same, and the date is that of the commit', async () => {
  const cwd = repository();
  writeFileSync(join(cwd, 'rollouts.yml'), three);
  const first = await capture(['plan', '--namespaces', 'names', '--write-lock', '-o', 'json'], { cwd });
  const made = JSON.parse(first.stdout) as { totals: { needless: number }; moves: unknown[] };
  assert.deepEqual([first.code, made.totals.needless, made.moves.length > 0], [1, 0, true]);
  const lock = readFileSync(join(cwd, 'rollouts.lock'), 'utf8');
  await capture(['plan', '--namespaces', 'names', '--write-lock'], { cwd });
  assert.equal(readFileSync(join(cwd, 'rollouts.lock'), 'utf8'), lock);
  const old = await capture(['plan', '--from', 'none', '--to', 'HEAD:rollouts.yml', '-o', 'json'], { cwd });
  assert.equal((JSON.parse(old.stdout) as { doneBy: string }).doneBy, '2026-12-15T00:00:30.000Z');
});

const manifests = `apiVersion: v1
kind: Namespace
metadata: {name: shop-1, labels: {team: shop}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop-1}
spec: {replicas: 4, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: []}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, labels: {team: storage}}
spec: {updateStrategy: {type: OnDelete}, selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}}}
---
apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: {name: clones, namespace: shop-1}
spec: {replicas: 3, selector: {matchLabels: {istio.io/rev: 1-24-5}}, template: {metadata: {labels: {istio.io/rev: 1-24-5}}}}
`;

test('plan: manifests are an inventory, with owners and the kinds of fairway.yml', async () => {
  const cwd = repository();
  writeFileSync(
    join(cwd, 'fairway.yml'),
    'ownerLabel: team\nkinds: [{apiVersion: apps.kruise.io, kind: CloneSet, template: /spec/template}]\n',
  );
  writeFileSync(join(cwd, 'rollouts.yml'), 'production: {1-24-5: 100}\n"shop-.*": {1-26-0: 100}\n');
  writeFileSync(join(cwd, 'manifests.yaml'), manifests);
  const without = await capture(['plan', '--manifests', '.'], { cwd });
  assert.deepEqual([without.code, without.stdout], [2, '']);
  assert.match(without.stderr, /manifests\.yaml: error: document 3: StatefulSet\/db names no namespace/);
  const { code, stdout } = await capture(['plan', '--manifests', 'manifests.yaml', '-n', 'shop-1', '-o', 'json'], {
    cwd,
  });
  const made = JSON.parse(stdout) as { totals: { moving: unknown }; stuck: { workload: string; because: string }[] };
  assert.equal(code, 1);
  assert.deepEqual(made.totals.moving, { namespaces: 1, workloads: 3, pods: 8, owners: ['shop', 'storage'] });
  assert.deepEqual(made.stuck, [
    { workload: 'shop-1/StatefulSet/db', pods: 1, because: 'on-delete' },
    { workload: 'shop-1/CloneSet/clones', pods: 3, because: 'selector' },
  ]);
});

const failures: readonly (readonly [args: string, says: RegExp])[] = [
  ['--from HEAD:none.yml', /there is no HEAD:none\.yml[^]*--from none/],
  ['--from nowhere:rollouts.yml', /no Git revision "nowhere"/],
  ['--to none.yml', /there is no none\.yml/],
  ['--now yesterday', /no time of RFC 3339/],
  ['--from HEAD:rollouts.yml --to HEAD:rollouts.yml --write-lock', /needs a file to write/],
  ['--namespaces names -n Shop_1', /'Shop_1' is invalid\. A namespace has lower-case letters/],
  ['--namespaces - --snapshot -', /standard input can be read once only\n {2}hint: /],
  ['--forget', /--forget belongs to --write-lock/],
  ['--snapshot names', /snapshot-invalid|version|object/],
];
for (const [args, says] of failures) {
  test(`plan ${args} fails and says why`, async () => {
    const { code, stdout, stderr } = await capture(['plan', ...args.split(' ')], {
      cwd: repository(),
      stdin: 'shop-1\n',
    });
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, says);
  });
}

test('plan: outside a repository the way out is told', async () => {
  const cwd = mkdtempSync(join(top, 'plain-'));
  writeFileSync(join(cwd, 'rollouts.yml'), before);
  writeFileSync(join(cwd, 'old.yml'), three);
  const { code, stderr } = await capture(['plan'], { cwd });
  assert.equal(code, 2);
  assert.match(stderr, /not inside a Git repository\n {2}hint: compare two files/);
  const files = await capture(['plan', '--from', 'old.yml'], { cwd });
  assert.deepEqual(
    [files.code, files.stdout.split('\n')[0]],
    [1, '4900 slots move; without an inventory nobody knows which namespaces that is.'],
  );
});

test('plan: an edit that mends an invalid file can be planned', async () => {
  const cwd = repository();
  writeFileSync(join(cwd, 'broken.yml'), 'production: {1-24-5: 99}\n');
  const { code, stdout, stderr } = await capture(['plan', '--from', 'broken.yml', '--namespaces', 'names'], { cwd });
  assert.equal(code, 1);
  assert.match(stdout, /60 of 60 namespaces move/);
  assert.match(stderr, /broken\.yml:1:1: warning: the shares[^]*every namespace counts as new/);
});

test('plan: two patterns that tie for a namespace of the inventory make the edit invalid', async () => {
  const cwd = repository();
  writeFileSync(join(cwd, 'rollouts.yml'), `${before}"shop-1.?": {1-25-2: 100}\n"shop-.?1": {1-25-2: 100}\n`);
  const { code, stdout, stderr } = await capture(['plan', '--namespaces', 'names'], { cwd });
  assert.equal(code, 2);
  assert.match(stdout, /shop-11 +1-2[45]-[25] +- .*two patterns of equal length match/);
  assert.match(
    stderr,
    /error: "shop-\.\?1" and "shop-1\.\?" are equally long, and both match "shop-11" \[pattern-tie\]/,
  );
});

test('plan: a lock that cannot be read is never overwritten', async () => {
  const cwd = repository();
  writeFileSync(join(cwd, 'rollouts.lock'), 'fairway-lock 2\n');
  const { code, stderr } = await capture(['plan', '--write-lock'], { cwd });
  assert.equal(code, 2);
  assert.match(stderr, /newer format/);
  assert.equal(readFileSync(join(cwd, 'rollouts.lock'), 'utf8'), 'fairway-lock 2\n');
});

test('plan: the Markdown begins with the marker and folds long lists', async () => {
  const cwd = repository();
  writeFileSync(join(cwd, 'rollouts.yml'), three.replace('shop-.*', 'shop-[0-9]+|x'));
  const { stdout } = await capture(['plan', '--namespaces', 'names', '-o', 'markdown'], { cwd });
  assert.ok(stdout.startsWith('<!-- fairway plan -->\n'));
  assert.match(stdout, /<details><summary>Namespaces that move \(\d+\)<\/summary>/);
});

test('plan: a name out of a manifest begins no line and leaves no code', async () => {
  const cwd = repository();
  const name = JSON.stringify('a`\n::error::b\u001b[31m @all');
  writeFileSync(join(cwd, 'pod.yaml'), `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, namespace: ${name}}\n`);
  for (const output of ['table', 'markdown']) {
    const args = ['plan', '--from', 'none', '--manifests', 'pod.yaml', '-o', output];
    const { stdout, stderr } = await capture(args, { cwd });
    assert.doesNotMatch(stdout + stderr, /^::/m);
    assert.equal((stdout + stderr).includes('\u001b'), false);
    if (output === 'markdown') assert.match(stdout, /`` a`\\u000a::error::b\\u001b\[31m @all ``/);
  }
});

test('plan: the longest grace period of the manifests is in the bound', async () => {
  const cwd = repository();
  const pod = 'spec: {terminationGracePeriodSeconds: 3600}';
  writeFileSync(
    join(cwd, 'web.yaml'),
    `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop-1}\nspec: {template: {${pod}}}\n`,
  );
  const { stdout } = await capture(['plan', '--from', 'none', '--manifests', 'web.yaml'], { cwd });
  assert.match(stdout, /1970-02-14T01:00:00Z at the latest, 44 days/);
});

test('plan: a day that is not in the calendar is no time', async () => {
  const { code, stderr } = await capture(['plan', '--now', '2026-02-30'], { cwd: repository() });
  assert.equal(code, 2);
  assert.match(stderr, /2026-02-30 is no time/);
});

test('plan: Git is asked in the folder of the file, so the caller may stand outside of the repository', async () => {
  const cwd = repository();
  writeFileSync(join(cwd, 'rollouts.yml'), three);
  const args = ['plan', '--to', `${basename(cwd)}/rollouts.yml`, '--namespaces', `${basename(cwd)}/names`];
  const { code, stdout, stderr } = await capture(args, { cwd: top });
  assert.equal(code, 1, stderr);
  assert.match(stdout, /of 60 namespaces move/);
});

test('plan: a clone without history says how to get it', async () => {
  const cwd = repository();
  const clone = mkdtempSync(join(top, 'shallow-'));
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${cwd}`, clone]);
  const { code, stderr } = await capture(['plan', '--to', 'HEAD:rollouts.yml'], { cwd: clone });
  assert.equal(code, 2);
  assert.match(stderr, /no Git revision "HEAD\^"\n.*fetch-depth: 0/);
});
