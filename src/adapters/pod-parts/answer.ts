// Every question of the lifecycle engine gets exactly one answer, whatever happens while it is worked on.
import type { RuntimeEffect, RuntimeInput } from '../../core/pod/index.ts';

/** What `act` throws is a failure, or for a probe an `unknown`; undefined stays: the answer comes by itself. */
export async function answer(
  effect: RuntimeEffect,
  act: () => Promise<RuntimeInput | undefined>,
): Promise<RuntimeInput | undefined> {
  try {
    return await act();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (effect.kind === 'probe') return { kind: 'probed', call: effect.call, result: 'unknown', message };
    return { kind: 'failed', call: effect.call, message };
  }
}
