// How the processes of pods are kept apart from the machine and from each other: the two ways, `namespaces.ts` and `groups.ts`, have
// this one face. A sandbox holds a pod's containers; whatever ends it ends all of them.
import type { Readable, Writable } from 'node:stream';
import type { User } from '../../core/container/index.ts';
import type { BindMount } from '../pod-parts/volumes.ts';

export interface Isolation {
  readonly kind: 'namespaces' | 'groups';
  createSandbox(request: SandboxRequest): Promise<SandboxHandle>;
  close(): Promise<void>;
}

export interface SandboxRequest {
  readonly hostname: string;
  /** Whether the pod shares the machine's network. */
  readonly hostNetwork: boolean;
}

export interface SandboxHandle {
  readonly ip: string;
  /** Settles when the sandbox has ended, whoever ended it. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
  launch(plan: LaunchPlan): Promise<Launched>;
}

export interface LaunchPlan {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir: string | undefined;
  readonly user: User;
  /** The root file system; undefined: this machine's. It is never written to. */
  readonly root: string | undefined;
  readonly mounts: readonly BindMount[];
  /** An empty directory of the run's own, for what the isolation needs. */
  readonly folder: string;
}

export type Launched =
  | { readonly kind: 'running'; readonly process: RunningProcess }
  /** It could not be set up: nothing ran. */
  | { readonly kind: 'refused'; readonly message: string }
  /** It was set up, but its command could not be started. */
  | { readonly kind: 'failed'; readonly message: string };

export interface RunningProcess {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The exit code, 128 + n for signal n; all that it had started has ended too, and its output was read. */
  readonly exited: Promise<number>;
  /** To the main process where it is one of its own namespace, else to the whole group. */
  signal(number: number): void;
  exec(request: ProcessExec): StartedExec;
}

export interface ProcessExec {
  readonly argv: readonly string[];
  readonly stdin: Readable | undefined;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

export interface StartedExec {
  readonly pid: number | undefined;
  readonly exited: Promise<number>;
  kill(): void;
}
