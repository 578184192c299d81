// Single steps and whole schedules of the workload's certificate. Times are in minutes, written as `min`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Prng, prng } from '../std/prng.ts';
import {
  beginIdentity,
  type IdentityEffect,
  type IdentityInput,
  type IdentityState,
  identityDueMs,
  identityStep,
  trustedRoots,
} from './machine.ts';

const min = 60_000;
const policy = { graceRatio: 0.5, graceJitter: 0, keepHeld: true };
const root = (name: string): string => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`;

function issuedAt(createdMs: number, lifeMs = 60 * min, by = 'r'): IdentityInput {
  const issued = { chain: `chain-${createdMs}`, key: 'k', root: root(by), createdMs, expiresMs: createdMs + lifeMs };
  return { kind: 'issued', issued };
}

const away: IdentityInput = { kind: 'refused', problem: 'connection refused', failure: 'transient' };
const denied: IdentityInput = { kind: 'refused', problem: 'no token', failure: 'lasting' };
const tick: IdentityInput = { kind: 'tick' };
const anchors = (...names: readonly string[]): IdentityInput => ({ kind: 'anchors', pem: names.map(root).join('') });

type Row = readonly [atMs: number, input: IdentityInput, effects: readonly string[]];

function told(effect: IdentityEffect): string {
  switch (effect.kind) {
    case 'request':
      return `request ${effect.key}`;
    case 'publish':
      return `publish ${effect.names.join(' ')}`;
    case 'note':
      return effect.note.kind;
  }
}

function play(rows: readonly Row[], keepHeld = true): IdentityState {
  let [state] = beginIdentity;
  const random: Prng = prng('schedule');
  for (const [nowMs, input, effects] of rows) {
    const [next, given] = identityStep({ ...policy, keepHeld }, state, input, { nowMs, random });
    assert.deepEqual(given.map(told), effects, `at ${nowMs} ms`);
    state = next;
  }
  return state;
}

const first: Row = [0, issuedAt(0), ['issued', 'publish ROOTCA default']];

test('the first certificate: both secrets are there, the next look is at half of its life', () => {
  const state = play([first]);
  assert.equal(identityDueMs(state), 30 * min);
  assert.equal(trustedRoots(state), root('r'));
});

test('renewal: one request with a new key; only the certificate is published when the root is the same', () => {
  const state = play([
    first,
    [29 * min, tick, []],
    [30 * min, tick, ['request new']],
    [31 * min, tick, []],
    [31 * min, issuedAt(31 * min), ['issued', 'publish default']],
  ]);
  assert.equal(state.held?.createdMs, 31 * min);
});

test('a new root is published before the certificate that it signed', () => {
  play([
    first,
    [30 * min, tick, ['request new']],
    [31 * min, issuedAt(31 * min, 60 * min, 'r2'), ['issued', 'root-changed', 'publish ROOTCA default']],
  ]);
});

test('the CA is away: the key is kept, the certificate is kept until it ends, and the CA is asked on', () => {
  const state = play([
    first,
    [30 * min, tick, ['request new']],
    [30 * min, away, ['refused']],
    [31 * min, tick, ['request same']],
    [31 * min, away, ['refused']],
  ]);
  assert.equal(state.held?.chain, 'chain-0');
  const late = play([
    first,
    [30 * min, tick, ['request new']],
    [30 * min, away, ['refused']],
    [60 * min, tick, ['expired', 'request same']],
    [61 * min, denied, ['refused']],
  ]);
  assert.equal(late.held, undefined);
  assert.equal(trustedRoots(late), root('r'), 'peers can still be checked');
  play([
    first,
    [30 * min, tick, ['request new']],
    [60 * min, tick, ['expired']],
    [60 * min, issuedAt(60 * min), ['issued', 'publish default']],
  ]);
});

test('failures in a row are counted up to a success', () => {
  const waits: number[] = [];
  const policyOf = { ...policy };
  const random: Prng = { next: () => 0.5, split: () => random };
  let [state] = beginIdentity;
  let nowMs = 0;
  for (const input of [away, tick, away, tick, away, tick, issuedAt(0), tick, away]) {
    if (input.kind === 'tick') nowMs = identityDueMs(state) ?? nowMs;
    [state] = identityStep(policyOf, state, input, { nowMs, random });
    if (input.kind === 'refused') waits.push((identityDueMs(state) ?? 0) - nowMs);
  }
  assert.deepEqual(waits, [100, 200, 400, 100]);
});

test('anchors: published with the CA’s root, and a new certificate is asked for', () => {
  const state = play([
    first,
    [1 * min, anchors('a', 'r'), ['anchors-changed', 'publish ROOTCA', 'request new']],
    [1 * min, anchors('r', 'a'), []],
    [2 * min, issuedAt(2 * min), ['issued', 'publish default']],
    [3 * min, anchors(), ['anchors-changed', 'publish ROOTCA', 'request new']],
  ]);
  assert.equal(trustedRoots(state), root('r'));
  assert.equal(state.held?.createdMs, 2 * min);
});

test('anchors while the CA is asked: once more afterwards, but not at the very first certificate', () => {
  play([
    [0, anchors('a'), ['anchors-changed']],
    [0, issuedAt(0), ['issued', 'publish ROOTCA default']],
  ]);
  play([
    first,
    [30 * min, tick, ['request new']],
    [30 * min, anchors('a'), ['anchors-changed', 'publish ROOTCA']],
    [31 * min, issuedAt(31 * min), ['issued', 'publish default', 'request new']],
    [32 * min, issuedAt(32 * min), ['issued', 'publish default']],
  ]);
});

test('anchors while waiting: asked at once', () => {
  play([
    first,
    [30 * min, tick, ['request new']],
    [30 * min, denied, ['refused']],
    [30 * min + 1, anchors('a'), ['anchors-changed', 'publish ROOTCA', 'request same']],
  ]);
});

test('as Istio does it, what is held is forgotten at the request', () => {
  assert.equal(play([first, [30 * min, tick, ['request new']]], false).held, undefined);
});

test('a certificate that has already ended is none', () => {
  assert.equal(play([[5 * min, issuedAt(0, 4 * min), ['refused']]]).held, undefined);
});

test('an answer that nobody asked for changes nothing', () => {
  play([first, [1, issuedAt(1), []], [1, away, []]]);
});
