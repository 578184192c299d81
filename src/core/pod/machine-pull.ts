// The image of a container that is to start: back-off, the question to the runtime, what its answer means (kubelet: images/image_manager.go).
import { formatDuration } from '../std/duration.ts';
import { type Draft, event, nextId } from './draft.ts';
import { afterFailedPull, countsForBackoff, imagePullBackOff, pullHeldUntilMs, pullPolicyOf } from './image-backoff.ts';
import type { RuntimeInput } from './input.ts';
import type { Container } from './spec.ts';
import type { StartError, StartStep } from './state.ts';

/** Why the registry is not asked yet; undefined: it may be. */
export function heldPull(draft: Draft, container: Container): StartError | undefined {
  const entry = draft.state.imageBackoff.find(({ image }) => image === imageOf(container));
  if (entry === undefined || pullPolicyOf(container) === 'Never') return undefined;
  if (pullHeldUntilMs(entry, draft.nowMs) === undefined) return undefined;
  const held = imagePullBackOff(entry);
  const message = `Back-off pulling image "${entry.image}"`;
  event(draft, { type: 'Normal', reason: 'BackOff', message, container: container.name });
  failed(draft, container, `Error: ${held.reason}`);
  return held;
}

/** Asks the runtime; answers the call. */
export function askForImage(draft: Draft, container: Container): number {
  const call = nextId(draft);
  const policy = pullPolicyOf(container);
  const pull = policy === 'Always' ? 'always' : policy === 'Never' ? 'never' : 'ifAbsent';
  if (pull === 'always') pulling(draft, container);
  draft.effects.push({ kind: 'pullImage', call, container: container.name, image: imageOf(container), pull });
  return call;
}

/** Only a pull that was not announced yet is announced now. The size of the image, with which a kubelet ends, is not known here. */
export function tellPulled(
  draft: Draft,
  { container, askedMs = draft.nowMs }: StartStep,
  { fetched, message }: Extract<RuntimeInput, { kind: 'pulled' }>,
): void {
  if (fetched && pullPolicyOf(container) !== 'Always') pulling(draft, container);
  const image = imageOf(container);
  const took = formatDuration(draft.nowMs - askedMs);
  const said = fetched
    ? `Successfully pulled image "${image}" in ${took} (${took} including waiting)`
    : `Container image "${image}" already present on machine${draft.policy.version < '1.35' ? '' : ' and can be accessed by the pod'}`;
  event(draft, { type: 'Normal', reason: 'Pulled', message: message ?? said, container: container.name });
}

/** What the container waits for after a failure; one of the registry's begins or doubles the back-off. */
export function pullFailure(
  draft: Draft,
  container: Container,
  input: Extract<RuntimeInput, { kind: 'failed' }>,
): StartError {
  const { state, nowMs } = draft;
  const image = imageOf(container);
  const reason = input.reason ?? 'ErrImagePull';
  if (countsForBackoff(reason) && pullPolicyOf(container) !== 'Always') pulling(draft, container);
  if (reason === 'ErrImageNeverPull' || reason === 'InvalidImageName') {
    event(draft, { type: 'Warning', reason, message: input.message, container: container.name });
  } else failed(draft, container, `Failed to pull image "${image}": ${input.message}`);
  failed(draft, container, `Error: ${reason}`);
  if (countsForBackoff(reason)) {
    const entry = state.imageBackoff.find((each) => each.image === image);
    const next = afterFailedPull(entry, { image, error: `${reason}: ${input.message}`, nowMs });
    state.imageBackoff = [...state.imageBackoff.filter((each) => each !== entry), next];
  }
  return { reason, message: input.message };
}

function imageOf({ image }: Container): string {
  return image ?? '';
}

function pulling(draft: Draft, container: Container): void {
  event(draft, {
    type: 'Normal',
    reason: 'Pulling',
    message: `Pulling image "${imageOf(container)}"`,
    container: container.name,
  });
}

function failed(draft: Draft, { name }: Container, message: string): void {
  event(draft, { type: 'Warning', reason: 'Failed', message, container: name });
}
