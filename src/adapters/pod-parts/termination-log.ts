// The file in which a container may say why it ended: made before the run, mounted into it, read after it.
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Container } from '../../core/pod/index.ts';
import type { BindMount } from './volumes.ts';

const fileName = 'termination-log';

/** Makes the empty file in a run's folder and says where it is mounted. */
export function makeTerminationLog(folder: string, container: Container): BindMount {
  mkdirSync(folder, { recursive: true });
  const source = join(folder, fileName);
  writeFileSync(source, '');
  chmodSync(source, 0o666); // whoever the container runs as may write
  return { source, target: container.terminationMessagePath ?? '/dev/termination-log', readOnly: false };
}

/** What the container wrote, cut; undefined where it wrote nothing. */
export function readTerminationLog(folder: string): string | undefined {
  const file = join(folder, fileName);
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return size === 0 ? undefined : readFileSync(file, 'utf8').slice(0, 4096);
}
