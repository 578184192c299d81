// A pod as the API server checks it on creation, its lifecycle fields: all problems at once, each with its path.
// Fields that have nothing to do with a pod's life (volumes, security, ports) are left to the API server.

import type { Problem } from '../../std/errors.ts';
import type { Gates } from '../policy.ts';
import { containerNames, ephemeralProblems, initProblems, mainProblems, type PodFacts } from './container.ts';
import {
  duplicate,
  type Fields,
  forbidden,
  has,
  int,
  invalid,
  isFields,
  items,
  type Kind,
  list,
  object,
  own,
  remark,
  required,
  shapeProblems,
  text,
  unsupported,
} from './field.ts';
import { qualifiedNameProblems } from './names.ts';

const shape: Readonly<Record<string, Kind>> = {
  ...Object.fromEntries(
    [
      'containers',
      'initContainers',
      'ephemeralContainers',
      'volumes',
      'readinessGates',
      'schedulingGates',
      'tolerations',
    ].map((name) => [name, 'objects' as const]),
  ),
  ...Object.fromEntries(
    ['restartPolicy', 'nodeName', 'serviceAccountName', 'serviceAccount', 'priorityClassName', 'runtimeClassName'].map(
      (name) => [name, 'text' as const],
    ),
  ),
  ...Object.fromEntries(
    ['hostname', 'subdomain', 'dnsPolicy', 'schedulerName', 'preemptionPolicy', 'hostnameOverride'].map((name) => [
      name,
      'text' as const,
    ]),
  ),
  ...Object.fromEntries(
    ['hostNetwork', 'hostPID', 'hostIPC', 'hostUsers', 'shareProcessNamespace', 'enableServiceLinks'].map((name) => [
      name,
      'bool' as const,
    ]),
  ),
  automountServiceAccountToken: 'bool',
  setHostnameAsFQDN: 'bool',
  activeDeadlineSeconds: 'int',
  terminationGracePeriodSeconds: 'int',
  priority: 'int',
  os: 'object',
  resources: 'object',
  overhead: 'object',
  securityContext: 'object',
  affinity: 'object',
  nodeSelector: 'object',
  dnsConfig: 'object',
  hostAliases: 'objects',
  imagePullSecrets: 'objects',
  topologySpreadConstraints: 'objects',
  resourceClaims: 'objects',
  evictionResponders: 'objects',
  workloadRef: 'object',
};
const podPolicies: readonly string[] = ['Always', 'OnFailure', 'Never'];
const systems: readonly string[] = ['linux', 'windows'];
const largestDeadline = 2 ** 32 - 1;
const defaultGraceSeconds = 30;

/** Problems of a spec (of a Pod, or of a workload's template) that stands at `path`. */
export function specProblems(path: string, spec: unknown, gates: Gates): readonly Problem[] {
  if (!isFields(spec)) return [required(path)];
  const facts = factsOf(spec, gates);
  return [
    ...shapeProblems(path, spec, shape),
    ...policyProblems(`${path}.restartPolicy`, spec),
    ...deadlineProblems(`${path}.activeDeadlineSeconds`, int(spec, 'activeDeadlineSeconds')),
    ...graceRemarks(`${path}.terminationGracePeriodSeconds`, int(spec, 'terminationGracePeriodSeconds')),
    ...osProblems(`${path}.os`, object(spec, 'os')),
    ...gateProblems(path, spec),
    ...containerProblems(path, spec, facts),
    ...duplicateNames(path, spec),
  ];
}

/** What the checks of a container need to know of its pod, after the API server's defaulting. */
export function factsOf(spec: Fields, gates: Gates): PodFacts {
  const grace = int(spec, 'terminationGracePeriodSeconds') ?? defaultGraceSeconds;
  return {
    graceSeconds: grace < 0 ? 1 : grace,
    osName: text(object(spec, 'os') ?? {}, 'name'),
    restartPolicy: text(spec, 'restartPolicy') ?? 'Always',
    gates,
  };
}

function policyProblems(path: string, spec: Fields): readonly Problem[] {
  const policy = own(spec, 'restartPolicy') ?? 'Always';
  return podPolicies.includes(policy as string) ? [] : [unsupported(path, policy, podPolicies)];
}

function deadlineProblems(path: string, deadline: number | undefined): readonly Problem[] {
  if (deadline === undefined || (deadline >= 1 && deadline <= largestDeadline)) return [];
  return [invalid(path, deadline, `must be between 1 and ${largestDeadline}, inclusive`)];
}

function graceRemarks(path: string, grace: number | undefined): readonly Problem[] {
  return grace !== undefined && grace < 0
    ? [remark(path, `stored as 1, not ${grace}`, 'a negative grace period means 1 s to the API server')]
    : [];
}

function osProblems(path: string, os: Fields | undefined): readonly Problem[] {
  if (os === undefined) return [];
  const name = text(os, 'name') ?? '';
  if (name === '') return [required(`${path}.name`)];
  return systems.includes(name) ? [] : [unsupported(`${path}.name`, name, systems)];
}

function gateProblems(path: string, spec: Fields): readonly Problem[] {
  const gates = list(spec, 'schedulingGates').map((gate) => (gate as Fields | null)?.['name']);
  return [
    ...items(spec, 'readinessGates', path).flatMap(([at, gate]) =>
      qualifiedNameProblems(`${at}.conditionType`, text(gate, 'conditionType') ?? ''),
    ),
    ...items(spec, 'schedulingGates', path).flatMap(([at, gate], index) => [
      ...qualifiedNameProblems(`${at}.name`, text(gate, 'name') ?? ''),
      ...(gates.indexOf(own(gate, 'name') as string) < index ? [duplicate(at, own(gate, 'name'))] : []),
    ]),
    ...(gates.length > 0 && has(spec, 'nodeName')
      ? [forbidden(`${path}.nodeName`, 'cannot be set until all schedulingGates have been cleared')]
      : []),
  ];
}

function containerProblems(path: string, spec: Fields, facts: PodFacts): readonly Problem[] {
  const others = containerNames(spec, 'containers', 'initContainers');
  return [
    ...(list(spec, 'containers').length === 0 ? [required(`${path}.containers`)] : []),
    ...items(spec, 'initContainers', path).flatMap(([at, container]) => initProblems(at, container, facts)),
    ...items(spec, 'containers', path).flatMap(([at, container]) => mainProblems(at, container, facts)),
    ...items(spec, 'ephemeralContainers', path).flatMap(([at, container]) => ephemeralProblems(at, container, others)),
  ];
}

function duplicateNames(path: string, spec: Fields): readonly Problem[] {
  const seen = new Set<string>();
  return ['containers', 'initContainers', 'ephemeralContainers'].flatMap((field) =>
    containerNames(spec, field).flatMap((name, index) => {
      if (!seen.has(name)) return seen.add(name) && [];
      return [duplicate(`${path}.${field}[${index}].name`, name)];
    }),
  );
}
