import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashOf, sightings } from './sightings.ts';

test('what was given before is known, anything else is not', () => {
  const seen = sightings(1024);
  const texts = ['a pod', 'a pod', 'another', 'a pod', 'another'];
  assert.deepEqual(
    texts.map((text) => seen(hashOf(text))),
    [false, true, false, true, true],
  );
});

test('a part of a text hashes as the same text alone', () => {
  assert.equal(hashOf('- name: web\n', 2, 11), hashOf('name: web'));
  assert.notEqual(hashOf('- name: web\n', 2), hashOf('name: web'));
});

test('newer texts take the places of older ones', () => {
  const seen = sightings(16);
  for (let i = 0; i < 1000; i++) seen(hashOf(`text ${i}`));
  const known = Array.from({ length: 1000 }, (_, i) => seen(hashOf(`text ${999 - i}`))).filter(Boolean).length;
  assert.ok(known >= 1 && known <= 16, String(known));
});
