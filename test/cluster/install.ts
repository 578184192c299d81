// Fairway's own manifests in a cluster whose servers are processes of this machine: everything but the Deployment, and a Service whose
// endpoints are made by hand.
import assert from 'node:assert/strict';
import { parseAllDocuments } from 'yaml';
import { defaultConfigText, defaultValuesText } from '../../src/core/inject/index.ts';
import { apply, fairway } from './kube.ts';

/** Applies what `fairway admission manifests` prints for these arguments, and gives back all of it. */
export async function install(...args: readonly string[]): Promise<readonly object[]> {
  const made = await fairway('admission', 'manifests', '--image', 'example.test/fairway:1', ...args);
  assert.equal(made.status, 0, made.stderr);
  const all = parseAllDocuments(made.stdout).map((document) => document.toJS() as object);
  apply(
    ...all
      .filter((each) => !isKind(each, 'Deployment'))
      .map((each) => (isKind(each, 'Service') ? withoutSelector(each) : each)),
  );
  return all;
}

/** Templates, values and mesh configuration of a revision, where istiod's chart leaves them. */
export function applyInjectorTexts(revision: string): void {
  const discovery = `istiod-${revision}.istio-system.svc:15012`;
  const values = defaultValuesText({ image: 'example.test/proxy:2', discovery, revision });
  const mesh = `defaultConfig: {discoveryAddress: "${discovery}"}\n`;
  for (const [name, data] of [
    [`istio-sidecar-injector-${revision}`, { config: defaultConfigText(), values }],
    [`istio-${revision}`, { mesh }],
  ] as const)
    apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'istio-system' }, data });
}

export function isKind(object: object, kind: string): boolean {
  return (object as { kind: string }).kind === kind;
}

function withoutSelector(service: object): object {
  const { spec, ...rest } = service as { spec: { selector?: object } };
  const { selector: _, ...kept } = spec;
  return { ...rest, spec: kept };
}
