import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DrainBudget, drainBudget, drainDeadlineMs } from './drain-budget.ts';

const rows: readonly (readonly [
  preStop: number,
  drain: number,
  grace: number,
  fits: DrainBudget['fits'],
  drainsFor: number,
])[] = [
  [0, 5, 30, 'yes', 5],
  [0, 28, 30, 'yes', 28],
  [0, 29, 30, 'no-margin', 29],
  [0, 30, 30, 'no', 30],
  [20, 310, 30, 'no', 10],
  [40, 5, 30, 'no', 0],
  [0, 5, 0, 'no', 0],
  [0, 0, 1, 'yes', 0],
];
for (const [preStop, drain, grace, fits, drainsFor] of rows) {
  test(`preStop ${preStop} s and drain ${drain} s in a grace period of ${grace} s: ${fits}`, () => {
    const budget = drainBudget({
      graceMs: grace * 1000,
      preStopMs: preStop * 1000,
      drainMs: drain * 1000,
      envoyDrainMs: 45_000,
    });
    assert.equal(budget.fits, fits);
    assert.equal(budget.drainsForMs, drainsFor * 1000);
    assert.equal(budget.envoyDrainIsCutOff, grace < 45);
  });
}

test('what is proposed fits', () => {
  const times = { graceMs: 30_000, preStopMs: 20_000, drainMs: 310_000, envoyDrainMs: 45_000 };
  const { lengthenGraceToMs, shortenDrainToMs = 0 } = drainBudget(times);
  assert.equal(drainBudget({ ...times, graceMs: lengthenGraceToMs }).fits, 'yes');
  assert.equal(drainBudget({ ...times, drainMs: shortenDrainToMs }).fits, 'yes');
  assert.equal(drainBudget({ ...times, preStopMs: 30_000 }).shortenDrainToMs, undefined);
});

test('the deadline leaves the margin, and is never below zero', () => {
  assert.equal(drainDeadlineMs({ graceMs: 60_000, preStopMs: 0 }), 58_000);
  assert.equal(drainDeadlineMs({ graceMs: 30_000, preStopMs: 29_000 }), 0);
});
