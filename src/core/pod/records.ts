// Reading the runtime's records: newest run of a container, sandboxes, what is still alive. No decisions.
import { narrowing } from '../std/narrow.ts';
import type { Slot } from './shape.ts';
import type { Instance, RuntimeView, Sandbox } from './state.ts';

export const noRecords: RuntimeView = { sandboxes: [], instances: [] };

const ofContainer = narrowing(({ container }: Instance) => container);

export function newestRun(view: RuntimeView, container: string): Instance | undefined {
  for (const instance of ofContainer(view.instances, container)) if (instance.container === container) return instance;
  return undefined;
}

/** The newest run that has ended: what back-off counts from. */
export function newestEnded(view: RuntimeView, container: string): Instance | undefined {
  for (const instance of ofContainer(view.instances, container)) {
    if (instance.container === container && instance.state === 'exited') return instance;
  }
  return undefined;
}

export function runOf(view: RuntimeView, id: string | undefined): Instance | undefined {
  for (const instance of view.instances) if (instance.id === id) return instance;
  return undefined;
}

export function isAlive(instance: Instance): boolean {
  return instance.state === 'running' || instance.state === 'created' || instance.state === 'unknown';
}

export function readySandbox(view: RuntimeView): Sandbox | undefined {
  const [newest] = view.sandboxes;
  return newest?.ready ? newest : undefined;
}

/** Whether a main container has a record in the sandbox that is ready now; one of an older sandbox does not count. */
export function hasActiveMain(view: RuntimeView, mains: readonly Slot[]): boolean {
  const sandbox = readySandbox(view);
  if (sandbox === undefined) return false;
  return view.instances.some(
    (instance) =>
      instance.sandbox === sandbox.id && mains.some(({ container }) => container.name === instance.container),
  );
}
