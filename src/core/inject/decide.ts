// Whether a pod is injected, and why (istio/istio pkg/kube/inject/inject.go). Only what the handler itself looks at: selectors of webhook configurations
// have already chosen the pod when it comes here through the API server.
import { keysOf, type Selector, selects } from '../injectors/index.ts';
import { type JsonObject, objectAt, textAt, textsAt } from '../std/json.ts';
import type { InjectorConfig } from './config.ts';
import type { Compat } from './params.ts';

export type Because =
  | 'host-network'
  | 'system-namespace'
  | 'label'
  | 'annotation'
  | 'never-selector'
  | 'always-selector'
  | 'policy'
  | 'illegal-policy'
  | 'windows';

export interface Decision {
  readonly inject: boolean;
  readonly because: Because;
  readonly warnings: readonly string[];
}

export const injectKey = 'sidecar.istio.io/inject';
const systemNamespaces: ReadonlySet<string> = new Set([
  'kube-system',
  'kube-public',
  'kube-node-lease',
  'local-path-storage',
]);

type Rules = Pick<InjectorConfig, 'policy' | 'neverInject' | 'alwaysInject'>;

/** Decides for a pod of a namespace. */
export function decide(rules: Rules, pod: JsonObject, namespace: string): Decision {
  if (objectAt(pod, 'spec')['hostNetwork'] === true) return no('host-network');
  if (systemNamespaces.has(namespace)) return no('system-namespace');
  const wish = explicitWish(objectAt(pod, 'metadata'));
  const labels = textsAt(objectAt(pod, 'metadata'), 'labels');
  const chosen = wish.wish ?? selected(rules, labels);
  const { warnings } = wish;
  if (rules.policy !== 'enabled' && rules.policy !== 'disabled') {
    return {
      inject: false,
      because: 'illegal-policy',
      warnings: [...warnings, `illegal policy ${JSON.stringify(rules.policy)}: nothing is injected`],
    };
  }
  if (chosen !== undefined) return { ...chosen, warnings };
  return { inject: rules.policy === 'enabled', because: 'policy', warnings };
}

/** The decision with what Fairway knows beyond Istio: no proxy runs on Windows, and such a pod with one is refused by the API server. */
export function decideFor(compat: Compat, pod: JsonObject, decision: Decision): Decision {
  if (compat === 'istio' || !decision.inject || !isWindows(objectAt(pod, 'spec'))) return decision;
  return { inject: false, because: 'windows', warnings: [...decision.warnings, 'a Windows pod gets no proxy'] };
}

function isWindows(spec: JsonObject): boolean {
  return objectAt(spec, 'os')['name'] === 'windows' || objectAt(spec, 'nodeSelector')['kubernetes.io/os'] === 'windows';
}

function no(because: Because): Decision {
  return { inject: false, because, warnings: [] };
}

interface Wish {
  readonly inject: boolean;
  readonly because: Because;
}

/** The label, else the annotation; anything but the texts true and false decides nothing. */
function explicitWish(metadata: JsonObject): { readonly wish: Wish | undefined; readonly warnings: readonly string[] } {
  const label = textAt(objectAt(metadata, 'labels'), injectKey);
  const value = label ?? textAt(objectAt(metadata, 'annotations'), injectKey);
  const because = label === undefined ? 'annotation' : 'label';
  if (value === 'true' || value === 'false') return { wish: { inject: value === 'true', because }, warnings: [] };
  const strange = value !== undefined && value !== '';
  return {
    wish: undefined,
    warnings: strange ? [`${injectKey} is ${JSON.stringify(value)}; only "true" and "false" count`] : [],
  };
}

function selected(rules: Rules, labels: Readonly<Record<string, string>>): Wish | undefined {
  if (rules.neverInject.some((selector) => matches(selector, labels)))
    return { inject: false, because: 'never-selector' };
  if (rules.alwaysInject.some((selector) => matches(selector, labels)))
    return { inject: true, because: 'always-selector' };
  return undefined;
}

/** A selector that says nothing matches nothing, unlike those of webhooks. */
function matches(selector: Selector, labels: Readonly<Record<string, string>>): boolean {
  return keysOf(selector).length > 0 && selects(selector, labels);
}
