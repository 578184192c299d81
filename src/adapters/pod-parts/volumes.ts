// Writes a pod's volumes below a folder of the pod: empty directories and files. A host path stays where it is.
import { chmodSync, chownSync, existsSync, mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { VolumeMount, VolumePlan } from '../../core/container/index.ts';

export interface BindMount {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

/** Volume name → where it lies. */
export type Volumes = ReadonlyMap<string, string>;

export function writeVolumes(folder: string, plans: readonly VolumePlan[], fsGroup: number | undefined): Volumes {
  return new Map(plans.map((plan) => [plan.name, placeOf(plan, join(folder, plan.name), fsGroup)]));
}

/** Where each mount of a container comes from; a subPath that is missing is made a directory. */
export function bindMounts(volumes: Volumes, mounts: readonly VolumeMount[]): readonly BindMount[] {
  return mounts.map(({ volume, mountPath, subPath, readOnly }) => {
    const place = volumes.get(volume) ?? '';
    return { source: subPath === undefined ? place : below(place, subPath), target: mountPath, readOnly };
  });
}

function placeOf(plan: VolumePlan, place: string, fsGroup: number | undefined): string {
  if (plan.kind === 'host') return hostPlace(plan.path, plan.type);
  mkdirSync(place, { recursive: true });
  chmodSync(place, 0o777); // as the kubelet makes an emptyDir: whoever the container runs as may write
  if (fsGroup !== undefined && process.getuid?.() === 0) {
    chownSync(place, -1, fsGroup);
    chmodSync(place, 0o2777);
  }
  if (plan.kind === 'files') writeFiles(place, plan.files, fsGroup);
  return place;
}

function writeFiles(
  place: string,
  files: Extract<VolumePlan, { kind: 'files' }>['files'],
  fsGroup: number | undefined,
): void {
  for (const { path, content, mode } of files) {
    const file = join(place, path);
    mkdirSync(dirname(file), { recursive: true });
    rmSync(file, { force: true });
    writeFileSync(file, content, { mode });
    chmodSync(file, mode);
    if (fsGroup !== undefined && process.getuid?.() === 0) chownSync(file, -1, fsGroup);
  }
}

/** The kinds of hostPath; the empty kind checks nothing, like the kubelet. */
function hostPlace(path: string, type: string): string {
  if (type === 'DirectoryOrCreate') mkdirSync(path, { recursive: true });
  if (type === 'FileOrCreate' && !existsSync(path)) writeFileSync(path, '');
  if (type === '') return path;
  const stats = existsSync(path) ? statSync(path) : undefined;
  const fits = type.startsWith('Directory') ? stats?.isDirectory() : type.startsWith('File') ? stats?.isFile() : stats;
  if (fits === undefined || fits === false)
    throw new Error(`hostPath type check failed: ${path} is not a ${type.toLowerCase()}`);
  return path;
}

/** A path below a volume, also when links in the volume point elsewhere. */
function below(place: string, subPath: string): string {
  const path = join(place, subPath);
  if (!existsSync(path)) mkdirSync(path, { recursive: true });
  const real = realpathSync(path);
  if (!`${real}/`.startsWith(`${realpathSync(place)}/`)) throw new Error(`subPath ${subPath} leaves its volume`);
  return real;
}
