// Switches istiod's own injector of a revision off while Fairway's stands in its place, and back on: its selectors are replaced by ones that
// match nothing, and kept in an annotation. Nothing is deleted, so that taking Fairway out again is one step.
// Both look at each webhook as it is now, not at what was done before: an upgrade of istiod's chart may have put selectors or webhooks there since.
import {
  isSwitchedOff,
  keptAnnotation,
  keptIn,
  type Selectors,
  selectorsBefore,
  switchedOff,
} from '../injectors/index.ts';

export interface Operation {
  readonly op: 'test' | 'add';
  readonly path: string;
  readonly value?: unknown;
}

export type Switch =
  | { readonly kind: 'patch'; readonly patch: readonly Operation[] }
  /** It is as it should be. */
  | { readonly kind: 'nothing' }
  /** Nobody knows any more what its selectors were. */
  | { readonly kind: 'lost'; readonly webhook: string };

interface Configuration {
  readonly metadata: { readonly resourceVersion: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly webhooks?: readonly Webhook[];
}

interface Webhook extends Partial<Selectors> {
  readonly name: string;
}

/** RFC 6902 for a configuration as it was read; fails where somebody changed it meanwhile. */
export function takeOver(configuration: unknown): Switch {
  const { metadata, webhooks = [] } = configuration as Configuration;
  const { annotations = {} } = metadata;
  const kept: Record<string, Selectors> = { ...keptIn(annotations) };
  const selectors = webhooks.flatMap((webhook, i) => {
    if (isSwitchedOff(webhook)) return [];
    kept[webhook.name] = selectorsOf(webhook);
    return setSelectors(i, switchedOff);
  });
  if (selectors.length === 0) return { kind: 'nothing' };
  return patch(metadata, [note({ ...annotations, [keptAnnotation]: JSON.stringify(kept) }), ...selectors]);
}

/** Undoes `takeOver`; a webhook that is not off keeps what it has. */
export function giveBack(configuration: unknown): Switch {
  const { metadata, webhooks = [] } = configuration as Configuration;
  const { [keptAnnotation]: text, ...annotations } = metadata.annotations ?? {};
  const kept = keptIn(metadata.annotations ?? {});
  const operations: Operation[] = [];
  for (const [i, webhook] of webhooks.entries()) {
    if (!isSwitchedOff(webhook)) continue;
    const before = selectorsBefore(webhook, kept);
    if (before === undefined) return { kind: 'lost', webhook: webhook.name };
    operations.push(...setSelectors(i, before));
  }
  if (operations.length === 0 && text === undefined) return { kind: 'nothing' };
  return patch(metadata, [...operations, note(annotations)]);
}

function selectorsOf({ namespaceSelector = {}, objectSelector = {} }: Webhook): Selectors {
  return { namespaceSelector, objectSelector };
}

function note(annotations: Readonly<Record<string, string>>): Operation {
  return { op: 'add', path: '/metadata/annotations', value: annotations };
}

function setSelectors(index: number, { namespaceSelector, objectSelector }: Selectors): readonly Operation[] {
  return [
    { op: 'add', path: `/webhooks/${index}/namespaceSelector`, value: namespaceSelector },
    { op: 'add', path: `/webhooks/${index}/objectSelector`, value: objectSelector },
  ];
}

function patch({ resourceVersion }: Configuration['metadata'], operations: readonly Operation[]): Switch {
  return {
    kind: 'patch',
    patch: [{ op: 'test', path: '/metadata/resourceVersion', value: resourceVersion }, ...operations],
  };
}
