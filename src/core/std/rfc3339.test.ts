import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRfc3339 } from './rfc3339.ts';

for (const [text, ms] of [
  ['2026-01-31T12:00:00Z', Date.UTC(2026, 0, 31, 12)],
  ['2026-01-31t12:00:00.5+01:00', Date.UTC(2026, 0, 31, 11, 0, 0, 500)],
  ['2024-02-29', Date.UTC(2024, 1, 29)],
  ['2026-02-29', undefined],
  ['2026-02-30T00:00:00Z', undefined],
  ['2026-04-31T00:00:00Z', undefined],
  ['2026-13-01T00:00:00Z', undefined],
  ['2026-01-31T25:00:00Z', undefined],
  ['2026-01-31T12:00:00', undefined],
  ['yesterday', undefined],
  ['', undefined],
] as const)
  test(`the time ${JSON.stringify(text)}`, () => assert.equal(parseRfc3339(text), ms));
