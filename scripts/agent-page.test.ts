import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { agentPage } from './agent-page.ts';

test('docs/reference/agent.md tells every setting as the tables have it (npm run docs:agent)', () => {
  assert.equal(readFileSync(new URL('../docs/reference/agent.md', import.meta.url), 'utf8'), agentPage());
});
