// Which writes make the stored tables the wanted ones. Names hold the number of objects: with another number all are written under new names
// first, and the old ones go when nothing is missing any more, so that no namespace is without its entry in between.
import type { PolicyTable } from './table.ts';

/** A table as it is stored. */
export interface StoredTable {
  readonly name: string;
  readonly resourceVersion: string;
  readonly spec: unknown;
}

export type Write =
  | { readonly kind: 'create'; readonly name: string; readonly spec: PolicyTable }
  | { readonly kind: 'replace'; readonly name: string; readonly spec: PolicyTable; readonly resourceVersion: string }
  | { readonly kind: 'delete'; readonly name: string };

/** The next writes: none when all is as it should be; deletions only when nothing else is left to write. */
export function missingWrites(wanted: readonly PolicyTable[], stored: readonly StoredTable[]): readonly Write[] {
  const byName = new Map(stored.map((each) => [each.name, each]));
  const names = wanted.map((_, i) => `krispr-${wanted.length}-${i}`);
  const writes = wanted.flatMap((spec, i) => writeOf(names[i] ?? '', spec, byName));
  if (writes.length > 0) return writes;
  return stored.filter(({ name }) => !names.includes(name)).map(({ name }) => ({ kind: 'delete', name }));
}

function writeOf(name: string, spec: PolicyTable, stored: ReadonlyMap<string, StoredTable>): readonly Write[] {
  const there = stored.get(name);
  if (there === undefined) return [{ kind: 'create', name, spec }];
  if (sameTable(there.spec, spec)) return [];
  return [{ kind: 'replace', name, spec, resourceVersion: there.resourceVersion }];
}

/** API servers sort keys, or do not: only entries count. */
function sameTable(stored: unknown, wanted: PolicyTable): boolean {
  const there = (stored ?? {}) as Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;
  return Object.entries(wanted).every(([field, map]: [string, Readonly<Record<string, string>>]) => {
    const found = there[field] ?? {};
    const keys = Object.keys(map);
    return (
      keys.length === Object.keys(found).length &&
      keys.every((key) => Object.hasOwn(found, key) && found[key] === map[key])
    );
  });
}
