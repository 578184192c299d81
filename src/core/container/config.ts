// Everything a runtime needs to start one container, with all references resolved. The same for every runtime.
import type { Container, PodSpec } from '../pod/index.ts';
import { environmentOf } from './environment.ts';
import { expandReferences } from './expand.ts';
import { type ContainerSetup, containerSetup, type PodSetup, podSetup } from './shape.ts';
import type { Lookup, Sources } from './sources.ts';

export interface ContainerConfig {
  readonly name: string;
  readonly image: string;
  /** Empty: the image's own entrypoint. */
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: readonly (readonly [name: string, value: string])[];
  readonly workingDir: string | undefined;
  readonly user: User;
  readonly mounts: readonly VolumeMount[];
}

/** Unset: the image's own. */
export interface User {
  readonly uid: number | undefined;
  readonly gid: number | undefined;
  readonly groups: readonly number[];
}

export interface VolumeMount {
  readonly volume: string;
  readonly mountPath: string;
  readonly subPath: string | undefined;
  readonly readOnly: boolean;
}

/** `found: false` is a CreateContainerConfigError, in the kubelet's words. */
export function containerConfig(pod: PodSpec, container: Container, sources: Sources): Lookup<ContainerConfig> {
  const setup = containerSetup(container);
  const user = userOf(podSetup(pod), setup);
  if (!user.found) return user;
  const environment = environmentOf({ ...setup, resources: container.resources }, sources);
  if (!environment.found) return environment;
  const expand = (text: string) => expandReferences(text, (name) => environment.value.get(name));
  return {
    found: true,
    value: {
      name: container.name,
      image: container.image ?? '',
      command: (container.command ?? []).map(expand),
      args: (container.args ?? []).map(expand),
      env: [...environment.value],
      workingDir: setup.workingDir,
      user: user.value,
      mounts: setup.volumeMounts.map((mount) => ({
        volume: mount.name,
        mountPath: mount.mountPath,
        subPath: mount.subPath,
        readOnly: mount.readOnly === true,
      })),
    },
  };
}

function userOf(pod: PodSetup, container: ContainerSetup): Lookup<User> {
  const own = container.securityContext;
  const shared = pod.securityContext;
  const uid = own.runAsUser ?? shared.runAsUser;
  if ((own.runAsNonRoot ?? shared.runAsNonRoot) === true && (uid ?? 0) === 0) {
    return { found: false, message: 'container has runAsNonRoot and image will run as root' };
  }
  const groups = [...shared.supplementalGroups, ...(shared.fsGroup === undefined ? [] : [shared.fsGroup])];
  return { found: true, value: { uid, gid: own.runAsGroup ?? shared.runAsGroup, groups } };
}
