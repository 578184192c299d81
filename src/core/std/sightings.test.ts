import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sightings } from './sightings.ts';

test('what was given before is known, anything else is not', () => {
  const seen = sightings(1024);
  assert.deepEqual(
    [seen('a pod'), seen('a pod'), seen('another'), seen('a pod'), seen('another')],
    [false, true, false, true, true],
  );
});

test('a part of a text is what it says', () => {
  const seen = sightings(1024);
  assert.equal(seen('- name: web\n', 2, 11), false);
  assert.equal(seen('name: web'), true);
  assert.equal(seen('- name: web\n', 2), false);
});

test('newer texts take the places of older ones', () => {
  const seen = sightings(16);
  for (let i = 0; i < 1000; i++) seen(`text ${i}`);
  const known = Array.from({ length: 1000 }, (_, i) => seen(`text ${999 - i}`)).filter(Boolean).length;
  assert.ok(known >= 1 && known <= 16, String(known));
});
