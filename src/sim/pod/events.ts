// What a scenario lets happen to a pod, as inputs of the engine or as faults of the node. An update that the API server would
// refuse is refused here too, and told.
import {
  type Container,
  type Gates,
  type Input,
  type Pod,
  type PodSpec,
  resizeProblems,
  specProblems,
  updateProblems,
} from '../../core/pod/index.ts';
import { formatProblem, type Problem } from '../../core/std/errors.ts';
import { merged } from './merge.ts';
import type { ScenarioEvent } from './scenario/format.ts';

/** What an event comes to: an input, a refusal, or something that the driver does itself. */
export type Consequence =
  | { readonly kind: 'input'; readonly input: Input }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'node'; readonly event: NodeEvent };

export type NodeEvent = Extract<
  ScenarioEvent,
  { do: 'end-run' | 'lose-record' | 'lose-sandbox' | 'kubelet-restart' | 'lose-node' | 'node-back' }
>;

/** The consequence of an event for a pod as it is now. */
export function consequenceOf(event: ScenarioEvent, pod: Pod, gates: Gates): Consequence {
  const strangers = containersOf(event).filter((name) => !hasContainer(pod.spec, name));
  if (strangers.length > 0) return { kind: 'refused', why: `the pod has no container ${strangers.join(', ')}` };
  switch (event.do) {
    case 'delete':
      return input({ kind: 'delete', gracePeriodSeconds: event.force === true ? 0 : event.grace });
    case 'evict':
      return input({ kind: 'evictByApi', gracePeriodSeconds: event.grace });
    case 'node-evict':
      return input({
        kind: 'endPod',
        reason: 'Evicted',
        message: event.message ?? 'The node was low on resource: memory. ',
        graceSeconds: event.grace === undefined ? 1 : Math.min(event.grace, graceOf(pod)),
        disruptionTarget: true,
      });
    case 'preempt':
      return input({
        kind: 'endPod',
        reason: 'Preempting',
        message: 'Preempted in order to admit critical pod',
        graceSeconds: undefined,
        disruptionTarget: true,
      });
    case 'node-shutdown':
      return input({
        kind: 'endPod',
        reason: 'Terminated',
        message: 'Pod was terminated in response to imminent node shutdown.',
        graceSeconds: Math.min(event.grace ?? graceOf(pod), graceOf(pod)),
        disruptionTarget: true,
        keepsSuccess: true,
      });
    case 'set-condition':
      return input({
        kind: 'setCondition',
        condition: { type: event.type, status: event.status, reason: event.reason, message: event.message },
      });
    case 'remove-condition':
      return input({ kind: 'removeCondition', type: event.type });
    case 'label':
      return input({ kind: 'updateMetadata', ...withLabels(event, pod) });
    case 'collect':
      return input({ kind: 'collect', disruptionTarget: false });
    case 'add-ephemeral-container':
      return ephemeral(event.container, pod, gates);
    case 'set-image':
    case 'resize':
    case 'remove-scheduling-gates':
    case 'patch':
      return update(event, pod, gates);
    default:
      return { kind: 'node', event };
  }
}

/** The containers that an event names and that must be there already. */
function containersOf(event: ScenarioEvent): readonly string[] {
  switch (event.do) {
    case 'set-image':
      return Object.keys(event.images);
    case 'resize':
      return Object.keys(event.containers);
    case 'end-run':
    case 'lose-record':
      return [event.container];
    default:
      return [];
  }
}

function hasContainer({ containers, initContainers = [], ephemeralContainers = [] }: PodSpec, name: string): boolean {
  return [...containers, ...initContainers, ...ephemeralContainers].some((container) => container.name === name);
}

function input(value: Input): Consequence {
  return { kind: 'input', input: value };
}

function withLabels(
  { labels, annotations }: Extract<ScenarioEvent, { do: 'label' }>,
  { metadata }: Pod,
): Pick<Pod['metadata'], 'labels' | 'annotations'> {
  return {
    ...(labels === undefined ? {} : { labels: { ...metadata.labels, ...labels } }),
    ...(annotations === undefined ? {} : { annotations: { ...metadata.annotations, ...annotations } }),
  };
}

function graceOf(pod: Pod): number {
  return pod.spec.terminationGracePeriodSeconds ?? 30;
}

type Update = Extract<ScenarioEvent, { do: 'set-image' | 'resize' | 'remove-scheduling-gates' | 'patch' }>;

function update(event: Update, pod: Pod, gates: Gates): Consequence {
  const spec = updated(event, pod.spec);
  const problems =
    event.do === 'resize' ? resizeProblems(pod, { ...pod, spec }, gates) : updateProblems('spec', pod.spec, spec);
  const errors = [...problems, ...specProblems('spec', spec, gates)].filter(({ severity }) => severity === 'error');
  return errors.length > 0 ? refused(errors) : input({ kind: 'updateSpec', spec });
}

function refused(problems: readonly Problem[]): Consequence {
  return { kind: 'refused', why: problems.map(formatProblem).join('; ') };
}

function updated(event: Update, spec: PodSpec): PodSpec {
  switch (event.do) {
    case 'set-image':
      return withContainers(spec, (container) =>
        Object.hasOwn(event.images, container.name) ? { ...container, image: event.images[container.name] } : container,
      );
    case 'resize':
      return withContainers(spec, (container) =>
        Object.hasOwn(event.containers, container.name)
          ? ({
              ...container,
              resources: merged(container.resources ?? {}, event.containers[container.name]),
            } as Container)
          : container,
      );
    case 'remove-scheduling-gates':
      return {
        ...spec,
        schedulingGates: (spec.schedulingGates ?? []).filter(
          ({ name }) => event.gates !== undefined && !event.gates.includes(name),
        ),
      };
    default:
      return merged(spec, event.spec) as PodSpec;
  }
}

function withContainers(spec: PodSpec, change: (container: Container) => Container): PodSpec {
  return {
    ...spec,
    containers: spec.containers.map(change),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(change) }),
  };
}

function ephemeral(container: Container, pod: Pod, gates: Gates): Consequence {
  const spec = { ...pod.spec, ephemeralContainers: [...(pod.spec.ephemeralContainers ?? []), container] };
  const errors = specProblems('spec', spec, gates).filter(({ severity }) => severity === 'error');
  return errors.length > 0 ? refused(errors) : input({ kind: 'addEphemeralContainer', container });
}
