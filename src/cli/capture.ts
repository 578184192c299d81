// Runs a command line in memory, for tests of commands: text in, text and exit code out.
import { PassThrough, Readable, Writable } from 'node:stream';
import type { Io } from './io.ts';
import { runCommandLine } from './run.ts';

interface Captured {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Surroundings {
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly nowMs?: number;
}

/** Runs `fairway ARGS…` and gives its exit code and both outputs. */
export async function capture(args: readonly string[], surroundings: Surroundings = {}): Promise<Captured> {
  const out = collector();
  const err = collector();
  const io: Io = {
    stdin:
      surroundings.stdin === undefined ? new PassThrough().end() : Readable.from([Buffer.from(surroundings.stdin)]),
    stdout: out.stream,
    stderr: err.stream,
    env: surroundings.env ?? {},
    cwd: surroundings.cwd ?? process.cwd(),
    nowMs: () => surroundings.nowMs ?? 0,
    exitCode: 0,
  };
  const code = await runCommandLine(args, io);
  return { code, stdout: out.text(), stderr: err.text() };
}

function collector(): { readonly stream: Writable; readonly text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer | string, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}
