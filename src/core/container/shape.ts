// The fields of a pod that say how its containers are set up (environment, volumes, user), parsed from the untyped part of the
// spec. The lifecycle engine never looks at them. Refuses volume kinds that need a cluster or a storage driver.
import { z } from 'zod';
import type { Problem } from '../std/errors.ts';

const keyRef = z.looseObject({ name: z.string(), key: z.string(), optional: z.boolean().optional() });
const fieldRef = z.looseObject({ fieldPath: z.string() });
const resourceFieldRef = z.looseObject({
  containerName: z.string().optional(),
  resource: z.string(),
  divisor: z.union([z.string(), z.number()]).optional(),
});

const envVar = z.looseObject({
  name: z.string().min(1),
  value: z.string().optional(),
  valueFrom: z
    .looseObject({
      fieldRef: fieldRef.optional(),
      resourceFieldRef: resourceFieldRef.optional(),
      configMapKeyRef: keyRef.optional(),
      secretKeyRef: keyRef.optional(),
    })
    .optional(),
});

const objectRef = z.looseObject({ name: z.string(), optional: z.boolean().optional() });
const envFrom = z.looseObject({
  prefix: z.string().optional(),
  configMapRef: objectRef.optional(),
  secretRef: objectRef.optional(),
});

const mount = z.looseObject({
  name: z.string(),
  mountPath: z.string().startsWith('/', 'must be absolute'),
  subPath: z.string().optional(),
  readOnly: z.boolean().optional(),
});

const container = z.looseObject({
  env: z.array(envVar).default([]),
  envFrom: z.array(envFrom).default([]),
  workingDir: z.string().optional(),
  volumeMounts: z.array(mount).default([]),
  ports: z.array(z.looseObject({ name: z.string().optional(), containerPort: z.int() })).default([]),
  securityContext: z
    .looseObject({
      runAsUser: z.int().optional(),
      runAsGroup: z.int().optional(),
      runAsNonRoot: z.boolean().optional(),
    })
    .default({}),
});

const item = z.looseObject({ key: z.string(), path: z.string(), mode: z.int().optional() });
const downwardItem = z.looseObject({
  path: z.string(),
  mode: z.int().optional(),
  fieldRef: fieldRef.optional(),
  resourceFieldRef: resourceFieldRef.optional(),
});
const fromConfigMap = z.looseObject({
  name: z.string(),
  items: z.array(item).optional(),
  optional: z.boolean().optional(),
});
const fromSecret = z.looseObject({
  secretName: z.string(),
  items: z.array(item).optional(),
  optional: z.boolean().optional(),
});
const fromDownward = z.looseObject({ items: z.array(downwardItem).default([]) });
const mode = z.int().min(0).max(0o777).optional();

const volume = z.looseObject({
  name: z.string(),
  emptyDir: z.looseObject({}).optional(),
  hostPath: z.looseObject({ path: z.string(), type: z.string().optional() }).optional(),
  configMap: fromConfigMap.extend({ defaultMode: mode }).optional(),
  secret: fromSecret.extend({ defaultMode: mode }).optional(),
  downwardAPI: fromDownward.extend({ defaultMode: mode }).optional(),
  projected: z
    .looseObject({
      defaultMode: mode,
      sources: z.array(
        z.looseObject({
          configMap: fromConfigMap.optional(),
          secret: fromSecret.omit({ secretName: true }).extend({ name: z.string() }).optional(),
          downwardAPI: fromDownward.optional(),
        }),
      ),
    })
    .optional(),
});

const pod = z.looseObject({
  volumes: z.array(volume).default([]),
  hostname: z.string().optional(),
  serviceAccountName: z.string().optional(),
  securityContext: z
    .looseObject({
      runAsUser: z.int().optional(),
      runAsGroup: z.int().optional(),
      runAsNonRoot: z.boolean().optional(),
      supplementalGroups: z.array(z.int()).default([]),
      fsGroup: z.int().optional(),
    })
    .default({ supplementalGroups: [] }),
  initContainers: z.array(container).default([]),
  containers: z.array(container),
  ephemeralContainers: z.array(container).default([]),
});

export type ContainerSetup = z.output<typeof container>;
export type PodSetup = z.output<typeof pod>;
export type VolumeSpec = z.output<typeof volume>;
export type EnvVar = z.output<typeof envVar>;
export type ResourceFieldRef = z.output<typeof resourceFieldRef>;
export type KeyItem = z.output<typeof item>;
export type DownwardItem = z.output<typeof downwardItem>;

/** What of a container's spec sets it up; the spec is one that `checkSetup` passed. */
export function containerSetup(spec: object): ContainerSetup {
  return container.parse(spec);
}

export function podSetup(spec: object): PodSetup {
  return pod.parse(spec);
}

/** Every problem of the set-up fields of a pod's spec, with its path; empty: all is well. */
export function checkSetup(spec: object): readonly Problem[] {
  const parsed = pod.safeParse(spec);
  if (parsed.success) return volumeProblems(parsed.data);
  return parsed.error.issues.map((issue) => problem(issue.path.join('.'), issue.message));
}

function volumeProblems(spec: PodSetup): readonly Problem[] {
  const known = new Set(spec.volumes.map(({ name }) => name));
  const kinds = spec.volumes.flatMap((entry, index) => {
    const ours =
      entry.emptyDir ?? entry.hostPath ?? entry.configMap ?? entry.secret ?? entry.downwardAPI ?? entry.projected;
    const others = Object.keys(entry).filter((key) => key !== 'name');
    // The API server takes a volume without a source as an emptyDir.
    if (ours !== undefined || others.length === 0) return [];
    return [problem(`volumes.${index}`, `a volume of kind ${others.join(', ')} needs a cluster`)];
  });
  const groups = ['initContainers', 'containers', 'ephemeralContainers'] as const;
  const mounts = groups.flatMap((group) =>
    spec[group].flatMap((entry, index) =>
      entry.volumeMounts.flatMap(({ name }, at) =>
        known.has(name) ? [] : [problem(`${group}.${index}.volumeMounts.${at}.name`, `there is no volume "${name}"`)],
      ),
    ),
  );
  return [...kinds, ...mounts];
}

function problem(path: string, message: string): Problem {
  return { code: 'pod-setup', severity: 'error', path: `spec.${path}`, message };
}
