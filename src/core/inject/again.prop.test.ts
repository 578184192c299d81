import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { workload } from '../../../test/istio/pods.ts';
import {
  defaultConfigText,
  defaultValuesText,
  InjectError,
  inject,
  type JsonObject,
  ownerOf,
  parseInjector,
} from './index.ts';
import { conform } from './schema/conform.ts';
import { wholePod } from './schema/schema.ts';

const configOf = (image: string) =>
  parseInjector({
    config: defaultConfigText(),
    values: defaultValuesText({ image, discovery: 'istiod:15012', revision: '' }),
    mesh: '',
  });
const [one, two] = [configOf('registry.example/proxy:1'), configOf('registry.example/proxy:2')];

function run(pod: JsonObject, native: boolean, config = one): JsonObject {
  const shared = { nativeSidecars: native, proxyEnv: {}, compat: 'fairway', revision: '' } as const;
  return inject({ ...shared, config, pod, namespace: 'team-a', owner: ownerOf(pod) }).pod;
}

/** Pods that can be injected at all. */
const pods = workload.map((object): JsonObject => {
  const template = object['kind'] === 'Pod' ? object : ((object['spec'] as JsonObject)['template'] as JsonObject);
  const spec = { ...(template['spec'] as JsonObject) };
  // An owner's volume that is called like one of ours cannot be told from it afterwards; what nobody uses then moves within the list.
  if (spec['volumes'] !== undefined) spec['volumes'] = [{ name: 'data', emptyDir: {} }];
  return { spec, metadata: { name: 'web', namespace: 'team-a', ...(template['metadata'] as JsonObject) } };
});
const injectable = fc.tuple(pods, fc.boolean(), fc.boolean()).filter(([pod, native]) => {
  try {
    run(pod, native);
    return true;
  } catch (error) {
    if (error instanceof InjectError) return false;
    throw error;
  }
});

test('injecting again changes nothing', () => {
  fc.assert(
    fc.property(injectable, ([pod, native]) => {
      const once = run(pod, native);
      assert.deepEqual(run(once, native), once);
    }),
    { numRuns: 40 },
  );
});

test('another revision, and the other way of running, replace the first whole', () => {
  fc.assert(
    fc.property(injectable, ([pod, native, other]) => {
      const direct = run(pod, other, two);
      const after = run(run(pod, native), other, two);
      assert.deepEqual(namesOf(after), namesOf(direct));
      assert.deepEqual(proxyOf(after), proxyOf(direct));
    }),
    { numRuns: 40 },
  );
});

test('the result is canonical', () => {
  fc.assert(
    fc.property(injectable, ([pod, native]) => {
      const once = run(pod, native);
      assert.deepEqual(conform(wholePod(), once, ''), once);
    }),
    { numRuns: 30 },
  );
});

function listOf(pod: JsonObject, list: string): readonly JsonObject[] {
  return ((pod['spec'] as JsonObject)[list] ?? []) as unknown as readonly JsonObject[];
}

function namesOf(pod: JsonObject): unknown {
  return ['containers', 'initContainers', 'volumes'].map((list) => listOf(pod, list).map(({ name }) => name));
}

function proxyOf(pod: JsonObject): unknown {
  return [...listOf(pod, 'containers'), ...listOf(pod, 'initContainers')].find(({ name }) => name === 'istio-proxy');
}
