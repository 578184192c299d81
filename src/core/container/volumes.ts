// A pod's volumes as plans: an empty directory, a path of the machine, or files with their contents. Nothing is written here.
import type { DownwardItem, KeyItem, PodSetup, VolumeSpec } from './shape.ts';
import {
  type Content,
  fieldValue,
  findObject,
  type KeyedFiles,
  type Lookup,
  resourceValue,
  type Sources,
} from './sources.ts';

export type VolumePlan =
  | { readonly kind: 'empty'; readonly name: string }
  | { readonly kind: 'host'; readonly name: string; readonly path: string; readonly type: string }
  | { readonly kind: 'files'; readonly name: string; readonly files: readonly PlannedFile[] };

export interface PlannedFile {
  /** Below the volume's directory; never leaves it. */
  readonly path: string;
  readonly content: Content;
  readonly mode: number;
}

const defaultMode = 0o644;

/** Every volume of the pod, or the first thing that is missing, as the kubelet's FailedMount would say it. */
export function volumePlans(pod: PodSetup, sources: Sources): Lookup<readonly VolumePlan[]> {
  const plans: VolumePlan[] = [];
  for (const volume of pod.volumes) {
    const plan = planOf(volume, pod, sources);
    if (!plan.found)
      return { found: false, message: `MountVolume.SetUp failed for volume "${volume.name}" : ${plan.message}` };
    plans.push(plan.value);
  }
  return { found: true, value: plans };
}

function planOf(volume: VolumeSpec, pod: PodSetup, sources: Sources): Lookup<VolumePlan> {
  const { name, hostPath } = volume;
  if (hostPath !== undefined) {
    return { found: true, value: { kind: 'host', name, path: hostPath.path, type: hostPath.type ?? '' } };
  }
  const parts = partsOf(volume);
  if (parts.length === 0) return { found: true, value: { kind: 'empty', name } };
  const files: PlannedFile[] = [];
  for (const part of parts) {
    const made = 'kind' in part ? objectFiles(part, sources) : downwardFiles(part, pod, sources);
    if (!made.found) return made;
    files.push(...made.value);
  }
  return { found: true, value: { kind: 'files', name, files } };
}

interface ObjectPart {
  readonly kind: KeyedFiles['kind'];
  readonly name: string;
  readonly items: readonly KeyItem[] | undefined;
  readonly optional: boolean;
  readonly mode: number;
}

interface DownwardPart {
  readonly downward: readonly DownwardItem[];
  readonly mode: number;
}

/** The sources of a volume in one form; several only in a projected one, where later files win. */
function partsOf(volume: VolumeSpec): readonly (ObjectPart | DownwardPart)[] {
  const { configMap, secret, downwardAPI, projected } = volume;
  const sources = projected?.sources ?? [
    { configMap, secret: secret === undefined ? undefined : { ...secret, name: secret.secretName }, downwardAPI },
  ];
  const own = configMap?.defaultMode ?? secret?.defaultMode ?? downwardAPI?.defaultMode ?? projected?.defaultMode;
  const mode = own ?? defaultMode;
  return sources.flatMap((source): readonly (ObjectPart | DownwardPart)[] => [
    ...(source.configMap === undefined ? [] : [objectPart('ConfigMap', source.configMap, mode)]),
    ...(source.secret === undefined ? [] : [objectPart('Secret', source.secret, mode)]),
    ...(source.downwardAPI === undefined ? [] : [{ downward: source.downwardAPI.items, mode }]),
  ]);
}

interface NamedSource {
  readonly name: string;
  readonly items?: readonly KeyItem[] | undefined;
  readonly optional?: boolean | undefined;
}

function objectPart(kind: KeyedFiles['kind'], source: NamedSource, mode: number): ObjectPart {
  return { kind, name: source.name, items: source.items, optional: source.optional === true, mode };
}

function objectFiles(part: ObjectPart, sources: Sources): Lookup<readonly PlannedFile[]> {
  const object = findObject(sources, part.kind, part.name);
  if (!object.found) return part.optional ? { found: true, value: [] } : object;
  const { data } = object.value;
  const items: readonly KeyItem[] = part.items ?? Object.keys(data).map((key) => ({ key, path: key }));
  const files: PlannedFile[] = [];
  for (const { key, path, mode } of items) {
    const content = data[key];
    if (content === undefined && part.optional) continue;
    if (content === undefined) {
      return { found: false, message: `references non-existent ${part.kind.toLowerCase()} key: ${key}` };
    }
    files.push({ path: inside(path), content, mode: mode ?? part.mode });
  }
  return { found: true, value: files };
}

function downwardFiles(part: DownwardPart, pod: PodSetup, sources: Sources): Lookup<readonly PlannedFile[]> {
  const files: PlannedFile[] = [];
  for (const entry of part.downward) {
    const value = downwardValue(entry, pod, sources);
    if (!value.found) return value;
    files.push({ path: inside(entry.path), content: value.value, mode: entry.mode ?? part.mode });
  }
  return { found: true, value: files };
}

function downwardValue(entry: DownwardItem, pod: PodSetup, sources: Sources): Lookup<string> {
  if (entry.fieldRef !== undefined) return fieldValue(sources.facts, entry.fieldRef.fieldPath);
  const ref = entry.resourceFieldRef;
  if (ref === undefined) return { found: false, message: `nothing to write to ${entry.path}` };
  const all = [...pod.containers, ...pod.initContainers];
  const owner = all.find((one) => one['name'] === ref.containerName);
  if (owner === undefined) return { found: false, message: `container ${ref.containerName ?? ''} not found` };
  return resourceValue(sources.facts, owner['resources'] ?? {}, ref);
}

/** A path with every step that would leave the volume taken out. */
function inside(path: string): string {
  return path
    .split('/')
    .filter((step) => step !== '' && step !== '.' && step !== '..')
    .join('/');
}
