// The proxy's hooks and its drain deadline, as Fairway wants them (issue: one lifecycle). From the generated ones to the pod's own, the
// later wins hook by hook: generated, template, fairway.yml, annotation, the pod's own istio-proxy.
import { drainDeadlineMs } from '../proxy/index.ts';
import { formatDuration } from '../std/duration.ts';
import { isObject, type JsonObject, type JsonValue, objectAt, objectsAt, sameJson } from '../std/json.ts';
import { addEnv, findContainer, findProxy, proxyName } from './container.ts';
import { formatProtoDuration } from './duration.ts';
import { annotatedHooks, type Hooks, hooksOf, lifecycleKey, type ProxyLifecycle } from './lifecycle-options.ts';

export interface LifecycleInput {
  readonly options: ProxyLifecycle;
  readonly native: boolean;
  readonly holds: boolean;
  /** Where this pod's agent listens; 0 for nowhere. */
  readonly statusPort: number;
  readonly annotations: JsonObject;
  /** What the templates alone make, and the container that the pod brought, if it did. */
  readonly template: JsonObject;
  readonly own: JsonObject | undefined;
}

const waitHook: JsonObject = { exec: { command: ['pilot-agent', 'wait'] } };
const sleepSeconds = 15;
const zeroConnections = 'EXIT_ON_ZERO_ACTIVE_CONNECTIONS';
/** Ports that Istio's own `pilot-agent request` accepts. */
const requestPorts: readonly number[] = [15000, 15004, 15020, 15021];

/** Sets the proxy's hooks; gives warnings. */
export function setLifecycle(pod: JsonObject, input: LifecycleInput): readonly string[] {
  const proxy = findProxy(pod);
  if (proxy === undefined) return [];
  const warnings: string[] = [];
  const generated = generatedHooks(proxy, input, warnings);
  const annotated = input.annotations[lifecycleKey];
  const given: readonly Hooks[] = [
    templateHooks(input.template),
    fleetHooks(input.options),
    typeof annotated === 'string' ? annotatedHooks(annotated) : {},
  ];
  const made = within(graceSeconds(pod), given.reduce<Hooks>(layered, generated), warnings);
  const hooks = layered(made, hooksOf(objectAt(input.own ?? {}, 'lifecycle')));
  if (input.holds && generated.postStart !== undefined && !sameJson(hooks.postStart, waitHook)) {
    warnings.push(
      'the proxy has a postStart of its own: holding the application until the proxy is ready has no effect',
    );
  }
  write(proxy, hooks);
  return warnings;
}

function fleetHooks({ postStart, preStop, lifecycleMode }: ProxyLifecycle): Hooks {
  return {
    ...(postStart === undefined ? {} : { postStart }),
    ...(preStop === undefined ? {} : { preStop }),
    ...(lifecycleMode === undefined ? {} : { lifecycleMode }),
  };
}

function layered(below: Hooks, { postStart, preStop, lifecycleMode }: Hooks): Hooks {
  const gives = postStart !== undefined || preStop !== undefined;
  const base = lifecycleMode === 'replace' && gives ? {} : below;
  return { ...base, ...(postStart === undefined ? {} : { postStart }), ...(preStop === undefined ? {} : { preStop }) };
}

/** An API server refuses a sleep that is not shorter than the grace period. */
function within(grace: number, { postStart, preStop }: Hooks, warnings: string[]): Hooks {
  const [start, stop] = [cut(grace, postStart), cut(grace, preStop)];
  if (start !== postStart || stop !== preStop)
    warnings.push(`a sleep of the proxy's hooks was cut to be shorter than the grace period of ${grace} s`);
  return { ...(start === undefined ? {} : { postStart: start }), ...(stop === undefined ? {} : { preStop: stop }) };
}

function cut(grace: number, hook: JsonObject | undefined): JsonObject | undefined {
  const seconds = objectAt(hook ?? {}, 'sleep')['seconds'];
  if (typeof seconds !== 'number' || seconds < grace) return hook;
  return grace > 1 ? { sleep: { seconds: grace - 1 } } : undefined;
}

function graceSeconds(pod: JsonObject): number {
  const grace = objectAt(pod, 'spec')['terminationGracePeriodSeconds'];
  return typeof grace === 'number' ? grace : 30;
}

function write(proxy: JsonObject, { postStart, preStop }: Hooks): void {
  const lifecycle: JsonObject = {
    ...(postStart === undefined ? {} : { postStart }),
    ...(preStop === undefined ? {} : { preStop }),
  };
  if (Object.keys(lifecycle).length > 0) proxy['lifecycle'] = lifecycle;
  else delete proxy['lifecycle'];
}

