// What a command sees of the process: streams, environment, folder, clock. Commands touch nothing else of it, so that a
// test runs the whole command line in memory.
import type { Readable } from 'node:stream';
import type { Output } from './output.ts';

export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Data. */
  readonly stdout: Output;
  /** Talk: warnings, notes, progress. */
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly nowMs: () => number;
  /** An ExitCode; `agent` alone may leave with another, the status of its child. */
  exitCode: number;
}

/** 0 done, 1 differences or findings, 2 usage or invalid input, 69 unavailable, 70 our bug. */
export type ExitCode = 0 | 1 | 2 | 69 | 70;
