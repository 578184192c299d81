// The port behind which pods run for real: processes of this machine, or containerd. One node, one runtime a pod. Pure types.
import type { Readable, Writable } from 'node:stream';
import type { ContainerConfig, Lookup, VolumePlan } from '../core/container/index.ts';
import type { Container, ContainerRuntime } from '../core/pod/index.ts';

export interface PodNode {
  /** The address at which pods reach this machine, and which pods in its network share. */
  readonly hostIP: string;
  /** What this node cannot do for its pods, in sentences for its user; empty: everything. */
  readonly notes: readonly string[];
  /** The runtime of one pod; nothing is started by it. */
  open(pod: PodOnNode): PodRuntime;
  /** Ends everything at once that is still there. */
  close(): Promise<void>;
}

/** One pod as its runtime sees it. References are resolved when asked for, since some are known only then. */
export interface PodOnNode {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly hostname: string;
  readonly hostNetwork: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** The names of its regular containers. */
  readonly mains: readonly string[];
  /** Files of volumes belong to this group. */
  readonly fsGroup: number | undefined;
  volumes(): Lookup<readonly VolumePlan[]>;
  configure(container: Container, podIP: string): Lookup<ContainerConfig>;
  onLine(line: LogLine): void;
}

export interface LogLine {
  readonly container: string;
  readonly restartCount: number;
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

export interface PodRuntime extends ContainerRuntime {
  /** Runs a command in the newest running run of a container; rejects with an Error where there is none. */
  exec(container: string, request: ExecRequest): Promise<number>;
  /** Where the output of a run is kept; the file has CRI's log format and may not exist yet. */
  logFile(container: string, restartCount: number): string;
  /** Ends what still runs and removes what belongs to the pod, but not its logs. */
  close(): Promise<void>;
}

export interface ExecRequest {
  readonly command: readonly string[];
  readonly stdin?: Readable | undefined;
  readonly stdout: Writable;
  readonly stderr: Writable;
}
