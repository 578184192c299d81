// Follows files by reading them again: kubelets swap mounted ConfigMaps and Secrets by links, which file watchers miss. Small files only, or what
// is in memory anyway.
import { startRounds } from './rounds.ts';

export interface FollowedFiles {
  readonly stop: () => void;
}

interface Options<T> {
  readonly read: () => Promise<T>;
  /** Called with what is new, once at most for each content, one after another. A throw is the caller's to log. */
  readonly use: (value: T) => Promise<void> | void;
  readonly everyMs: number;
  /** Where a change is told at once: calls back for each. */
  readonly told?: ((changed: () => void) => void) | undefined;
  readonly onError: (error: unknown) => void;
}

/** Reads and uses once, then again after each change. The first failure rejects; later ones keep what is in use. */
export async function followFiles<T>({ read, use, everyMs, told, onError }: Options<T>): Promise<FollowedFiles> {
  const first = await read();
  let known = JSON.stringify(first);
  await use(first);
  let stopped = false;
  const look = async (): Promise<void> => {
    const value = await read();
    const text = JSON.stringify(value);
    if (stopped || text === known) return;
    known = text;
    await use(value);
  };
  const rounds = startRounds(look, { idleMs: everyMs }, onError);
  told?.(rounds.soon);
  return {
    stop: () => {
      stopped = true;
      void rounds.stop();
    },
  };
}
