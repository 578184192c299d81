// Switches istiod's own injector of a revision off while Fairway's stands in its place, and back on: its selectors are replaced by ones that
// match nothing, and kept in an annotation. Nothing is deleted, so that taking Fairway out again is one step.
import type { KubeObject } from './options.ts';

export interface Operation {
  readonly op: 'test' | 'add';
  readonly path: string;
  readonly value?: unknown;
}

export type Switch =
  | { readonly kind: 'patch'; readonly patch: readonly Operation[] }
  /** It is as it should be. */
  | { readonly kind: 'nothing' };

interface Configuration {
  readonly metadata: { readonly resourceVersion: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly webhooks?: readonly Webhook[];
}

interface Webhook {
  readonly name: string;
  readonly namespaceSelector?: KubeObject;
  readonly objectSelector?: KubeObject;
}

type Kept = Readonly<Record<string, Pick<Webhook, 'namespaceSelector' | 'objectSelector'>>>;

const keptAnnotation = 'fairway.dev/selectors-before-take-over';
/** A label that nothing carries. */
const nothing: KubeObject = { matchLabels: { 'fairway.dev/taken-over': 'never-match' } };

/** RFC 6902 for a configuration as it was read; fails where somebody changed it meanwhile. */
export function takeOver(configuration: unknown): Switch {
  const { metadata, webhooks = [] } = configuration as Configuration;
  const { annotations = {} } = metadata;
  if (annotations[keptAnnotation] !== undefined) return { kind: 'nothing' };
  const kept = Object.fromEntries(
    webhooks.map(({ name, namespaceSelector = {}, objectSelector = {} }) => [
      name,
      { namespaceSelector, objectSelector },
    ]),
  );
  const selectors = webhooks.flatMap((_, i) =>
    setSelectors(i, { namespaceSelector: nothing, objectSelector: nothing }),
  );
  const noted = { ...annotations, [keptAnnotation]: JSON.stringify(kept) };
  return patch(metadata, [{ op: 'add', path: '/metadata/annotations', value: noted }, ...selectors]);
}

/** Undoes `takeOver`; a webhook that came later keeps what it has. */
export function giveBack(configuration: unknown): Switch {
  const { metadata, webhooks = [] } = configuration as Configuration;
  const { [keptAnnotation]: text, ...annotations } = metadata.annotations ?? {};
  if (text === undefined) return { kind: 'nothing' };
  const kept = JSON.parse(text) as Kept;
  const selectors = webhooks.flatMap(({ name }, i) => (kept[name] === undefined ? [] : setSelectors(i, kept[name])));
  return patch(metadata, [...selectors, { op: 'add', path: '/metadata/annotations', value: annotations }]);
}

function setSelectors(index: number, { namespaceSelector, objectSelector }: Kept[string]): readonly Operation[] {
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
