import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  dueNames,
  newStream,
  onRequest,
  onSent,
  type SecretRequest,
  type SecretStream,
  type StreamForm,
} from './stream.ts';

const silent: SecretRequest = { nonce: '', names: [], dropped: [], known: new Map(), refusal: undefined };

type Act =
  | { readonly ask: Partial<SecretRequest> }
  /** What is sent at this moment must be these names. */
  | { readonly sends: readonly string[]; readonly nonce?: string }
  | { readonly has: Readonly<Record<string, string>> };

const rows: readonly (readonly [name: string, form: StreamForm, acts: readonly Act[]])[] = [
  [
    'what is there is sent, once',
    'whole',
    [
      { has: { a: '1' } },
      { ask: { names: ['a'] } },
      { sends: ['a'], nonce: 'n1' },
      { ask: { names: ['a'], nonce: 'n1' } },
      { sends: [] },
    ],
  ],
  [
    'what comes later is sent later',
    'whole',
    [{ ask: { names: ['a'] } }, { sends: [] }, { has: { a: '1' } }, { sends: ['a'] }],
  ],
  [
    'a rotation is sent to who wants it',
    'whole',
    [
      { has: { a: '1', b: '1' } },
      { ask: { names: ['a'] } },
      { sends: ['a'] },
      { has: { a: '2', b: '2' } },
      { sends: ['a'] },
    ],
  ],
  [
    'a name is added, another dropped',
    'whole',
    [
      { has: { a: '1', b: '1' } },
      { ask: { names: ['a'] } },
      { sends: ['a'], nonce: 'n1' },
      { ask: { names: ['b'], nonce: 'n1' } },
      { sends: ['b'] },
      { has: { a: '2' } },
      { sends: [] },
    ],
  ],
  [
    'no names: nothing more',
    'whole',
    [
      { has: { a: '1' } },
      { ask: { names: ['a'] } },
      { sends: ['a'], nonce: 'n' },
      { ask: { nonce: 'n' } },
      { has: { a: '2' } },
      { sends: [] },
    ],
  ],
  [
    'a refused answer is not repeated, its successor is sent',
    'whole',
    [
      { has: { a: '1' } },
      { ask: { names: ['a'] } },
      { sends: ['a'], nonce: 'n' },
      { ask: { names: ['a'], nonce: 'n', refusal: 'bad' } },
      { sends: [] },
      { has: { a: '2' } },
      { sends: ['a'] },
    ],
  ],
  [
    'a stale request does not take names back',
    'whole',
    [
      { has: { a: '1', b: '1' } },
      { ask: { names: ['a', 'b'] } },
      { sends: ['a', 'b'], nonce: 'n2' },
      { ask: { names: ['a'], nonce: 'n1' } },
      { has: { b: '2' } },
      { sends: ['b'] },
    ],
  ],
  [
    'after a reconnection the nonce is another server’s',
    'whole',
    [{ has: { a: '1' } }, { ask: { names: ['a'], nonce: 'old' } }, { sends: ['a'] }],
  ],
  [
    'delta: added and dropped',
    'delta',
    [
      { has: { a: '1', b: '1' } },
      { ask: { names: ['a'] } },
      { sends: ['a'], nonce: 'n1' },
      { ask: { nonce: 'n1' } },
      { sends: [] },
      { ask: { names: ['b'] } },
      { sends: ['b'] },
      { ask: { dropped: ['a'] } },
      { has: { a: '2', b: '2' } },
      { sends: ['b'] },
      { ask: { names: ['a'] } },
      { sends: ['a'] },
    ],
  ],
  [
    'delta: asked again, sent again',
    'delta',
    [{ has: { a: '1' } }, { ask: { names: ['a'] } }, { sends: ['a'] }, { ask: { names: ['a'] } }, { sends: ['a'] }],
  ],
  [
    'delta: what the other end brought from another stream is not sent, unless it is old',
    'delta',
    [
      { has: { a: '1', b: '2' } },
      {
        ask: {
          names: ['a', 'b'],
          known: new Map([
            ['a', '1'],
            ['b', '1'],
            ['c', '1'],
          ]),
        },
      },
      { sends: ['b'] },
    ],
  ],
];

for (const [name, form, acts] of rows)
  test(name, () => {
    let stream = newStream(form);
    const there = new Map<string, string>();
    for (const act of acts) {
      if ('has' in act) for (const [secret, version] of Object.entries(act.has)) there.set(secret, version);
      else if ('ask' in act) stream = onRequest(stream, { ...silent, ...act.ask });
      else {
        const names = dueNames(stream, (secret) => there.get(secret));
        assert.deepEqual(names, act.sends);
        if (names.length > 0) stream = sent(stream, there, act.nonce ?? 'n');
      }
    }
  });

function sent(stream: SecretStream, there: ReadonlyMap<string, string>, nonce: string): SecretStream {
  const names = dueNames(stream, (name) => there.get(name));
  return onSent(stream, { nonce, versions: new Map(names.map((name) => [name, there.get(name) ?? ''])) });
}

test('who wants a secret has its newest version once all is sent, and no secret is sent that nobody wants', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const names = fc.uniqueArray(name, { maxLength: 3 });
  const act = fc.oneof(
    fc.record({ change: name }),
    fc.record({
      names,
      dropped: names,
      stale: fc.boolean(),
      refusal: fc.option(fc.constant('no'), { nil: undefined }),
    }),
  );
  fc.assert(
    fc.property(fc.constantFrom('whole', 'delta'), fc.array(act, { maxLength: 20 }), (form, acts) => {
      let stream = newStream(form);
      const there = new Map<string, string>();
      let version = 0;
      for (const each of acts) {
        if ('change' in each) there.set(each.change, String(++version));
        else stream = onRequest(stream, { ...silent, ...each, nonce: each.stale ? 'stale' : stream.nonce });
        for (const due of dueNames(stream, (secret) => there.get(secret))) assert.ok(stream.names.has(due));
        stream = sent(stream, there, `n${++version}`);
        assert.deepEqual(
          dueNames(stream, (secret) => there.get(secret)),
          [],
        );
        for (const wanted of stream.names) assert.equal(stream.has.get(wanted), there.get(wanted));
      }
    }),
    { numRuns: 200 },
  );
});
