// validate, resolve and explain: flags, files beside files, formats, exit statuses. What they decide is tested in core.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { capture } from '../capture.ts';

const cwd = mkdtempSync(join(tmpdir(), 'fairway-resolve-'));
after(() => rmSync(cwd, { recursive: true }));

const files: Readonly<Record<string, string>> = {
  'rollouts.yml': 'everything: {1-24-5: 100}\n"shop-.*": {1-24-5: 50, 1-25-2: 50}\n',
  'rollouts.lock': 'fairway-lock 1\n\nbucket "shop-.*"\n  slots 1-25-2*5000 1-24-5*5000\n',
  'fairway.yml':
    'defaultBucket: everything\nrevisions: {1-24-5: {}, 1-25-2: {}}\nexclude: [tmp]\nclusters: {eu: {rollouts: eu.yml, exclude: [web]}, us: {}}\n',
  'eu.yml': 'everything: {1-25-2: 100}\n',
  'other.yml': 'everything: {1-24-5: 100}\nx: {1-26-0: 100}\n',
  'bad.yml': 'nothing\n',
  'long.yml': `${'nothing '.repeat(1000)}\n`,
  names: 'web\nshop-a\n',
  'latin1.yml': 'production: {1-2: 100}\n',
};
for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
symlinkSync('circle.yml', join(cwd, 'circle.yml'));
writeFileSync(join(cwd, 'endless.yml'), `production: {a: ${'x'.repeat(9999)}}\n`);
writeFileSync(join(cwd, 'open.yml'), 'production: {a: 100\nother: {a: 100}\n');
writeFileSync(join(cwd, 'latin1.yml'), Buffer.from([0x61, 0xe9, 0x0a]));

const rows: readonly (readonly [args: string, code: number, stdout: RegExp, stderr: RegExp])[] = [
  ['resolve web', 0, /web {8}1-24-5 {4}everything {2}2604 {2}only\n$/, /^$/],
  ['resolve shop-a', 0, /shop-a +1-2[45]-[25] +shop-\.\* +\d+ +slot, from the lock/, /^$/],
  ['resolve shop-a --no-lock', 0, /shop-a +1-2[45]-[25] +shop-\.\* +\d+ +slot\n/, /^$/],
  ['resolve tmp', 0, /not in the mesh: excluded by "tmp"/, /^$/],
  ['resolve web --cluster eu', 0, /not in the mesh: excluded by "web"/, /^$/],
  ['resolve a --cluster eu', 0, /a +1-25-2 +everything/, /^$/],
  ['resolve a --cluster us', 0, /a +1-24-5 +everything/, /^$/],
  ['resolve a --cluster ue', 2, /^$/, /lists no cluster "ue"\n {2}hint: it lists eu, us/],
  ['resolve --namespaces names -o json', 0, /"namespace": "web"[^]*"namespace": "shop-a"/, /^$/],
  ['resolve --namespaces none', 2, /^$/, /there is no none/],
  ['resolve A_B', 0, /A_B +1-24-5/, /warning: no namespace can be called "A_B" \[namespace-name\]/],
  ['explain A_B', 0, /A_B/, /\[namespace-name\]/],
  ['resolve', 2, /^$/, /no namespace given/],
  ['resolve a --rollouts none.yml', 2, /^$/, /there is no none\.yml\n {2}hint: name the file with --rollouts/],
  ['resolve a --fleet none.yml', 2, /^$/, /there is no none\.yml/],
  ['resolve a --lock none', 2, /^$/, /there is no none/],
  ['resolve a --rollouts .', 2, /^$/, /cannot read \.: it is a folder/],
  [
    'resolve a --rollouts circle.yml',
    2,
    /^$/,
    /cannot read circle\.yml: too many symbolic links encountered \(ELOOP\)/,
  ],
  [
    'resolve a --rollouts latin1.yml',
    2,
    /^$/,
    /latin1\.yml:1:\d+: error: byte 0xe9 is not UTF-8.*\n {2}hint: save it as UTF-8/,
  ],
  ['resolve a --rollouts other.yml', 2, /^$/, /other\.yml:2:5: error: fairway\.yml lists no revision "1-26-0"/],
  ['validate', 0, /^$/, /rollouts\.yml: 2 buckets, no problems/],
  ['validate --strict', 0, /^$/, /no problems/],
  ['validate eu.yml --lock rollouts.lock', 0, /^$/, /eu\.yml: 1 bucket, no problems/],
  ['validate bad.yml', 2, /^$/, /bad\.yml:1:1: error: expected a map/],
  ['validate endless.yml', 2, /^$/, /"a": x{60}… \(9999 characters\) is not a number/],
  ['validate open.yml', 2, /^$/, /hint: close the bracket that is open here/],
  ['validate -', 2, /^$/, /^stdin:1:1: error: the file is empty/],
  ['validate long.yml', 2, /^$/, /found nothing[^]{40,60}… \(7999 characters\)/],
  ['explain shop-a -o yaml', 0, /assignment:\n {2}kind: assigned[^]*owners:[^]*changes:/, /^$/],
  ['explain tmp', 0, /in the mesh +no: excluded by "tmp" of fairway\.yml/, /^$/],
  ['explain kube-system', 0, /in the mesh +no: a namespace of Kubernetes or Istio/, /^$/],
];
for (const [args, code, stdout, stderr] of rows) {
  test(`fairway ${args}: ${code}`, async () => {
    const found = await capture(args.split(' '), { cwd });
    assert.equal(found.code, code, found.stderr);
    assert.match(found.stdout, stdout);
    assert.match(found.stderr, stderr);
  });
}

test('fairway resolve reads names from stdin', async () => {
  const { code, stdout } = await capture(['resolve', '-'], { cwd, stdin: 'namespace/web\nnamespace/api\n' });
  assert.deepEqual([code, stdout.split('\n').length], [0, 4]);
});
