// The lifecycle fields of one container, by its role: main, init, sidecar, ephemeral. What a role forbids is told here.

import type { Problem } from '../../std/errors.ts';
import type { Gates } from '../policy.ts';
import {
  duplicate,
  type Fields,
  forbidden,
  has,
  invalid,
  items,
  type Kind,
  list,
  own,
  required,
  shapeProblems,
  text,
  unsupported,
} from './field.ts';
import { hookProblems } from './hook.ts';
import { probeFields, probeProblems } from './probe.ts';
import { forbiddenRestart, restartProblems } from './restart.ts';

export interface PodFacts {
  /** The pod's grace period after defaulting. */
  readonly graceSeconds: number;
  readonly osName: string | undefined;
  readonly restartPolicy: string;
  readonly gates: Gates;
}

const shape: Readonly<Record<string, Kind>> = {
  name: 'text',
  image: 'text',
  imagePullPolicy: 'text',
  command: 'texts',
  args: 'texts',
  workingDir: 'text',
  ports: 'objects',
  env: 'objects',
  envFrom: 'objects',
  resources: 'object',
  resizePolicy: 'objects',
  restartPolicy: 'text',
  restartPolicyRules: 'objects',
  volumeMounts: 'objects',
  volumeDevices: 'objects',
  livenessProbe: 'object',
  readinessProbe: 'object',
  startupProbe: 'object',
  lifecycle: 'object',
  terminationMessagePath: 'text',
  terminationMessagePolicy: 'text',
  securityContext: 'object',
  stdin: 'bool',
  stdinOnce: 'bool',
  tty: 'bool',
};
const ephemeralShape: Readonly<Record<string, Kind>> = { ...shape, targetContainerName: 'text' };
const pullPolicies: readonly string[] = ['Always', 'IfNotPresent', 'Never'];
const forbiddenForEphemeral: readonly string[] = ['ports', 'lifecycle', 'resources', 'resizePolicy', ...probeFields];

/** Problems of a container of spec.containers. */
export function mainProblems(path: string, container: Fields, pod: PodFacts): readonly Problem[] {
  return [
    ...commonProblems(path, container, shape),
    ...restartProblems(path, container, 'main', pod.gates),
    ...probeProblems(path, container, pod.gates),
    ...hookProblems(path, container, pod),
    ...resizePolicyProblems(path, container, pod.restartPolicy),
  ];
}

/** Problems of a container of spec.initContainers: a sidecar is like a main, any other has no probes and no hooks. */
export function initProblems(path: string, container: Fields, pod: PodFacts): readonly Problem[] {
  const sidecar = own(container, 'restartPolicy') === 'Always';
  return [
    ...commonProblems(path, container, shape),
    ...restartProblems(path, container, 'init', pod.gates),
    ...(sidecar
      ? [...probeProblems(path, container, pod.gates), ...hookProblems(path, container, pod)]
      : forbiddenForInit(path, container)),
    ...resizePolicyProblems(path, container, sidecar ? 'Always' : pod.restartPolicy),
  ];
}

/** Problems of a container of spec.ephemeralContainers. `others` are the names of the pod's mains and inits. */
export function ephemeralProblems(path: string, container: Fields, others: readonly string[]): readonly Problem[] {
  const target = text(container, 'targetContainerName') ?? '';
  return [
    ...commonProblems(path, container, ephemeralShape),
    ...forbiddenRestart(path, container),
    ...forbiddenForEphemeral
      .filter((name) => has(container, name))
      .map((name) => forbidden(`${path}.${name}`, 'cannot be set for an Ephemeral Container')),
    ...(target === '' || others.includes(target)
      ? []
      : [invalid(`${path}.targetContainerName`, target, 'must be the name of a container of this pod')]),
  ];
}

function commonProblems(path: string, container: Fields, known: typeof shape): readonly Problem[] {
  const policy = text(container, 'imagePullPolicy') ?? '';
  return [
    ...shapeProblems(path, container, known),
    ...nameProblems(`${path}.name`, text(container, 'name') ?? ''),
    ...((text(container, 'image') ?? '') === '' ? [required(`${path}.image`)] : []),
    ...(policy === '' || pullPolicies.includes(policy)
      ? []
      : [unsupported(`${path}.imagePullPolicy`, policy, pullPolicies)]),
  ];
}

function nameProblems(path: string, name: string): readonly Problem[] {
  if (name === '') return [required(path)];
  return /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(name)
    ? []
    : [invalid(path, name, 'must be 1 to 63 lower-case letters, digits or -, with a letter or digit at both ends')];
}

function forbiddenForInit(path: string, container: Fields): readonly Problem[] {
  return ['lifecycle', ...probeFields]
    .filter((name) => has(container, name))
    .map((name) => forbidden(`${path}.${name}`, 'may not be set for init containers without restartPolicy=Always'));
}

const policyShape: Readonly<Record<string, Kind>> = { resourceName: 'text', restartPolicy: 'text' };
const resizable: readonly string[] = ['cpu', 'memory'];
const resizeActions: readonly string[] = ['NotRequired', 'RestartContainer'];

function resizePolicyProblems(path: string, container: Fields, podRestartPolicy: string): readonly Problem[] {
  const names = list(container, 'resizePolicy').map((entry) => (entry as Fields | null)?.['resourceName']);
  return items(container, 'resizePolicy', path).flatMap(([at, entry], index) => {
    const name = text(entry, 'resourceName') ?? '';
    const action = text(entry, 'restartPolicy') ?? '';
    return [
      ...shapeProblems(at, entry, policyShape),
      ...(resizable.includes(name) ? [] : [unsupported(`${at}.resourceName`, name, resizable)]),
      ...(resizeActions.includes(action) ? [] : [unsupported(`${at}.restartPolicy`, action, resizeActions)]),
      ...(names.indexOf(name) < index ? [duplicate(`${at}.resourceName`, name)] : []),
      ...(podRestartPolicy === 'Never' && action === 'RestartContainer'
        ? [invalid(`${at}.restartPolicy`, action, "must be 'NotRequired' when `restartPolicy` is 'Never'")]
        : []),
    ];
  });
}

/** The names of the containers below a list of the spec. */
export function containerNames(spec: Fields, ...lists: readonly string[]): readonly string[] {
  return lists.flatMap((name) =>
    list(spec, name).flatMap((entry) => {
      const found = (entry as Fields | null)?.['name'];
      return typeof found === 'string' ? [found] : [];
    }),
  );
}
