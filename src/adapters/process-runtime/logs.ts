// Keeps what a run prints: in CRI's log format (time, stream, F for a full line, text) in a file a run, and line by line to whoever
// listens. A last line without its end is kept too.
import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

interface LogOptions {
  readonly file: string;
  readonly onLine: (stream: 'stdout' | 'stderr', text: string) => void;
}

/** Settles when both streams have ended and all is on disk. */
export async function keepLogs(
  streams: Readonly<Record<'stdout' | 'stderr', Readable>>,
  options: LogOptions,
): Promise<void> {
  mkdirSync(dirname(options.file), { recursive: true });
  const log = createWriteStream(options.file, { flags: 'a' });
  const follow = async (name: 'stdout' | 'stderr') => {
    const lines = createInterface({ input: streams[name] });
    streams[name].once('close', () => lines.close());
    for await (const text of lines) {
      log.write(`${new Date().toISOString()} ${name} F ${text}\n`);
      options.onLine(name, text);
    }
  };
  await Promise.all([follow('stdout'), follow('stderr')]);
  const { promise, resolve } = Promise.withResolvers<void>();
  log.end(() => resolve());
  await promise;
}
