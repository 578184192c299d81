// Laws over random CAs: one request at a time, never a silent end, what is held is good, and who repeats does so in time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { prng } from '../std/prng.ts';
import { beginIdentity, type IdentityInput, type Issued, identityDueMs, identityStep } from './machine.ts';

const answer = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('issued' as const),
      lifeMs: fc.integer({ min: -5000, max: 90_000 }),
      root: fc.constantFrom('r', 's'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('refused' as const),
      failure: fc.constantFrom('transient' as const, 'lasting' as const),
    }),
  },
);
const turn = fc.record({
  answer,
  tookMs: fc.nat(3000),
  anchors: fc.option(fc.constantFrom('', 'a', 'b'), { nil: undefined, freq: 4 }),
});

test('whatever the CA does, the machine asks on, one request at a time, and serves only what is good', () => {
  fc.assert(
    fc.property(fc.array(turn, { minLength: 1, maxLength: 30 }), fc.boolean(), fc.nat(), (turns, keepHeld, seed) => {
      const policy = { graceRatio: 0.5, graceJitter: 0.1, keepHeld };
      const random = prng(seed);
      let [state, effects] = beginIdentity;
      let open = 0;
      let nowMs = 0;
      const count = (): void => {
        open += effects.filter(({ kind }) => kind === 'request').length;
        assert.ok(open <= 1, 'two requests at once');
      };
      const feed = (input: IdentityInput): void => {
        const answered = input.kind === 'issued' || input.kind === 'refused';
        if (answered) open--;
        [state, effects] = identityStep(policy, state, input, { nowMs, random });
        count();
      };
      count();
      for (const { answer: given, tookMs, anchors } of turns) {
        assert.equal(state.next.at, 'asking');
        nowMs += tookMs;
        if (anchors !== undefined) feed({ kind: 'anchors', pem: anchors === '' ? '' : pemOf(anchors) });
        feed(
          given.kind === 'issued' ? { kind: 'issued', issued: issuedOf(nowMs, given) } : { ...given, problem: 'no' },
        );
        for (let ticks = 0; state.next.at !== 'asking'; ticks++) {
          assert.ok(ticks < 3, 'a tick at the due time changes something');
          const dueMs = identityDueMs(state) ?? assert.fail('it never asks again');
          assert.ok(dueMs - nowMs <= 60_000 || dueMs <= nowMs + 90_000);
          nowMs = Math.max(nowMs, dueMs);
          feed({ kind: 'tick' });
        }
        if (state.held !== undefined) assert.ok(state.held.expiresMs > nowMs, 'what ended is not held');
      }
    }),
    { numRuns: 200 },
  );
});

function pemOf(name: string): string {
  return `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`;
}

function issuedOf(nowMs: number, { lifeMs, root }: { readonly lifeMs: number; readonly root: string }): Issued {
  return { chain: 'c', key: 'k', root: pemOf(root), createdMs: nowMs, expiresMs: nowMs + lifeMs };
}
