// The agent's host on Node and Bun alike: it uses only what both have, and nothing of Bun's own.
import { randomUUID } from 'node:crypto';
import { setTimeout as schedule } from 'node:timers';
import type { Host } from '../../ports/host.ts';
import { nodeFiles } from './files.ts';
import { nodeGrpc } from './grpc/index.ts';
import { nodeKeys } from './keys.ts';
import { nodeMessages } from './messages.ts';
import { nodeNet } from './net.ts';
import { nodeProcesses } from './processes.ts';

/** A longer timer would fire at once; whoever set it looks at the clock and sets it again. */
const longestMs = 2 ** 31 - 1;

/** The machine that this process runs on. Log lines go to stdout, as Istio's agent writes them. */
export function nodeHost(): Host {
  return {
    clock: {
      nowMs: () => Math.floor(performance.now()),
      wallMs: Date.now,
      after: (ms, run) => {
        const timer = schedule(run, Math.min(Math.max(0, ms), longestMs));
        return () => clearTimeout(timer);
      },
    },
    files: nodeFiles,
    processes: nodeProcesses(),
    net: nodeNet,
    grpc: nodeGrpc,
    keys: nodeKeys,
    messages: nodeMessages,
    nonce: randomUUID,
    print: printer(process.stdout),
    complain: printer(process.stderr),
  };
}

/** Whoever read the log may be gone: that must not end the proxy. Node tells of it by an event, Bun by an exception. */
function printer(stream: NodeJS.WriteStream): (line: string) => void {
  if (stream.listenerCount('error') === 0) stream.on('error', () => undefined);
  return (line) => {
    try {
      stream.write(`${line}\n`);
    } catch {
      // Nobody reads it.
    }
  };
}
