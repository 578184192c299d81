// Schedules of one stream, and laws over random ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  extensionConfigType as ecds,
  healthType,
  listenerType as lds,
  nameTableType as nds,
  type OwnRequest,
  proxyConfigType as pcds,
} from './messages.ts';
import { type Health, openingStream, routeOf, type StreamInput, type StreamPolicy, transition } from './stream.ts';

const cds = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
const policy: StreamPolicy = { own: [nds, pcds], convertsExtensions: true };
const asked = (typeUrl: string, version = '', health?: Health): StreamInput => ({
  kind: 'requested',
  request: { typeUrl, version },
  health,
});
const response = (typeUrl: string, version = '1') => ({ typeUrl, version, nonce: `n${version}`, resources: [] });
const healthy: Health = { kind: 'healthy' };
const unhealthy: Health = { kind: 'unhealthy', message: 'refused' };
const own = (typeUrl: string, more: Partial<OwnRequest> = {}): OwnRequest => ({ typeUrl, ...more });
const ill = own(healthType, { problem: 'refused' });
const well = own(healthType, { problem: undefined });

const schedules: readonly (readonly [what: string, StreamPolicy, StreamInput[], OwnRequest[]])[] = [
  ['nothing is added before listeners', policy, [asked(cds), { kind: 'health', health: healthy }, asked(cds, '1')], []],
  ['after listeners, once, in order', policy, [asked(cds), asked(lds), asked(lds, '1')], [own(nds), own(pcds)]],
  ['no own types', { ...policy, own: [] }, [asked(lds)], []],
  ['the last health goes along', policy, [asked(lds, '', unhealthy)], [own(nds), own(pcds), ill]],
  [
    'a change of health is told at once',
    { ...policy, own: [] },
    [asked(lds), { kind: 'health', health: unhealthy }, { kind: 'health', health: healthy }],
    [ill, well],
  ],
  [
    'own responses are acknowledged or refused',
    policy,
    [
      { kind: 'taken', response: response(nds), problem: undefined },
      { kind: 'taken', response: response(nds, '2'), problem: 'malformed' },
    ],
    [
      own(nds, { version: '1', nonce: 'n1', problem: undefined }),
      own(nds, { version: '2', nonce: 'n2', problem: 'malformed' }),
    ],
  ],
  [
    'extensions are refused with the version that Envoy has',
    policy,
    [
      asked(ecds),
      asked(ecds, '4'),
      asked(ecds),
      { kind: 'not-converted', response: response(ecds, '5'), problem: '404' },
    ],
    [own(ecds, { version: '4', nonce: 'n5', problem: '404' })],
  ],
];
for (const [what, rules, inputs, requests] of schedules) {
  test(what, () => {
    let state = openingStream;
    const sent = inputs.flatMap((input) => {
      const [next, effects] = transition(rules, state, input);
      state = next;
      return effects;
    });
    assert.deepEqual(sent, requests);
  });
}

test('routes', () => {
  assert.deepEqual(
    [nds, pcds, ecds, cds].map((typeUrl) => routeOf(policy, typeUrl)),
    ['own', 'own', 'convert', 'pass'],
  );
  const plain = { own: [], convertsExtensions: false };
  assert.deepEqual(
    [nds, pcds, ecds, cds].map((typeUrl) => routeOf(plain, typeUrl)),
    ['pass', 'pass', 'pass', 'pass'],
  );
});

test('law: each own type is asked for once a stream, and nothing of the agent comes before listeners', () => {
  const input = fc.oneof(
    fc
      .tuple(fc.constantFrom(cds, lds, ecds), fc.constantFrom('', '1'))
      .map(([typeUrl, version]) => asked(typeUrl, version)),
    fc.constantFrom<StreamInput>({ kind: 'health', health: healthy }, { kind: 'health', health: unhealthy }),
  );
  const asksForListeners = (each: StreamInput): boolean => each.kind === 'requested' && each.request.typeUrl === lds;
  fc.assert(
    fc.property(fc.array(input), (inputs) => {
      const opens = inputs.findIndex(asksForListeners);
      let state = openingStream;
      const sent = inputs.map((each) => {
        const [next, effects] = transition(policy, state, each);
        state = next;
        return effects.map(({ typeUrl }) => typeUrl);
      });
      assert.deepEqual(sent.slice(0, opens === -1 ? sent.length : opens).flat(), []);
      assert.equal(sent.flat().filter((each) => each === nds).length, opens === -1 ? 0 : 1);
    }),
  );
});
