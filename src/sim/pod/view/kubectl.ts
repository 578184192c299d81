// The columns READY, STATUS and RESTARTS of `kubectl get pods`, as the API server's printer makes them.
import type { Container, ContainerStatus, Pod } from '../../../core/pod/index.ts';
import { narrowing } from '../../../core/std/narrow.ts';

export interface Columns {
  /** `2/3`: mains and sidecars. */
  readonly ready: string;
  /** `Running`, `Init:0/2`, `CrashLoopBackOff`, `Terminating`, … */
  readonly status: string;
  readonly restarts: number;
}

/** What a row of `kubectl get pods` shows. */
export function columnsOf(pod: Pod): Columns {
  const { containers, initContainers = [] } = pod.spec;
  const inits = statusesOf(initContainers, pod.status.initContainerStatuses);
  const mains = statusesOf(containers, pod.status.containerStatuses);
  const sidecars = inits.filter(({ container }) => container.restartPolicy === 'Always');
  const counted = [...sidecars, ...mains];
  const initializing = initStatus(inits);
  return {
    ready: `${counted.filter(({ status }) => status?.ready === true).length}/${counted.length}`,
    status: deletionStatus(pod) ?? (isInitialized(pod) ? undefined : initializing) ?? mainStatus(pod, mains),
    restarts: [...inits, ...mains].reduce((sum, { status }) => sum + (status?.restartCount ?? 0), 0),
  };
}

interface Shown {
  readonly container: Container;
  readonly status: ContainerStatus | undefined;
}

const ofName = narrowing(({ name }: ContainerStatus) => name);

function statusesOf(containers: readonly Container[], statuses: readonly ContainerStatus[] = []): readonly Shown[] {
  return containers.map((container) => {
    const status = ofName(statuses, container.name).find(({ name }) => name === container.name);
    return { container, status };
  });
}

function deletionStatus(pod: Pod): string | undefined {
  const { phase, reason } = pod.status;
  if (pod.metadata.deletionTimestamp === undefined) return undefined;
  if (reason === 'NodeLost') return 'Unknown';
  return phase === 'Succeeded' || phase === 'Failed' ? undefined : 'Terminating';
}

function isInitialized(pod: Pod): boolean {
  return pod.status.conditions.some(({ type, status }) => type === 'Initialized' && status === 'True');
}

/** The first init container that is not done decides; a sidecar is done when it has started. */
function initStatus(inits: readonly Shown[]): string | undefined {
  const index = inits.findIndex(({ container, status }) => !isDone(container, status));
  const status = inits[index]?.status;
  if (index === -1) return undefined;
  const { terminated, waiting } = status?.state ?? {};
  if (terminated !== undefined)
    return terminated.reason === undefined ? `Init:ExitCode:${terminated.exitCode}` : `Init:${terminated.reason}`;
  if (waiting?.reason !== undefined && waiting.reason !== 'PodInitializing') return `Init:${waiting.reason}`;
  return `Init:${index}/${inits.length}`;
}

function isDone(container: Container, status: ContainerStatus | undefined): boolean {
  return container.restartPolicy === 'Always' ? status?.started === true : status?.state.terminated?.exitCode === 0;
}

function mainStatus(pod: Pod, mains: readonly Shown[]): string {
  const { phase, reason, conditions } = pod.status;
  const gated = conditions.some(
    (condition) => condition.type === 'PodScheduled' && condition.reason === 'SchedulingGated',
  );
  const told = mains.map(({ status }) => ownStatus(status)).find((text) => text !== undefined);
  const running = mains.some(({ status }) => status?.ready === true && status.state.running !== undefined);
  if (told === 'Completed' && running) return isReady(pod) ? 'Running' : 'NotReady';
  return told ?? (gated ? 'SchedulingGated' : (reason ?? phase));
}

function ownStatus(status: ContainerStatus | undefined): string | undefined {
  const { waiting, terminated } = status?.state ?? {};
  if (waiting?.reason !== undefined) return waiting.reason;
  if (terminated === undefined) return undefined;
  if (terminated.reason !== undefined) return terminated.reason;
  return terminated.signal === undefined ? `ExitCode:${terminated.exitCode}` : `Signal:${terminated.signal}`;
}

function isReady(pod: Pod): boolean {
  return pod.status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}
