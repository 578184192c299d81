// The lifecycle that a fleet gives its proxies: fairway.yml `lifecycle`, and the annotation that overrides it for one pod.

import { isObject, type JsonObject } from '../std/json.ts';
import { InjectError } from './error.ts';

/** Hooks as in a container's `lifecycle`, and how the proxy drains. */
export interface ProxyLifecycle {
  /** The application's containers start after the proxy is ready. */
  readonly hold?: boolean;
  readonly postStart?: JsonObject;
  readonly preStop?: JsonObject;
  /** `merge` (default) replaces hook by hook; `replace` takes these hooks and no others. */
  readonly lifecycleMode?: 'merge' | 'replace';
  readonly terminationDrainDurationMs?: number;
  /** The proxy ends with its last connection or request; Istio's agent knows connections only. */
  readonly exitOnZero?: 'off' | 'connections' | 'requests';
  readonly minimumDrainDurationMs?: number;
  /** Kubernetes' minor version: below 1.30 there is no sleep action. */
  readonly kubernetesMinor?: number;
}

export const lifecycleKey = 'fairway.dev/proxy-lifecycle';

export type Hooks = Pick<ProxyLifecycle, 'postStart' | 'preStop' | 'lifecycleMode'>;

/** The hooks that a pod's annotation gives. @throws InjectError where it is not such JSON */
export function annotatedHooks(text: string): Hooks {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    data = undefined;
  }
  if (!isObject(data)) throw new InjectError(`the annotation ${lifecycleKey} is not a JSON map`);
  const stray = Object.keys(data).find((key) => !['postStart', 'preStop', 'lifecycleMode'].includes(key));
  if (stray !== undefined) throw new InjectError(`the annotation ${lifecycleKey}: unknown key ${stray}`);
  for (const name of ['postStart', 'preStop']) checkHook(name, data[name]);
  return { ...hooksOf(data), ...modeOf(data['lifecycleMode']) };
}

const handlers: ReadonlySet<string> = new Set(['exec', 'httpGet', 'sleep', 'tcpSocket']);

/** One handler: an API server takes neither none nor two. */
function checkHook(name: string, hook: unknown): void {
  if (hook === undefined) return;
  const keys = isObject(hook) ? Object.keys(hook) : [];
  if (keys.length !== 1 || !handlers.has(keys[0] ?? ''))
    throw new InjectError(`the annotation ${lifecycleKey}: ${name} wants one of ${[...handlers].join(', ')}`);
}

function modeOf(mode: unknown): Pick<Hooks, 'lifecycleMode'> {
  if (mode === undefined) return {};
  if (mode === 'merge' || mode === 'replace') return { lifecycleMode: mode };
  throw new InjectError(`the annotation ${lifecycleKey}: lifecycleMode is merge or replace`);
}

/** The hooks in a container's `lifecycle`. */
export function hooksOf(lifecycle: JsonObject): Hooks {
  const { postStart, preStop } = lifecycle;
  return { ...(isObject(postStart) ? { postStart } : {}), ...(isObject(preStop) ? { preStop } : {}) };
}
