// Looking things up in lists that are mostly short: a short one is searched as it is, a long one gets an index at the first question.
// Owns no meaning of the keys. Refuses lists that are changed in place: the index is kept as long as the list.

const short = 16;

/**
 * A function that answers the entries of a list that may have a key: the whole list while it is short, else those that have it, in
 * order. The caller compares the keys itself, so that a short list costs no allocation.
 */
export function narrowing<T>(
  keyOf: (entry: T) => string | undefined,
): (list: readonly T[], key: string) => readonly T[] {
  const indexes = new WeakMap<readonly T[], ReadonlyMap<string | undefined, readonly T[]>>();
  return (list, key) => {
    if (list.length <= short) return list;
    let index = indexes.get(list);
    if (index === undefined) {
      index = Map.groupBy(list, keyOf);
      indexes.set(list, index);
    }
    return index.get(key) ?? none;
  };
}

const none: readonly never[] = [];
