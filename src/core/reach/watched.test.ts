import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWatchedKind, watchedTypes } from './watched.ts';

test('what Krispr watches', () => {
  const kinds = ['Deployment', 'CronJob', 'Pod', 'Rollout', 'CloneSet'].map((kind) =>
    isWatchedKind(kind, [{ kind: 'CloneSet' }]),
  );
  assert.deepEqual(kinds, [true, true, true, false, true]);
});

test('each type stands once', () => {
  assert.equal(new Set(watchedTypes.map(({ group, plural }) => `${plural}.${group}`)).size, watchedTypes.length);
});
