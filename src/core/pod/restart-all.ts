// RestartAllContainers: in which order a pod's runs are ended and removed so that all begin anew in the same sandbox (kubelet: kuberuntime_manager.go).
import type { Reset } from './plan.ts';
import { newestRun } from './records.ts';
import { isRestartAllSource, type RestartGates } from './restart.ts';
import type { PodShape, Slot } from './shape.ts';
import type { Instance, RuntimeView } from './state.ts';

/**
 * Mains that are not the source, then inits that are not, then source mains, source inits; spec order within each. The source's
 * newest record goes last: until then a kubelet that crashes would see the trigger again.
 */
export function resetList(shape: PodShape, view: RuntimeView, gates: RestartGates): readonly Reset[] {
  const exitCodeOf = (container: string) => exitCodeOfNewest(view, container);
  const isSource = ({ container }: Slot) => isRestartAllSource(container, exitCodeOf, gates);
  const others = [...shape.mains, ...shape.inits].filter((slot) => !isSource(slot));
  const sources = [...shape.mains, ...shape.inits].filter(isSource);
  return [
    ...others.flatMap(({ container }) => runsOf(view, container.name)),
    ...sources.flatMap(({ container }) => runsOf(view, container.name).toReversed()),
  ].map((instance) => ({ instance, kill: instance.state !== 'exited' }));
}

export function exitCodeOfNewest(view: RuntimeView, container: string): number | undefined {
  const newest = newestRun(view, container);
  return newest?.state === 'exited' ? newest.exitCode : undefined;
}

function runsOf(view: RuntimeView, container: string): readonly Instance[] {
  return view.instances.filter((instance) => instance.container === container);
}
