// What the agent asks of the machine's processes: its own, and those that it starts. Refuses to know what they are.

export interface HostProcesses {
  readonly isRoot: boolean;
  /** Of this process. */
  readonly pid: number;
  readonly spawn: (program: Program) => Child;
  /** Runs a program to its end, with a text on its stdin; after `timeoutMs` it is killed, and all that it started. */
  readonly run: (program: string, args: readonly string[], stdin?: string, timeoutMs?: number) => Promise<Ran>;
  /** Calls for each SIGTERM, SIGINT and SIGHUP; from then on SIGUSR1 and SIGUSR2, which others send to programs they take for something else, do nothing. */
  readonly onTerminate: (run: () => void) => void;
  /** Calls for each error that nobody caught; the process lives on. */
  readonly onUnexpected: (run: (error: unknown) => void) => void;
  /** When a process began, in ticks since the machine's start; undefined: there is none. Tells a reused pid from the old one. */
  readonly startTicks: (pid: number) => number | undefined;
  readonly kill: (pid: number, signal: 'SIGTERM' | 'SIGKILL') => void;
  /** Of this process. */
  readonly usage: () => ProcessUsage;
}

export interface ProcessUsage {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly virtualBytes: number;
  readonly virtualBytesAtMost: number;
  readonly openFiles: number;
  readonly openFilesAtMost: number;
  /** Since 1970. */
  readonly startedAtSeconds: number;
  /** By everything in its network namespace. */
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

export interface Ran {
  /** 127 where there is no such program. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Program {
  readonly path: string;
  readonly args: readonly string[];
  /** On top of the agent's own environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Both or neither; only root can. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

export interface Child {
  /** Undefined: it could not be started, and `ended` tells why. */
  readonly pid: number | undefined;
  readonly kill: (signal: 'SIGTERM' | 'SIGKILL') => void;
  readonly ended: Promise<ChildEnd>;
}

export type ChildEnd =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly name: string; readonly number: number }
  | { readonly kind: 'not-started'; readonly problem: string };
