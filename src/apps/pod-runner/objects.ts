// The config maps and secrets that were given along with the pods; a later one of the same name replaces the earlier.
import type { KeyedFiles } from '../../core/container/index.ts';

export interface ObjectStore {
  readonly all: () => readonly KeyedFiles[];
  readonly put: (object: KeyedFiles) => void;
}

export function objectStore(): ObjectStore {
  const objects = new Map<string, KeyedFiles>();
  return {
    all: () => [...objects.values()],
    put: (object) => objects.set(`${object.kind}/${object.namespace}/${object.name}`, object),
  };
}
