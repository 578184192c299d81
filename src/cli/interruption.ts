// What Ctrl-C and its like mean for work that must not stop halfway: it is asked between two steps, and may clean up before the process
// ends by that signal.
import { setImmediate } from 'node:timers/promises';

/** Asks whether the work shall stop. @throws Interrupted */
export type Look = () => Promise<void>;

/** The caller ended the run; nobody is told, because the process ends by the signal. */
export class Interrupted extends Error {}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Does the work; where a signal came meanwhile, the process ends by it when the work has come to its own end. */
export async function interruptible(work: (look: Look) => Promise<void>): Promise<void> {
  let caught: NodeJS.Signals | undefined;
  const note = (signal: NodeJS.Signals): void => {
    caught = signal;
  };
  for (const signal of signals) process.on(signal, note);
  try {
    await work(async () => {
      // Node tells of signals between two turns of its loop only.
      await setImmediate();
      if (caught !== undefined) throw new Interrupted(caught);
    });
  } finally {
    for (const signal of signals) process.off(signal, note);
    if (caught !== undefined) process.kill(process.pid, caught);
  }
}
