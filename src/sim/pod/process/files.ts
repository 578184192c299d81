// The files of a simulated pod. What lies below a volume mount belongs to the pod and outlives restarts; all else belongs to one
// run of one container and is new with the next.
import type { Container } from '../../../core/pod/index.ts';

/** The files as one run of a container sees them. Paths are absolute. */
export interface FileView {
  exists(path: string): boolean;
  read(path: string): string | undefined;
  write(path: string, text: string): void;
  remove(path: string): void;
}

export interface PodFiles {
  view(container: Container, instance: string): FileView;
}

/** No files yet. */
export function podFiles(): PodFiles {
  const contents = new Map<string, string>();
  return {
    view: (container, instance) => {
      const mounts = mountsOf(container);
      const key = (path: string) => keyOf(path, mounts, instance);
      return {
        exists: (path) => contents.has(key(path)),
        read: (path) => contents.get(key(path)),
        write: (path, text) => void contents.set(key(path), text),
        remove: (path) => void contents.delete(key(path)),
      };
    },
  };
}

interface Mount {
  readonly at: string;
  readonly volume: string;
}

/** Longest path first: a mount below another one wins. */
function mountsOf(container: Container): readonly Mount[] {
  const mounts = container['volumeMounts'];
  if (!Array.isArray(mounts)) return [];
  return (mounts as readonly Readonly<Record<string, unknown>>[])
    .flatMap(({ name, mountPath, subPath }) =>
      typeof name === 'string' && typeof mountPath === 'string'
        ? [{ at: mountPath.replace(/\/+$/, ''), volume: typeof subPath === 'string' ? `${name}/${subPath}` : name }]
        : [],
    )
    .sort((a, b) => b.at.length - a.at.length);
}

function keyOf(path: string, mounts: readonly Mount[], instance: string): string {
  const mount = mounts.find(({ at }) => path === at || path.startsWith(`${at}/`));
  return mount === undefined ? `run ${instance} ${path}` : `volume ${mount.volume}${path.slice(mount.at.length)}`;
}
