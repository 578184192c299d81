// The kinds of owners that Krispr watches: what the admission server follows, what it needs the rights for, and what plan and doctor take for known
// are one table.

export interface WatchedType {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  /** Whole objects where a selector has to be seen; metadata alone of what is many and never tops a chain with a selector. */
  readonly what: 'metadata' | 'objects';
}

/** The built-in ones; fairway.yml's `kinds` come to them. */
export const watchedTypes: readonly WatchedType[] = [
  type('apps', 'deployments', 'Deployment', 'objects'),
  type('apps', 'replicasets', 'ReplicaSet', 'metadata'),
  type('apps', 'statefulsets', 'StatefulSet', 'objects'),
  type('apps', 'daemonsets', 'DaemonSet', 'objects'),
  type('apps', 'controllerrevisions', 'ControllerRevision', 'metadata'),
  type('batch', 'jobs', 'Job', 'metadata'),
  type('batch', 'cronjobs', 'CronJob', 'metadata'),
  type('', 'replicationcontrollers', 'ReplicationController', 'objects'),
];

function type(group: string, plural: string, kind: string, what: WatchedType['what']): WatchedType {
  return { group, version: 'v1', plural, kind, what };
}

/** A pod without an owner counts as known: it is a deploy of its own. */
const knownKinds: ReadonlySet<string> = new Set(['Pod', ...watchedTypes.map(({ kind }) => kind)]);

/** Kinds whose deploys Krispr knows the times of: its own, and those of fairway.yml. */
export function isWatchedKind(kind: string, kinds: readonly { readonly kind: string }[]): boolean {
  return knownKinds.has(kind) || kinds.some((each) => each.kind === kind);
}
