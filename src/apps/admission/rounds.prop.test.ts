import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { tablePace } from './policy-tables.ts';
import { nextRoundMs } from './rounds.ts';

interface Round {
  readonly beganMs: number;
  readonly endedMs: number;
}

/** Rounds by a clock that only the changes and the lengths of the rounds move. */
function roundsOf(changes: readonly number[], lengths: readonly number[], untilMs: number): readonly Round[] {
  const rounds: Round[] = [];
  for (let beganMs = 0; beganMs <= untilMs; ) {
    const endedMs = beganMs + (lengths[rounds.length % lengths.length] ?? 0);
    rounds.push({ beganMs, endedMs });
    const began = beganMs;
    beganMs = nextRoundMs({ endedMs, changedMs: changes.find((at) => at >= began) }, tablePace);
  }
  return rounds;
}

const changes = fc.array(fc.nat(60_000), { minLength: 1, maxLength: 200 }).map((all) => all.sort((a, b) => a - b));
const lengths = fc.array(fc.nat(2000), { minLength: 1, maxLength: 20 });

test('a change is taken up and written within 5 s of its sight, where a round takes no longer than 2 s', () => {
  fc.assert(
    fc.property(changes, lengths, (all, long) => {
      const rounds = roundsOf(all, long, 70_000);
      for (const at of all) {
        const taken = rounds.find(({ beganMs }) => beganMs >= at);
        assert.ok(taken !== undefined && taken.endedMs - at <= 5000, `${at}: ${taken?.endedMs}`);
      }
    }),
  );
});

test('a round begins no sooner than the rest after the last, however much changes', () => {
  fc.assert(
    fc.property(changes, lengths, (all, long) => {
      const rounds = roundsOf(all, long, 70_000);
      for (const [i, { beganMs }] of rounds.entries())
        assert.ok(i === 0 || beganMs - (rounds[i - 1]?.endedMs ?? 0) >= tablePace.restMs);
    }),
  );
});
