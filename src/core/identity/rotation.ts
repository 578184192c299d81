// When a certificate is renewed and when a failed request is repeated. Times are milliseconds since 1970; chance is an argument.
// Sources: Istio's secretcache.go (rotateTime), retry.go (a CA that may answer soon) and backoff/exponential.go (all other failures).
import type { Prng } from '../std/prng.ts';

export interface Rotation {
  /** Which share of a life is left when it is renewed. */
  readonly graceRatio: number;
  /** That share moves by at most so much, both ways, so that a fleet does not renew at once. */
  readonly graceJitter: number;
}

export interface Life {
  readonly createdMs: number;
  readonly expiresMs: number;
}

/** A CA whose certificates are already worn is not asked in a loop. */
const leastLifeMs = 1000;

/** When to ask for the next one, counted from the arrival of this one. */
export function renewAtMs({ graceRatio, graceJitter }: Rotation, life: Life, random: Prng): number {
  const { createdMs, expiresMs } = life;
  const ratio = clamp(graceRatio + (2 * random.next() - 1) * graceJitter, 0, 1);
  const at = Math.floor(expiresMs - ratio * (expiresMs - createdMs));
  return Math.max(at, createdMs + leastLifeMs);
}

/** Whether the same request may succeed in a moment (the CA is busy or away), or somebody must mend something first. */
export type Failure = 'transient' | 'lasting';

const quickRetries = 4;
const quickMs = 100;
const firstMs = 500;
const factor = 1.5;
const longestMs = 60_000;

/** How long to wait after so many failures in a row (from 1 on). While a certificate lives, never longer than a quarter of what is left. */
export function retryDelayMs(failures: number, kind: Failure, leftMs: number | undefined, random: Prng): number {
  const draw = 2 * random.next() - 1;
  const quick = kind === 'transient' && failures <= quickRetries;
  const slow = kind === 'transient' ? failures - quickRetries : failures;
  const wait = quick
    ? quickMs * 2 ** (failures - 1) * (1 + 0.1 * draw)
    : Math.min(longestMs, firstMs * factor ** Math.max(0, slow - 1)) * (1 + 0.5 * draw);
  const most = leftMs === undefined || leftMs <= 0 ? longestMs : Math.max(leastLifeMs, leftMs / 4);
  return Math.floor(Math.min(wait, most, longestMs));
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
