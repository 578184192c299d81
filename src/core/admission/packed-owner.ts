// An owner's record as one text, for an index of very many: a collector of garbage visits each object, and one text is a tenth of a record's.
// The uid is not in it: it is the key that the text is kept by.
import type { OwnerRecord, OwnerReference, Stamp } from './owner.ts';

export type PackedOwner = string;

type Fields = readonly [
  ...owner: readonly [group: string, kind: string, namespace: string, name: string, createdMs: number],
  controller: readonly [group: string, kind: string, name: string, uid: string] | null,
  stamp: readonly [atMs: number, writtenMs: number | null] | null,
  specWrittenMs: number | null,
  selectsRevision: boolean,
];

export function packOwner(record: OwnerRecord): PackedOwner {
  const { group, kind, namespace, name, createdMs, controller: by, stamp, specWrittenMs, selectsRevision } = record;
  const controller = by === undefined ? null : ([by.group, by.kind, by.name, by.uid] as const);
  const stamped = stamp === undefined ? null : ([stamp.atMs, stamp.writtenMs ?? null] as const);
  const owner = [group, kind, namespace, name, createdMs] as const;
  const fields: Fields = [...owner, controller, stamped, specWrittenMs ?? null, selectsRevision === true];
  return JSON.stringify(fields);
}

export function unpackOwner(uid: string, packed: PackedOwner): OwnerRecord {
  const [group, kind, namespace, name, createdMs, by, stamp, specWrittenMs, selects] = JSON.parse(packed) as Fields;
  return {
    group,
    kind,
    namespace,
    name,
    uid,
    createdMs,
    ...(by === null ? {} : { controller: referenceOf(by) }),
    ...(stamp === null ? {} : { stamp: stampOf(stamp) }),
    ...(specWrittenMs === null ? {} : { specWrittenMs }),
    ...(selects ? { selectsRevision: true } : {}),
  };
}

function referenceOf([group, kind, name, uid]: NonNullable<Fields[5]>): OwnerReference {
  return { group, kind, name, uid };
}

function stampOf([atMs, writtenMs]: NonNullable<Fields[6]>): Stamp {
  return writtenMs === null ? { atMs } : { atMs, writtenMs };
}
