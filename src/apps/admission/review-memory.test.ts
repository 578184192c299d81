import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeReview } from '../../core/admission/index.ts';
import { type Remembered, type ReviewMemory, reviewMemory } from './review-memory.ts';

const bodyOf = (uid: string, rest = '"object":{"metadata":{}}'): string =>
  `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"${uid}",${rest}}}`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

function answerTo(uid: string): Remembered {
  const answer = { uid, patch: [{ op: 'add', path: '/x', value: 1 }], warnings: ['w'], audit: {} };
  const reviewed = { kind: 'answered', answer, verdict: 'inject', because: 'injected', dryRun: false } as const;
  return { reviewed, text: JSON.stringify(writeReview(answer, base64)) };
}

/** What comes twice is held. */
function rememberTwice(memory: ReviewMemory, ...seen: Parameters<ReviewMemory['remember']>): void {
  memory.remember(...seen);
  memory.remember(...seen);
}

const config = {};
const circumstances = ['b-2', config, true];

test('a review that differs in its uid alone gets the same answer with its own uid', () => {
  const memory = reviewMemory();
  rememberTwice(memory, bodyOf('a-1'), circumstances, answerTo('a-1'));
  const known = memory.recall(bodyOf('b-22'), ['b-2', config, true]);
  assert.equal(known?.text, answerTo('b-22').text);
  assert.equal(known?.reviewed.verdict, 'inject');
});

const strangers: Readonly<Record<string, readonly [body: string, circumstances: readonly unknown[]]>> = {
  'another body': [bodyOf('a-1', '"object":{}'), circumstances],
  'another configuration': [bodyOf('a-1'), ['b-2', {}, true]],
  'another node': [bodyOf('a-1'), ['b-2', config, false]],
  'another path': [bodyOf('a-1'), ['b-2/net/x', config, true]],
  'keys in another order': ['{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}', circumstances],
};
for (const [name, [body, others]] of Object.entries(strangers))
  test(`not remembered: ${name}`, () => {
    const memory = reviewMemory();
    rememberTwice(memory, bodyOf('a-1'), circumstances, answerTo('a-1'));
    assert.equal(memory.recall(body, others), undefined);
  });

test('an answer whose uid stands elsewhere in it, or is not the one at the beginning, is not remembered', () => {
  const memory = reviewMemory();
  rememberTwice(memory, bodyOf('uid'), circumstances, answerTo('uid'));
  rememberTwice(memory, bodyOf('a-1', '"uid":"b-2"'), circumstances, answerTo('b-2'));
  assert.equal(memory.recall(bodyOf('uid'), circumstances), undefined);
  assert.equal(memory.recall(bodyOf('a-1', '"uid":"b-2"'), circumstances), undefined);
});

test('what came once is not held', () => {
  const memory = reviewMemory();
  memory.remember(bodyOf('a-1'), circumstances, answerTo('a-1'));
  assert.equal(memory.recall(bodyOf('b-22'), circumstances), undefined);
});

test('the least used of many is forgotten', () => {
  const memory = reviewMemory();
  const body = (i: number): string => bodyOf(`a-${i}`, `"object":{"n":${i}}`);
  for (let i = 0; i < 200; i++) {
    rememberTwice(memory, body(i), circumstances, answerTo(`a-${i}`));
    memory.recall(body(0), circumstances);
  }
  const known = Array.from({ length: 200 }, (_, i) => memory.recall(body(i), circumstances) !== undefined);
  assert.equal(known.filter(Boolean).length, 128);
  assert.deepEqual([known[0], known[1], known[199]], [true, false, true]);
});
