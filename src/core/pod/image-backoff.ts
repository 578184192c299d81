// Pulls: whether one is needed, what a failed one is called, and how long the next waits (kubelet: images/image_manager.go).
import type { Container } from './spec.ts';
import type { ImageBackoffEntry, StartError } from './state.ts';

export const imageBackoffInitialMs = 10_000;
export const imageBackoffMaxMs = 300_000;
const forgetMs = 2 * imageBackoffMaxMs;

export type PullPolicy = 'Always' | 'IfNotPresent' | 'Never';

/** The container's own policy; else Always for `:latest` or no tag, IfNotPresent for another tag or a digest. */
export function pullPolicyOf(container: Container): PullPolicy {
  if (container.imagePullPolicy !== undefined) return container.imagePullPolicy;
  const image = container.image ?? '';
  if (image.includes('@')) return 'IfNotPresent';
  const name = image.slice(image.lastIndexOf('/') + 1);
  return !name.includes(':') || name.endsWith(':latest') ? 'Always' : 'IfNotPresent';
}

/** How long pulls of the image are held back; undefined: not at all. */
export function pullHeldUntilMs(entry: ImageBackoffEntry | undefined, nowMs: number): number | undefined {
  if (entry === undefined || nowMs - entry.lastUpdateMs > forgetMs) return undefined;
  const untilMs = entry.lastUpdateMs + entry.delayMs;
  return nowMs < untilMs ? untilMs : undefined;
}

/** The entry after a pull that failed at `nowMs`. */
export function afterFailedPull(
  entry: ImageBackoffEntry | undefined,
  failure: { readonly image: string; readonly error: string; readonly nowMs: number },
): ImageBackoffEntry {
  const { image, error, nowMs } = failure;
  const fresh = entry === undefined || nowMs - entry.lastUpdateMs > forgetMs;
  const delayMs = fresh ? imageBackoffInitialMs : Math.min(2 * entry.delayMs, imageBackoffMaxMs);
  return { image, error, delayMs, lastUpdateMs: nowMs };
}

/** What a container shows while its pull is held back. */
export function imagePullBackOff(entry: ImageBackoffEntry): StartError {
  return { reason: 'ImagePullBackOff', message: `Back-off pulling image "${entry.image}": ${entry.error}` };
}

/** Failures that ask the registry and so are held back; the others are tried again with the next pass. */
export function countsForBackoff(reason: string): boolean {
  return reason === 'ErrImagePull' || reason === 'RegistryUnavailable' || reason === 'SignatureValidationFailed';
}
