// What a container is told of the others of its pod: for each regular container a file that is there while it runs. A proxy that must
// outlive its application waits until those files are gone (`FAIRWAY_APP_RUNNING`). Refuses to know what waits for what.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BindMount } from './volumes.ts';

const variable = 'FAIRWAY_APP_RUNNING';
/** Where the folder of files is in a container. */
const target = '/run/fairway/running';

export interface Told {
  readonly env: readonly (readonly [name: string, value: string])[];
  readonly mounts: readonly BindMount[];
}

export class RunningFiles {
  readonly #folder: string;
  readonly #mains: readonly string[];

  /** The folder is the pod's; `mains` are the names of its regular containers. */
  constructor(folder: string, mains: readonly string[]) {
    this.#folder = folder;
    this.#mains = mains;
  }

  /** Before the container is started, so that nobody sees it run without its file. */
  began(container: string): void {
    if (!this.#mains.includes(container)) return;
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(join(this.#folder, container), '');
  }

  ended(container: string): void {
    rmSync(join(this.#folder, container), { force: true });
  }

  /** For one container: the files of the others, which lie elsewhere where the pod's folder can be mounted. A pod of one container is told nothing. */
  toldTo(container: string, place: 'mounted' | 'as-is'): Told {
    const others = this.#mains.filter((name) => name !== container);
    if (others.length === 0) return { env: [], mounts: [] };
    mkdirSync(this.#folder, { recursive: true });
    const seenAt = place === 'mounted' ? target : this.#folder;
    return {
      env: [[variable, others.map((name) => join(seenAt, name)).join(':')]],
      mounts: place === 'mounted' ? [{ source: this.#folder, target, readOnly: true }] : [],
    };
  }
}
