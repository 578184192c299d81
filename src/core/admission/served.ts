// Which revisions and revision tags a cluster's injectors serve, read off the selectors of its mutating webhook configurations,
// as the API server reads them: a pod whose label no selector asks for gets no sidecar.
import { revisionLabelKey } from '../mutate/index.ts';
import { asList, asRecord, type JsonRecord, textField } from './record.ts';

export interface Served {
  readonly revisions: ReadonlySet<string>;
  readonly tags: ReadonlySet<string>;
}

const tagLabel = 'istio.io/tag';

/** What one configuration serves; empty for one that is no injector, or whose selectors were made to match nothing. */
export function servedBy(configuration: unknown): Served {
  const names = asList(asRecord(configuration)['webhooks']).filter(callsForPods).flatMap(selectedRevisions);
  const isTag = textField(labelsOf(configuration), tagLabel) !== undefined;
  const found: ReadonlySet<string> = new Set(names);
  return isTag ? { revisions: none, tags: found } : { revisions: found, tags: none };
}

/** The union over a cluster's configurations. */
export function servedByAll(each: Iterable<Served>): Served {
  const [revisions, tags] = [new Set<string>(), new Set<string>()];
  for (const served of each) {
    for (const revision of served.revisions) revisions.add(revision);
    for (const tag of served.tags) tags.add(tag);
  }
  return { revisions, tags };
}

const none: ReadonlySet<string> = new Set();

function labelsOf(object: unknown): JsonRecord {
  return asRecord(asRecord(asRecord(object)['metadata'])['labels']);
}

function callsForPods(webhook: unknown): boolean {
  return asList(asRecord(webhook)['rules']).some((each) => {
    const rule = asRecord(each);
    return includesAny(rule['operations'], ['CREATE', '*']) && includesAny(rule['resources'], ['pods', '*', '*/*']);
  });
}

function includesAny(list: unknown, wanted: readonly string[]): boolean {
  return asList(list).some((each) => typeof each === 'string' && wanted.includes(each));
}

/**
 * The values that a pod's label may have for this webhook. A selector of namespaces counts too: a namespace's label is taken
 * from the same list of names, and a revision that only namespaces name is in use.
 */
function selectedRevisions(webhook: unknown): string[] {
  const { objectSelector, namespaceSelector } = asRecord(webhook) as {
    objectSelector?: unknown;
    namespaceSelector?: unknown;
  };
  return [objectSelector, namespaceSelector].flatMap((selector) => {
    const label = textField(asRecord(asRecord(selector)['matchLabels']), revisionLabelKey);
    return [...(label === undefined ? [] : [label]), ...expressionValues(selector)];
  });
}

function expressionValues(selector: unknown): string[] {
  return asList(asRecord(selector)['matchExpressions'])
    .map(asRecord)
    .filter((each) => each['key'] === revisionLabelKey && each['operator'] === 'In')
    .flatMap((each) => asList(each['values']))
    .filter((value) => typeof value === 'string');
}
