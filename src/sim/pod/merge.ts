// A strategic merge as `kubectl patch` makes it, of the part of a pod that a scenario changes: objects key by key, lists of named
// things by name, other lists whole, null removes.

/** `base` with `patch` merged into it. */
export function merged(base: unknown, patch: unknown): unknown {
  if (Array.isArray(base) && Array.isArray(patch) && isNamed(base) && isNamed(patch)) return mergedLists(base, patch);
  if (!isObject(base) || !isObject(patch)) return patch;
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = Object.hasOwn(base, key) ? merged(base[key], value) : value;
  }
  return result;
}

interface Named {
  readonly name: string;
}

function mergedLists(base: readonly Named[], patch: readonly Named[]): readonly unknown[] {
  const added = patch.filter(({ name }) => !base.some((item) => item.name === name));
  const changed = base.map((item) => {
    const change = patch.find(({ name }) => name === item.name);
    return change === undefined ? item : merged(item, change);
  });
  return [...changed, ...added];
}

function isNamed(values: readonly unknown[]): values is readonly Named[] {
  return values.every((value) => isObject(value) && typeof value['name'] === 'string');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
