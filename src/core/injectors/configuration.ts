// The injectors of a cluster: of every mutating webhook configuration those webhooks that are called for new pods and look at the
// mesh's labels. Any other mutating webhook is none of the mesh's business.
import { compareCodePoints } from '../std/order.ts';
import { keysOf, type Labels, type Selector, selects } from './selector.ts';
import { isSwitchedOff } from './switched-off.ts';

/** A MutatingWebhookConfiguration, as far as it is looked at. */
export interface Configuration {
  readonly metadata: { readonly name: string; readonly labels?: Labels; readonly annotations?: Labels };
  readonly webhooks?: readonly Webhook[];
}

interface Webhook {
  readonly name: string;
  readonly namespaceSelector?: Selector;
  readonly objectSelector?: Selector;
  readonly rules?: readonly { readonly operations?: readonly string[]; readonly resources?: readonly string[] }[];
  readonly clientConfig?: {
    readonly caBundle?: string;
    readonly url?: string;
    readonly service?: {
      readonly namespace?: string;
      readonly name?: string;
      readonly path?: string;
      readonly port?: number;
    };
  };
}

export interface Injector {
  readonly configuration: string;
  readonly webhook: string;
  /** The revision whose proxy it gives, as the configuration's labels tell. */
  readonly revision: string;
  readonly namespaceSelector: Selector | undefined;
  readonly objectSelector: Selector | undefined;
}

export const revisionLabel = 'istio.io/rev';
export const injectionLabel = 'istio-injection';
export const injectLabel = 'sidecar.istio.io/inject';
const meshLabels: ReadonlySet<string> = new Set([revisionLabel, injectionLabel, injectLabel]);
/** Where a pod is Krispr's, not an injector's. */
const krisprName = 'krispr.fairway.dev';

/** The injectors, in the order in which API servers call them. */
export function injectorsOf(configurations: readonly Configuration[]): readonly Injector[] {
  const ordered = [...configurations].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return ordered.flatMap(({ metadata, webhooks = [] }) =>
    webhooks.filter(isInjector).map(({ name, namespaceSelector, objectSelector }) => ({
      configuration: metadata.name,
      webhook: name,
      revision: metadata.labels?.[revisionLabel] ?? metadata.labels?.['fairway.dev/revision'] ?? metadata.name,
      namespaceSelector,
      objectSelector,
    })),
  );
}

/** Krispr's configurations; more than one is one too many. */
export function krisprsOf(configurations: readonly Configuration[]): readonly string[] {
  return configurations
    .filter(({ webhooks = [] }) => webhooks.some(({ name }) => name === krisprName))
    .map(({ metadata }) => metadata.name);
}

/** Those that would be called for a pod. */
export function matching(injectors: readonly Injector[], namespace: Labels, pod: Labels): readonly Injector[] {
  return injectors.filter(
    ({ namespaceSelector, objectSelector }) => selects(namespaceSelector, namespace) && selects(objectSelector, pod),
  );
}

/** Every revision and tag that some injector asks for, in order. */
export function namedRevisions(injectors: readonly Injector[]): readonly string[] {
  const selectors = injectors.flatMap(({ namespaceSelector, objectSelector }) => [namespaceSelector, objectSelector]);
  const named = selectors.flatMap((selector) => {
    const asked = (selector?.matchExpressions ?? []).filter(
      ({ key, operator }) => key === revisionLabel && operator === 'In',
    );
    const label = selector?.matchLabels?.[revisionLabel];
    return [...asked.flatMap(({ values = [] }) => values), ...(label === undefined ? [] : [label])];
  });
  return [...new Set(named)].sort(compareCodePoints);
}

function isInjector(webhook: Webhook): boolean {
  const { name, rules = [], namespaceSelector, objectSelector } = webhook;
  const forPods = rules.some(
    ({ operations = [], resources = [] }) =>
      operations.some((each) => each === 'CREATE' || each === '*') &&
      resources.some((each) => each === 'pods' || each === '*'),
  );
  const keys = [...keysOf(namespaceSelector), ...keysOf(objectSelector)];
  return forPods && name !== krisprName && !isSwitchedOff(webhook) && keys.some((key) => meshLabels.has(key));
}
