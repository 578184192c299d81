// What a reviewer should not overlook in a plan. Warnings, except ties: two patterns of equal length leave a name without a
// revision, so the file is invalid for this inventory.
import { unreachedProblems } from '../reach/index.ts';
import { type Assignment, percentText } from '../rollout/index.ts';
import { counted } from '../std/counted.ts';
import type { Problem } from '../std/errors.ts';
import type { Shadowed, StuckWorkload } from './obstacles.ts';
import type { ShareRow } from './shares.ts';
import type { Side } from './side.ts';

interface Findings {
  readonly to: Side;
  readonly resolved: ReadonlyMap<string, Assignment>;
  readonly shares: readonly ShareRow[];
  readonly stuck: readonly StuckWorkload[];
  readonly shadowed: readonly Shadowed[];
  /** Moves that the shares did not ask for: of slots, where no inventory says which namespaces they are. */
  readonly needless: { readonly count: number; readonly of: 'namespace' | 'slot' };
}

export function warningsOf(findings: Findings): readonly Problem[] {
  const { file } = findings.to.rollouts;
  const ofTheFile = [
    ...ties(findings.resolved),
    ...needlessMoves(findings.needless),
    ...findings.shares.flatMap(emptyShare),
    ...retiredRevisions(findings),
  ];
  return [
    ...(file === undefined ? ofTheFile : ofTheFile.map((problem) => ({ ...problem, file }))),
    ...findings.shadowed.map(shadowedLabel),
    ...unreachedProblems(findings.stuck),
  ];
}

function ties(resolved: ReadonlyMap<string, Assignment>): Problem[] {
  return [...resolved.values()].flatMap((one) => {
    if (one.kind !== 'tie') return [];
    const both = one.buckets.map((bucket) => JSON.stringify(bucket)).join(' and ');
    const message = `${both} are equally long, and both match ${JSON.stringify(one.namespace)}`;
    return [{ code: 'pattern-tie', severity: 'error', message, hint: 'make one of them longer, or narrower' }];
  });
}

function needlessMoves({ count, of }: Findings['needless']): Problem[] {
  if (count === 0) return [];
  const message = `${count} ${of}${count === 1 ? ' moves' : 's move'}, and the shares do not ask for it`;
  const hint = 'with a lock there are none: `fairway plan --write-lock`, and commit rollouts.lock with this edit';
  return [{ code: 'needless-moves', severity: 'warning', message, hint }];
}

function emptyShare({ bucket, revision, wanted, count, of }: ShareRow): Problem[] {
  if (wanted === 0 || count > 0) return [];
  const message = `${bucket}: ${revision} asks for ${percentText(wanted)} % and gets none of ${counted(of, 'namespace')}`;
  const hint = 'raise the share, or set `mode: exact` for this bucket in fairway.yml';
  return [{ code: 'share-empty', severity: 'warning', message, hint }];
}

function retiredRevisions({ to: { rollouts, fleet } }: Findings): Problem[] {
  return [...rollouts.buckets, rollouts.defaultBucket].flatMap(({ name, shares, line, column }) =>
    [...shares].flatMap(([revision, share]): Problem[] => {
      if (share === 0 || fleet.revisions?.get(revision)?.retired !== true) return [];
      const message = `${name}: ${revision} is retired, and still asks for ${percentText(share)} %`;
      const hint = 'nothing injects its pods: give its share to another revision';
      return [{ code: 'revision-retired', severity: 'warning', message, hint, line, column }];
    }),
  );
}

function shadowedLabel({ namespace, label, value }: Shadowed): Problem {
  const message = `namespace ${namespace} has ${label}=${value}; the pod label is ignored`;
  return {
    code: 'label-shadowed',
    severity: 'warning',
    message,
    hint: `kubectl label namespace ${namespace} ${label}-`,
  };
}
