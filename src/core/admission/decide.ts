// Krispr's decision about one pod at its creation: which label, and why. The label that CI left stands unless there is a reason,
// and what is not known is a reason to leave it.
//
//   not in the mesh                              leave (a label would inject it)
//   no label                                     leave, or label where the namespace opted in
//   label is today's                             leave
//   today's cannot be told, or nobody serves it  leave, with a warning
//   label is a revision tag                      leave
//   an owner selects by the label                leave, with a warning, whatever follows
//   label is retired, or nobody serves it        today's, with a warning: nothing would inject the pod
//   remutateAfter is 0                           today's, at once
//   last deploy not known                        leave, with a warning
//   last deploy more than remutateAfter ago      today's
//   else                                         leave: an owner who deploys an old build again has rolled back
import { ageMs, lastDeploy, type OwnerFacts } from './deploy-age.ts';
import type { Served } from './served.ts';

/** What rollouts.yml and fairway.yml say, narrowed to what admission asks. */
export interface Rules {
  /** Today's revision of a namespace, or why there is none. */
  readonly wanted: (namespace: string) => Wanted;
  /** Milliseconds; 0 forces. For the bucket that the namespace is in and the revision that the pod carries. */
  readonly remutateAfterMs: (bucket: string, revision: string) => number;
  readonly isRetired: (revision: string) => boolean;
  readonly unlabelled: (namespace: string) => 'leave' | 'label';
  /** Whether the first revision is newer than the second. */
  readonly isNewer: (revision: string, than: string) => boolean;
}

export type Wanted =
  | { readonly kind: 'revision'; readonly revision: string; readonly bucket: string }
  /** The namespace is not in the mesh. */
  | { readonly kind: 'outside'; readonly reason: string }
  | { readonly kind: 'unresolved'; readonly message: string };

export interface Subject {
  readonly namespace: string;
  /** The pod's label `istio.io/rev`; undefined for none or an empty one, which no injector serves. */
  readonly label: string | undefined;
  /** Why the pod is not in the mesh, if so. */
  readonly outside: string | undefined;
  readonly facts: () => OwnerFacts;
}

export type Verdict =
  | { readonly kind: 'leave'; readonly because: LeaveReason; readonly note?: string }
  | {
      readonly kind: 'label';
      readonly because: LabelReason;
      readonly revision: string;
      readonly from: string | undefined;
      readonly movesBack: boolean;
      readonly note?: string;
    };

export type LeaveReason =
  | 'outside'
  | 'unlabelled'
  | 'current'
  | 'unresolved'
  | 'wanted-unserved'
  | 'tag'
  | 'selector'
  | 'owner-unknown'
  | 'young';
export type LabelReason = 'unlabelled' | 'retired' | 'unserved' | 'forced' | 'age';

interface World {
  readonly rules: Rules;
  /** Undefined while the cluster's configurations are not known: then only fairway.yml says what is retired. */
  readonly served: Served | undefined;
  readonly nowMs: number;
}

/** The verdict on one pod; `note` is worth a warning to whoever created it. */
export function decide(subject: Subject, world: World): Verdict {
  const { rules, served } = world;
  const { namespace, label, outside } = subject;
  const wanted = rules.wanted(namespace);
  if (outside !== undefined || wanted.kind === 'outside') return leave('outside');
  if (label === undefined && rules.unlabelled(namespace) === 'leave') return leave('unlabelled');
  if (wanted.kind === 'unresolved') return leave('unresolved', `label left as it is: ${wanted.message}`);
  if (wanted.revision === label) return leave('current');
  if (label !== undefined && served?.tags.has(label) === true) return leave('tag');
  if (!isUsable(wanted.revision, world))
    return leave('wanted-unserved', `label left as it is: no injector serves revision ${wanted.revision}`);
  if (label === undefined) return toWanted(subject, world, wanted.revision, { because: 'unlabelled' });
  return decideLabelled({ ...subject, label }, world, wanted);
}

function decideLabelled(
  subject: Subject & { readonly label: string },
  world: World,
  wanted: Extract<Wanted, { kind: 'revision' }>,
): Verdict {
  const { rules, served, nowMs } = world;
  const { label } = subject;
  const { revision, bucket } = wanted;
  if (rules.isRetired(label))
    return toWanted(subject, world, revision, {
      because: 'retired',
      note: `revision ${label} is retired: using ${revision}`,
    });
  if (served !== undefined && !served.revisions.has(label))
    return toWanted(subject, world, revision, {
      because: 'unserved',
      note: `no injector serves revision ${label}: using ${revision}`,
    });
  const limitMs = rules.remutateAfterMs(bucket, label);
  if (limitMs === 0) return toWanted(subject, world, revision, { because: 'forced' });
  const deploy = lastDeploy(subject.facts(), nowMs);
  if (deploy.kind === 'unknown') {
    const { kind, name } = deploy.reference;
    return leave('owner-unknown', `revision ${label} kept: ${kind}/${name} is not known yet, so neither is its age`);
  }
  return ageMs(deploy, nowMs) > limitMs ? toWanted(subject, world, revision, { because: 'age' }) : leave('young');
}

function isUsable(revision: string, { rules, served }: World): boolean {
  if (rules.isRetired(revision)) return false;
  return served === undefined || served.revisions.has(revision) || served.tags.has(revision);
}

function leave(because: LeaveReason, note?: string): Verdict {
  return note === undefined ? { kind: 'leave', because } : { kind: 'leave', because, note };
}

function toWanted(
  subject: Subject,
  { rules }: World,
  revision: string,
  why: { because: LabelReason; note?: string },
): Verdict {
  const selecting = subject.facts().chain.find(({ selectsRevision }) => selectsRevision === true);
  if (selecting !== undefined)
    return leave('selector', `label left as it is: ${selecting.kind}/${selecting.name} selects its pods by it`);
  const from = subject.label;
  return { kind: 'label', ...why, revision, from, movesBack: from !== undefined && rules.isNewer(from, revision) };
}
