// Every question of the lifecycle engine gets exactly one answer, whatever happens while it is worked on. A hook under way can be cancelled.
import type { CancelHook, RuntimeEffect, RuntimeInput } from '../../core/pod/index.ts';

export type Effect<Kind extends RuntimeEffect['kind']> = Extract<RuntimeEffect, { kind: Kind }>;
export type Deliver = (input: RuntimeInput) => void;
/** Undefined: the answer comes by itself (the exit of a stopped run). */
type Act = (effect: RuntimeEffect) => Promise<RuntimeInput | undefined>;

export class Answers {
  readonly #hooks = new Map<number, AbortController>();

  /** What `act` throws is a failure, or for a probe an `unknown`. */
  perform(effect: RuntimeEffect | CancelHook, deliver: Deliver, act: Act): void {
    if (effect.kind === 'cancelHook') {
      this.#hooks.get(effect.call)?.abort();
      return;
    }
    void answer(effect, act).then((input) => {
      if (input !== undefined) deliver(input);
    });
  }

  async hook(call: number, run: (signal: AbortSignal) => Promise<unknown>): Promise<RuntimeInput> {
    const abort = new AbortController();
    this.#hooks.set(call, abort);
    try {
      await run(abort.signal);
      return { kind: 'done', call };
    } finally {
      this.#hooks.delete(call);
    }
  }

  cancelHooks(): void {
    for (const abort of this.#hooks.values()) abort.abort();
  }
}

async function answer(effect: RuntimeEffect, act: Act): Promise<RuntimeInput | undefined> {
  try {
    return await act(effect);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (effect.kind === 'probe') return { kind: 'probed', call: effect.call, result: 'unknown', message };
    return { kind: 'failed', call: effect.call, message };
  }
}
