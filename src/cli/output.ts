// The process's own outputs, each written before `write` returns. Node's streams do the same for files, terminals and pipes, and take four
// milliseconds to load. Owns what an output that is closed or full means: the end of the process.
import { writeSync } from 'node:fs';
import { describeSystemError } from './system-error.ts';

/** What commands need of a stream. */
export interface Output {
  readonly write: (data: string | Uint8Array, done?: () => void) => unknown;
}

const [standardOutput, standardError] = [1, 2];
const idle = new Int32Array(new SharedArrayBuffer(4));

export function processOutputs(): { readonly stdout: Output; readonly stderr: Output } {
  return { stdout: outputTo(standardOutput), stderr: outputTo(standardError) };
}

function outputTo(file: number): Output {
  return {
    write(data, done) {
      try {
        writeFully(file, typeof data === 'string' ? Buffer.from(data) : data);
      } catch (error) {
        leave(error, file);
      }
      done?.();
    },
  };
}

function writeFully(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(file, bytes, at);
    } catch (error) {
      // A pipe that another process made non-blocking is full: its reader needs time.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(idle, 0, 0, 1);
    }
  }
}

/** Who reads no more (`| head`) has what he wanted. */
function leave(error: unknown, file: number): never {
  if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(process.exitCode ?? 0);
  const refused = describeSystemError(error);
  if (refused === undefined) throw error;
  if (file !== standardError) outputTo(standardError).write(`error: ${refused.message}\n`);
  process.exit(69);
}
