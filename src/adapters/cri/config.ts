// What the container runtime is told of a pod: the configuration of its sandbox and of one run of a container. Values only, nothing is
// asked or written. The defaults that a kubelet adds are added here: paths of /proc that are hidden or read-only, seccomp.

import { join } from 'node:path';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { z } from 'zod';
import type { ContainerConfig } from '../../core/container/index.ts';
import type { Container } from '../../core/pod/index.ts';
import type { PodOnNode } from '../../ports/pod-node.ts';
import type { BindMount } from '../pod-parts/volumes.ts';
import {
  type ContainerConfigSchema,
  type LinuxContainerSecurityContextSchema,
  NamespaceMode,
  type PodSandboxConfigSchema,
  SecurityProfile_ProfileType as Seccomp,
  Signal,
} from './generated/api_pb.js';
import { resourcesOf } from './resources.ts';

export type SandboxConfig = MessageInitShape<typeof PodSandboxConfigSchema>;

export interface SandboxFacts {
  readonly attempt: number;
  readonly logFolder: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface RunFacts {
  readonly pod: PodOnNode;
  readonly container: Container;
  /** Never the same twice in a pod. */
  readonly attempt: number;
  readonly restartCount: number;
  readonly mounts: readonly BindMount[];
  readonly labels: Readonly<Record<string, string>>;
  /** The runtime's id of the container whose processes this one shall see. */
  readonly targetId: string | undefined;
}

const security = z.looseObject({
  privileged: z.boolean().default(false),
  allowPrivilegeEscalation: z.boolean().default(true),
  readOnlyRootFilesystem: z.boolean().default(false),
  capabilities: z
    .looseObject({ add: z.array(z.string()).default([]), drop: z.array(z.string()).default([]) })
    .optional(),
  seccompProfile: z.looseObject({ type: z.string(), localhostProfile: z.string().default('') }).optional(),
});
type Security = z.output<typeof security>;

const hiddenPaths = [
  '/proc/asound',
  '/proc/acpi',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/sys/firmware',
  '/sys/devices/virtual/powercap',
];
const readOnlyPaths = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

export function sandboxConfig(pod: PodOnNode, { attempt, logFolder, labels }: SandboxFacts): SandboxConfig {
  const { name, namespace, uid, hostNetwork } = pod;
  return {
    metadata: { name, namespace, uid, attempt },
    hostname: hostNetwork ? '' : pod.hostname,
    logDirectory: logFolder,
    labels: { ...pod.labels, ...podLabels(pod), ...labels },
    linux: {
      securityContext: { namespaceOptions: namespacesOf(pod), seccomp: { profileType: Seccomp.RuntimeDefault } },
    },
  };
}

export function runConfig(config: ContainerConfig, facts: RunFacts): MessageInitShape<typeof ContainerConfigSchema> {
  const { pod, container, attempt, restartCount, labels } = facts;
  return {
    metadata: { name: config.name, attempt },
    image: { image: config.image, userSpecifiedImage: config.image },
    command: [...config.command],
    args: [...config.args],
    workingDir: config.workingDir ?? '',
    envs: config.env.map(([key, value]) => ({ key, value: Buffer.from(value) })),
    mounts: facts.mounts.map(({ source, target, readOnly }) => ({
      hostPath: source,
      containerPath: target,
      readonly: readOnly,
    })),
    labels: { ...podLabels(pod), 'io.kubernetes.container.name': config.name, ...labels },
    annotations: { 'io.kubernetes.container.restartCount': String(restartCount) },
    logPath: logPath(config.name, restartCount),
    stopSignal: stopSignal(container),
    linux: { resources: resourcesOf(container.resources ?? {}), securityContext: securityContext(config, facts) },
  };
}

/** Below the pod's folder of logs. */
export function logPath(container: string, restartCount: number): string {
  return join(container, `${restartCount}.log`);
}

/** Labels by which other tools of CRI show pods. */
function podLabels({ name, namespace, uid }: PodOnNode): Readonly<Record<string, string>> {
  return { 'io.kubernetes.pod.name': name, 'io.kubernetes.pod.namespace': namespace, 'io.kubernetes.pod.uid': uid };
}

function namespacesOf({ hostNetwork }: PodOnNode) {
  return {
    network: hostNetwork ? NamespaceMode.NODE : NamespaceMode.POD,
    pid: NamespaceMode.CONTAINER,
    ipc: NamespaceMode.POD,
  };
}

function stopSignal({ lifecycle }: Container): Signal {
  const name = lifecycle?.stopSignal;
  return name === undefined ? Signal.RUNTIME_DEFAULT : Signal[name as keyof typeof Signal];
}

function securityContext(
  { user }: ContainerConfig,
  { pod, container, targetId }: RunFacts,
): MessageInitShape<typeof LinuxContainerSecurityContextSchema> {
  const said = security.parse(container['securityContext'] ?? {});
  const target = targetId === undefined ? {} : { pid: NamespaceMode.TARGET, targetId };
  return {
    ...(user.uid === undefined ? {} : { runAsUser: { value: BigInt(user.uid) } }),
    ...(user.gid === undefined ? {} : { runAsGroup: { value: BigInt(user.gid) } }),
    supplementalGroups: user.groups.map(BigInt),
    privileged: said.privileged,
    noNewPrivs: !said.allowPrivilegeEscalation,
    readonlyRootfs: said.readOnlyRootFilesystem,
    capabilities: {
      addCapabilities: said.capabilities?.add ?? [],
      dropCapabilities: said.capabilities?.drop ?? [],
    },
    namespaceOptions: { ...namespacesOf(pod), ...target },
    maskedPaths: said.privileged ? [] : hiddenPaths,
    readonlyPaths: said.privileged ? [] : readOnlyPaths,
    seccomp: seccompOf(said),
  };
}

function seccompOf({ privileged, seccompProfile }: Security) {
  if (privileged || seccompProfile?.type === 'Unconfined') return { profileType: Seccomp.Unconfined };
  if (seccompProfile?.type !== 'Localhost') return { profileType: Seccomp.RuntimeDefault };
  return {
    profileType: Seccomp.Localhost,
    localhostRef: join('/var/lib/kubelet/seccomp', seccompProfile.localhostProfile),
  };
}
