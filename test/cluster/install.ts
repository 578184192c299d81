// Fairway's own manifests in a cluster whose servers are processes of this machine: everything but the Deployment, and a Service whose
// endpoints are made by hand.
import assert from 'node:assert/strict';
import { parseAllDocuments } from 'yaml';
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

export function isKind(object: object, kind: string): boolean {
  return (object as { kind: string }).kind === kind;
}

function withoutSelector(service: object): object {
  const { spec, ...rest } = service as { spec: { selector?: object } };
  const { selector: _, ...kept } = spec;
  return { ...rest, spec: kept };
}
