// Webhooks that Fairway's injector stands in for: how they are marked, and what their selectors were.
import { parseObject } from '../std/json.ts';
import type { Labels, Selector } from './selector.ts';

export interface Selectors {
  readonly namespaceSelector: Selector;
  readonly objectSelector: Selector;
}

/** Put into the selectors of a webhook; no object carries it. Upgrades of istiod's chart may merge their selectors into it. */
const mark = { key: 'fairway.dev/taken-over', value: 'never-match' } as const;
const never: Selector = { matchLabels: { [mark.key]: mark.value } };
export const switchedOff: Selectors = { namespaceSelector: never, objectSelector: never };

/** By webhook's name, as JSON. */
export const keptAnnotation = 'fairway.dev/selectors-before-take-over';
export type Kept = Readonly<Record<string, Selectors>>;

/** Nothing where the annotation is not there, or is no longer what was written. */
export function keptIn(annotations: Labels): Kept {
  return (parseObject(annotations[keptAnnotation] ?? '') ?? {}) as unknown as Kept;
}

export function isSwitchedOff({ namespaceSelector, objectSelector }: Partial<Selectors>): boolean {
  return [namespaceSelector, objectSelector].some((each) => each?.matchLabels?.[mark.key] === mark.value);
}

/** The selectors of a webhook that is off: what its owner wrote since, by a merge; else what is kept. Undefined: nobody knows. */
export function selectorsBefore(
  webhook: Partial<Selectors> & { readonly name: string },
  kept: Kept,
): Selectors | undefined {
  const { namespaceSelector = {}, objectSelector = {} } = webhook;
  const since = { namespaceSelector: withoutMark(namespaceSelector), objectSelector: withoutMark(objectSelector) };
  const isWritten = Object.values(since).some((each) => Object.keys(each).length > 0);
  return isWritten ? since : kept[webhook.name];
}

function withoutMark({ matchLabels = {}, ...rest }: Selector): Selector {
  const { [mark.key]: _, ...labels } = matchLabels;
  return Object.keys(labels).length === 0 ? rest : { ...rest, matchLabels: labels };
}
