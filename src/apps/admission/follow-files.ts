// Follows files by reading them again: kubelets swap mounted ConfigMaps and Secrets by links, which file watchers miss. Small files only.

export interface FollowedFiles {
  readonly stop: () => void;
}

interface Options<T> {
  readonly read: () => Promise<T>;
  /** Called with what is new, once at most for each content, one after another. A throw is the caller's to log. */
  readonly use: (value: T) => Promise<void> | void;
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
}

/** Reads and uses once, then again after each change. The first failure rejects; later ones keep what is in use. */
export async function followFiles<T>({ read, use, everyMs, onError }: Options<T>): Promise<FollowedFiles> {
  const first = await read();
  let known = JSON.stringify(first);
  await use(first);
  let stopped = false;
  let timer: NodeJS.Timeout;
  const look = async (): Promise<void> => {
    try {
      const value = await read();
      const text = JSON.stringify(value);
      if (!stopped && text !== known) {
        known = text;
        await use(value);
      }
    } catch (error) {
      onError(error);
    }
    if (!stopped) plan();
  };
  const plan = (): void => {
    timer = setTimeout(() => void look(), everyMs);
  };
  plan();
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
