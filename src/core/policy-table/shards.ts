// Splits a table into objects that a cluster can store: etcd refuses more than 1.5 MiB, and watches carry each object whole. Which object a namespace
// is in depends on its name and the number of objects only, so an edit of one namespace writes one object.
import { slots } from '../rollout/index.ts';
import type { PolicyTable } from './table.ts';

/** The label by which the policy's binding finds the objects. */
export const tableLabel = 'fairway.dev/policy';

/** Of one object's table as JSON; what the API server adds is a few hundred bytes, because the maps are atomic. */
const usualLimitBytes = 900 * 1024;

/** One table or more, each of `limitBytes` at most; a single entry that is longer is none of this world. */
export function shards(table: PolicyTable, limitBytes: number = usualLimitBytes): readonly PolicyTable[] {
  const slotOf = slots('');
  for (let count = Math.ceil(sizeOf(table) / limitBytes); ; count++) {
    const parts = split(table, count, (namespace) => slotOf(namespace) % count);
    if (parts.every((part) => sizeOf(part) <= limitBytes) || count >= mostShards) return parts;
  }
}

/** Each is asked at each creation of a pod: thousands would be slower than the webhook. */
const mostShards = 1000;

function split({ tags, ...maps }: PolicyTable, count: number, shardOf: (namespace: string) => number) {
  const parts = Array.from({ length: count }, () => ({
    revisions: {} as Record<string, string>,
    unlabelled: {} as Record<string, string>,
    tags,
    selecting: {} as Record<string, string>,
  }));
  for (const field of ['revisions', 'unlabelled', 'selecting'] as const)
    for (const [key, value] of Object.entries(maps[field])) {
      const part = parts[shardOf(key.split('/')[0] ?? key)];
      if (part !== undefined) part[field][key] = value;
    }
  return parts;
}

/** Names of the API are ASCII. */
function sizeOf(table: PolicyTable): number {
  return JSON.stringify(table).length;
}
