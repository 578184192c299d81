// Does a container that ended start again? Container policy and rules first, then the pod's policy (pkg/api/v1/pod/util.go, ContainerShouldRestart).
// Back-off (when) is not decided here, nor whether anything starts at all while the pod ends.

import type { PodShape } from './shape.ts';
import type { Container, RestartPolicy, RestartRule } from './spec.ts';
import type { Instance } from './state.ts';

export interface RestartGates {
  readonly ContainerRestartRules: boolean;
  readonly RestartAllContainersOnContainerExits: boolean;
}

/** The first rule that an exit code meets. NotIn meets every code outside its list, 0 too. */
export function matchingRule(rules: readonly RestartRule[] | undefined, exitCode: number): RestartRule | undefined {
  return rules?.find(({ exitCodes }) => {
    if (exitCodes === undefined) return false;
    return (exitCodes.values ?? []).includes(exitCode) === (exitCodes.operator === 'In');
  });
}

/** Whether an exit is followed by another run of the same container. */
export function restartsAfterExit(
  container: Container,
  podPolicy: RestartPolicy,
  exitCode: number,
  gates: RestartGates,
): boolean {
  if (container.restartPolicy !== undefined && gates.ContainerRestartRules) {
    const rule = matchingRule(container.restartPolicyRules, exitCode);
    if (rule?.action === 'Restart') return true;
    if (rule !== undefined && gates.RestartAllContainersOnContainerExits) return true;
    return byPolicy(container.restartPolicy, exitCode);
  }
  return container.restartPolicy === 'Always' || byPolicy(podPolicy, exitCode);
}

function byPolicy(policy: RestartPolicy, exitCode: number): boolean {
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

/** Container policy where it has one and the gate allows it, else the pod's. */
export function effectivePolicy(container: Container, podPolicy: RestartPolicy, gates: RestartGates): RestartPolicy {
  if (container.restartPolicy === undefined) return podPolicy;
  return gates.ContainerRestartRules || container.restartPolicy === 'Always' ? container.restartPolicy : podPolicy;
}

/** Whether any exit at all could be followed by another run (decides cgroups of run-once pods only). */
export function couldEverRestart(container: Container, podPolicy: RestartPolicy | undefined): boolean {
  if (container.restartPolicyRules?.some(({ action }) => action === 'Restart')) return true;
  return (container.restartPolicy ?? podPolicy) !== 'Never';
}

export interface StartQuestion {
  readonly container: Container;
  readonly podPolicy: RestartPolicy;
  readonly newest: Instance | undefined;
  readonly deleting: boolean;
}

/** Whether a main container should be started now as far as its history goes; a created or unknown run counts as none. */
export function shouldStart({ container, podPolicy, newest, deleting }: StartQuestion, gates: RestartGates): boolean {
  if (deleting) return false;
  if (newest === undefined || newest.state === 'created' || newest.state === 'unknown') return true;
  return newest.state === 'exited' && restartsAfterExit(container, podPolicy, newest.exitCode, gates);
}

/** The exit code of a container's newest run where that has ended. */
export type ExitCodeOf = (container: string) => number | undefined;

/** Whether a container has just ended in a way that restarts the whole pod in place. */
export function isRestartAllSource(container: Container, exitCodeOf: ExitCodeOf, gates: RestartGates): boolean {
  if (!gates.RestartAllContainersOnContainerExits || container.restartPolicyRules === undefined) return false;
  const exitCode = exitCodeOf(container.name);
  return (
    exitCode !== undefined && matchingRule(container.restartPolicyRules, exitCode)?.action === 'RestartAllContainers'
  );
}

/** Whether RestartAllContainers is under way or due: its condition is already True, or some container is a source. */
export function shouldRestartAll(
  shape: PodShape,
  conditionIsTrue: boolean,
  exitCodeOf: ExitCodeOf,
  gates: RestartGates,
): boolean {
  if (conditionIsTrue) return true;
  if (!shape.hasRestartAllRule) return false;
  const isSource = ({ container }: { readonly container: Container }) =>
    isRestartAllSource(container, exitCodeOf, gates);
  return shape.mains.some(isSource) || shape.inits.some(isSource);
}
