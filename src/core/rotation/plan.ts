// The life of a server's own certificate authority, one step at a time.
//
//   nothing ──▶ root ──▶ leaf ──▶ (two thirds of the leaf's life) ──▶ leaf …
//                 │
//                 └─ two thirds of its life ──▶ next announced ──▶ everybody trusts it, and a while passed
//                                                                     │
//        previous dropped ◀── a while after its last leaf ◀── leaf ◀──┘ promoted: next is root, root is previous
//
// Whoever checks a leaf trusts previous, root and next; so at every moment the leaf that is served can be checked.

/** Milliseconds since 1970. `fromMs` is when it was made, not what it says for clocks that are behind. */
export interface Validity {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface Authority {
  readonly root?: Validity;
  /** Announced; signs nothing yet. */
  readonly next?: Validity;
  /** Signs nothing any more. */
  readonly previous?: Validity;
  readonly leaf?: Validity & { readonly signedBy: 'root' | 'previous' | 'unknown'; readonly namesFit: boolean };
  /** Whether everybody who checks was told of `next`. */
  readonly announced: boolean;
}

export interface Policy {
  readonly rootLifeMs: number;
  readonly leafLifeMs: number;
  /** How long everybody gets to take a new root or a new leaf into use. */
  readonly settleMs: number;
}

export type Step = 'make-root' | 'make-next' | 'promote-next' | 'issue-leaf' | 'drop-previous';

export const usualPolicy: Policy = { rootLifeMs: 365 * 86_400_000, leafLifeMs: 14 * 86_400_000, settleMs: 600_000 };

/** The next step, or undefined where everything is as it should be. */
export function nextStep(authority: Authority, policy: Policy, nowMs: number): Step | undefined {
  const { root, next, previous, leaf, announced } = authority;
  if (root === undefined || nowMs >= root.untilMs) return 'make-root';
  if (leaf === undefined || leaf.signedBy !== 'root' || !leaf.namesFit || isWorn(leaf, nowMs)) return 'issue-leaf';
  if (next === undefined) {
    if (isWorn(root, nowMs)) return 'make-next';
  } else if (announced && nowMs - next.fromMs >= policy.settleMs) return 'promote-next';
  if (previous !== undefined && nowMs - leaf.fromMs >= policy.settleMs) return 'drop-previous';
  return undefined;
}

/** Two thirds of a life: the last third is for whatever goes wrong. */
function isWorn({ fromMs, untilMs }: Validity, nowMs: number): boolean {
  return nowMs >= fromMs + ((untilMs - fromMs) * 2) / 3;
}
