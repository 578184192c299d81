import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRules, ruleFileNames } from './rules.ts';

test('the rules of a rollouts.yml', () => {
  const rules = readRules({ 'rollouts.yml': 'pay-.*: {b-2: 100}\nproduction: {a-1: 100}\n' });
  assert.ok(rules.kind === 'valid');
  const { wanted, remutateAfterMs, unlabelled, isNewer, isRetired } = rules.value.rules;
  assert.deepEqual(wanted('pay-eu'), { kind: 'revision', revision: 'b-2', bucket: 'pay-.*' });
  assert.equal(wanted('pay-eu'), wanted('pay-eu'), 'remembered');
  assert.deepEqual(wanted('shop'), { kind: 'revision', revision: 'a-1', bucket: 'production' });
  assert.deepEqual(wanted('kube-system'), { kind: 'outside', reason: 'system-namespace' });
  assert.equal(remutateAfterMs('production', 'a-1'), 14 * 86_400_000);
  assert.equal(unlabelled('shop'), 'leave');
  assert.equal(isRetired('a-1'), false);
  assert.deepEqual([isNewer('b-10', 'b-9'), isNewer('b-9', 'b-10')], [true, false]);
});

test('two patterns of one length leave a namespace unresolved', () => {
  const rules = readRules({ 'rollouts.yml': 'ab.*: {b-2: 100}\n.*ba: {b-2: 100}\nproduction: {a-1: 100}\n' });
  assert.ok(rules.kind === 'valid');
  assert.equal(rules.value.rules.wanted('abba').kind, 'unresolved');
});

test('problems of both files are told at once', () => {
  const rules = readRules({ 'rollouts.yml': 'production: {a-1: 99}\n', 'rollouts.lock': 'nonsense' });
  assert.ok(rules.kind === 'invalid');
  assert.deepEqual(new Set(rules.problems.map(({ file }) => file)), new Set(['rollouts.yml', 'rollouts.lock']));
});

test('what fairway.yml says about admission', () => {
  const fleet = [
    'revisions: {a-1: {retired: true}, b-2: {}, c-3: {remutateAfter: 0}}',
    'buckets: {production: {remutateAfter: 1h}}',
    'admission: {unlabelled: {"pay-.*": label}}',
  ].join('\n');
  const read = readRules({ 'rollouts.yml': 'production: {b-2: 50, c-3: 50}\n', 'fairway.yml': fleet });
  assert.deepEqual(read.problems, []);
  assert.ok(read.kind === 'valid');
  const { isRetired, remutateAfterMs, unlabelled } = read.value.rules;
  assert.deepEqual([isRetired('a-1'), isRetired('b-2')], [true, false]);
  assert.deepEqual([remutateAfterMs('production', 'b-2'), remutateAfterMs('production', 'c-3')], [3_600_000, 0]);
  assert.deepEqual([unlabelled('pay-eu'), unlabelled('shop')], ['label', 'leave']);
});

const clusters = {
  'rollouts.yml': 'production: {a-1: 100}\n',
  'rollouts.eu.yml': 'production: {b-2: 100}\n',
  'fairway.yml': 'clusters: {eu: {rollouts: rollouts.eu.yml, exclude: [legacy]}, us: {}}\n',
};
const views: readonly (readonly [cluster: string | undefined, shop: string, legacy: string])[] = [
  [undefined, 'a-1', 'revision'],
  ['us', 'a-1', 'revision'],
  ['eu', 'b-2', 'outside'],
];
for (const [cluster, shop, legacy] of views)
  test(`the rules as cluster ${cluster} sees them`, () => {
    const read = readRules(clusters, cluster);
    assert.ok(read.kind === 'valid');
    const { wanted } = read.value.rules;
    assert.deepEqual(wanted('shop'), { kind: 'revision', revision: shop, bucket: 'production' });
    assert.equal(wanted('legacy').kind, legacy);
  });

test('a cluster has files of its own, and one that fairway.yml does not list has no rules', () => {
  const fleet = clusters['fairway.yml'];
  assert.deepEqual(ruleFileNames(fleet, 'eu'), { rollouts: 'rollouts.eu.yml', lock: 'rollouts.eu.lock' });
  assert.deepEqual(ruleFileNames(undefined, 'eu'), { rollouts: 'rollouts.yml', lock: 'rollouts.lock' });
  assert.equal(ruleFileNames(fleet, 'ue'), undefined);
  const read = readRules(clusters, 'ue');
  assert.deepEqual([read.kind, read.problems.map(({ code }) => code)], ['invalid', ['cluster-unknown']]);
  const broken = readRules({ ...clusters, 'rollouts.eu.yml': 'production: {b-2: 9}\n' }, 'eu');
  assert.deepEqual(
    broken.problems.map(({ file }) => file),
    ['rollouts.eu.yml'],
  );
});