function generatedHooks(proxy: JsonObject, input: LifecycleInput, warnings: string[]): Hooks {
  const { native, holds, statusPort, options } = input;
  // A native proxy's startup probe holds whatever comes after it; where there is none, the hook must.
  if (native) {
    const waits = holds && proxy['startupProbe'] === undefined;
    return { ...(waits ? { postStart: waitHook } : {}), ...drainHook(statusPort, warnings) };
  }
  return holds ? { postStart: waitHook, preStop: sleepHook(options.kubernetesMinor) } : {};
}

function drainHook(port: number, warnings: string[]): Hooks {
  if (port === 0) {
    warnings.push('the agent serves no status port: the proxy drains at SIGTERM only, after the application has ended');
    return {};
  }
  if (!requestPorts.includes(port))
    warnings.push(`Istio's own pilot-agent refuses to send the drain request to port ${port}; use 15020`);
  return { preStop: { exec: { command: ['pilot-agent', 'request', `--debug-port=${port}`, 'POST', 'drain'] } } };
}

function sleepHook(minor: number | undefined): JsonObject {
  if (minor === undefined || minor >= 30) return { sleep: { seconds: sleepSeconds } };
  return { exec: { command: ['/bin/sh', '-c', `sleep ${sleepSeconds}`] } };
}

/** The hooks that the templates' authors chose: not those that Istio's template generates. */
function templateHooks(template: JsonObject): Hooks {
  const { postStart, preStop } = hooksOf(objectAt(findProxy(template) ?? {}, 'lifecycle'));
  return {
    ...(postStart === undefined || sameJson(postStart, waitHook) ? {} : { postStart }),
    ...(preStop === undefined || isDrainRequest(preStop) ? {} : { preStop }),
  };
}

function isDrainRequest(hook: JsonObject): boolean {
  const command = objectAt(hook, 'exec')['command'];
  return Array.isArray(command) && command[0] === 'pilot-agent' && command.at(-1) === 'drain';
}

/** Tells the agent when it must be done: the grace period less the proxy's own preStop less the margin. */
export function setDrainDeadline(pod: JsonObject): void {
  const proxy = findProxy(pod);
  if (proxy === undefined || objectsAt(proxy, 'env').some((each) => each['name'] === 'FAIRWAY_DRAIN_DEADLINE')) return;
  const deadline = drainDeadlineMs({ graceMs: 1000 * graceSeconds(pod), preStopMs: 1000 * preStopSeconds(proxy) });
  addEnv(proxy, 'FAIRWAY_DRAIN_DEADLINE', formatDuration(deadline));
}

/** How long a container's preStop surely takes: a sleep's seconds, 0 for anything else. */
export function preStopSeconds(container: JsonObject): number {
  const hook = objectAt(objectAt(container, 'lifecycle'), 'preStop');
  const seconds = objectAt(hook, 'sleep')['seconds'];
  if (typeof seconds === 'number') return seconds;
  const command = objectAt(hook, 'exec')['command'];
  const [, slept = '0'] =
    (Array.isArray(command) && /(?:^|\s)sleep (\d+)$/.exec(command.filter(isText).join(' '))) || [];
  return Number(slept);
}

function isText(value: JsonValue): value is string {
  return typeof value === 'string';
}

/** fairway.yml's drain settings as a ProxyConfig; the pod's own annotation comes on top of it. Istio's agent does what it can of them. */
export function proxyConfigOfLifecycle(options: ProxyLifecycle): string {
  const { terminationDrainDurationMs: drainMs, minimumDrainDurationMs: minimumMs, exitOnZero: zero } = options;
  const metadata: JsonObject = {
    ...(zero === undefined ? {} : { [zeroConnections]: String(zero !== 'off') }),
    ...(zero === 'requests' ? { FAIRWAY_EXIT_ON_ZERO: zero } : {}),
    ...(minimumMs === undefined ? {} : { MINIMUM_DRAIN_DURATION: formatDuration(minimumMs) }),
  };
  return JSON.stringify({
    ...(drainMs === undefined ? {} : { terminationDrainDuration: formatProtoDuration(drainMs) }),
    ...(Object.keys(metadata).length === 0 ? {} : { proxyMetadata: metadata }),
  });
}

/** A pod that switches exit on zero off in Istio's words means all of it, whatever fairway.yml says is counted. */
export function withoutZero(options: ProxyLifecycle, proxyConfig: JsonObject): ProxyLifecycle {
  const isOff = objectAt(proxyConfig, 'proxyMetadata')[zeroConnections] === 'false';
  return isOff && options.exitOnZero === 'requests' ? { ...options, exitOnZero: 'off' } : options;
}

/** The pod's own proxy container, where its owner wrote one. */
export function ownProxy(pod: JsonObject): JsonObject | undefined {
  const container = findContainer(pod, 'containers', proxyName) ?? findContainer(pod, 'initContainers', proxyName);
  return isObject(container) ? container : undefined;
}
