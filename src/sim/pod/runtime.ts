// The simulated container runtime: carries out the engine's effects in virtual time. Processes are those of `process/`, what they
// and the node do is `behaviour`'s, what it costs is `costs`'. It decides nothing that a kubelet decides.
import type { CancelHook, ContainerRuntime, InstanceId, RuntimeEffect, RuntimeInput } from '../../core/pod/index.ts';
import type { Behaviour } from './behaviour.ts';
import type { Clock } from './clock.ts';
import type { Costs } from './costs.ts';
import type { NodeHappening } from './happening.ts';
import { createNode, type Node } from './node.ts';
import { answerProbe } from './probing.ts';
import { cancelHook, endRun, runHook, startRun, stopRun } from './running.ts';

export interface RuntimeOptions {
  readonly clock: Clock;
  readonly costs: Costs;
  readonly behaviour: Behaviour;
  readonly observe: (happening: NodeHappening) => void;
}

/** The port, and what a scenario does to the node behind the engine's back. */
export interface SimulatedRuntime extends ContainerRuntime {
  /** Ends the container's run from outside. False where none runs. */
  readonly endRun: (
    container: string,
    exit: { readonly code: number; readonly reason?: string | undefined },
  ) => boolean;
  /** The newest run of a container, undefined where it never ran. */
  readonly newestRun: (container: string) => InstanceId | undefined;
  readonly sandbox: () => string | undefined;
}

type Deliver = (input: RuntimeInput) => void;

/** A node without pods. */
export function createRuntime(options: RuntimeOptions): SimulatedRuntime {
  const node = createNode(options);
  return {
    perform: (effect, deliver) => perform(node, effect, deliver),
    endRun: (container, exit) => {
      const run = node.newest(container);
      if (run === undefined || run.state !== 'running') return false;
      endRun(node, run, exit);
      return true;
    },
    newestRun: (container) => node.newest(container)?.instance,
    sandbox: () => node.sandboxes.at(-1),
  };
}

function perform(node: Node, effect: RuntimeEffect | CancelHook, deliver: Deliver): void {
  switch (effect.kind) {
    case 'mountVolumes':
      return mountVolumes(node, effect.call, deliver);
    case 'createSandbox':
      return createSandbox(node, effect, deliver);
    case 'stopSandbox':
      return stopSandbox(node, effect, deliver);
    case 'pullImage':
      return pullImage(node, effect, deliver);
    case 'startContainer':
      return startRun(node, effect, deliver);
    case 'runHook':
      return runHook(node, effect, deliver);
    case 'cancelHook':
      return cancelHook(node, effect.call);
    case 'stopContainer':
      return stopRun(node, effect);
    case 'removeContainer':
      node.runs.delete(effect.instance);
      return node.after('remove', () => deliver({ kind: 'done', call: effect.call }));
    case 'updateResources':
      return node.after('resize', () => deliver({ kind: 'done', call: effect.call }));
    case 'probe':
      return answerProbe(node, effect, deliver);
  }
}

function mountVolumes(node: Node, call: number, deliver: Deliver): void {
  tried(node, { call, key: 'volumes', cost: 'mount', succeed: () => deliver({ kind: 'done', call }) }, deliver);
}

interface Attempt {
  readonly call: number;
  readonly key: 'volumes' | 'sandbox';
  readonly cost: 'mount' | 'sandbox';
  readonly succeed: () => void;
}

/** Volumes and sandboxes: they take their time, and fail as often as the scenario says. */
function tried(node: Node, { call, key, cost, succeed }: Attempt, deliver: Deliver): void {
  const trouble = node.behaviour.scenario[key];
  const takesMs = node.spanOr(trouble?.takes, cost);
  const message = trouble?.fails;
  const fails = message !== undefined && node.attempt(key) < (trouble?.times ?? Number.POSITIVE_INFINITY);
  node.in(takesMs, fails ? () => deliver({ kind: 'failed', call, message }) : succeed);
}

function createSandbox(node: Node, effect: RuntimeEffect & { kind: 'createSandbox' }, deliver: Deliver): void {
  const { call, sandbox, attempt } = effect;
  const succeed = () => {
    node.sandboxes.push(sandbox);
    node.observe({ kind: 'sandbox', what: 'created', sandbox });
    deliver({ kind: 'sandboxCreated', call, ip: `10.244.0.${10 + (attempt % 240)}` });
  };
  tried(node, { call, key: 'sandbox', cost: 'sandbox', succeed }, deliver);
}

/** Whatever still runs in the sandbox dies with it. */
function stopSandbox(node: Node, effect: RuntimeEffect & { kind: 'stopSandbox' }, deliver: Deliver): void {
  node.after('stopSandbox', () => {
    for (const run of node.runs.values()) {
      if (run.sandbox === effect.sandbox && run.state === 'running') endRun(node, run, { code: 137 });
    }
    node.observe({ kind: 'sandbox', what: 'stopped', sandbox: effect.sandbox });
    deliver({ kind: 'done', call: effect.call });
  });
}

function pullImage(node: Node, effect: RuntimeEffect & { kind: 'pullImage' }, deliver: Deliver): void {
  const { image, call, container } = effect;
  const told = node.image(image);
  const asks = effect.pull === 'always' || (effect.pull === 'ifAbsent' && !told.present);
  const outcome = (result: 'present' | 'pulled' | 'failed', input: RuntimeInput) => {
    node.observe({ kind: 'pull', container, image, outcome: result });
    if (result === 'pulled') node.present.add(image);
    deliver(input);
  };
  const failed = (reason: string, message: string) => outcome('failed', { kind: 'failed', call, reason, message });
  if (!asks && !told.present)
    return node.after('lookUpImage', () =>
      failed('ErrImageNeverPull', `Container image "${image}" is not present with pull policy of Never`),
    );
  if (!asks) return node.after('lookUpImage', () => outcome('present', { kind: 'pulled', call }));
  const { fails, message = `failed to pull image "${image}"` } = told;
  if (fails !== undefined && node.attempt(`image ${image}`) < (told.times ?? Number.POSITIVE_INFINITY))
    return node.in(node.spanOr(told.takes, 'pull'), () => failed(fails, message));
  node.in(node.spanOr(told.takes, 'pull'), () => outcome('pulled', { kind: 'pulled', call, fetched: true }));
}
