#!/usr/bin/env node
// The process's entry: gives the command line its real streams and leaves with its exit code.
import { runCommandLine } from './run.ts';
import { describeSystemError } from './system-error.ts';

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
    const refused = describeSystemError(error);
    if (refused === undefined) throw error;
    if (stream !== process.stderr) process.stderr.write(`error: ${refused.message}\n`);
    process.exit(69);
  });
}

process.exitCode = await runCommandLine(process.argv.slice(2), {
  // Opened when it is asked for: most commands never do.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  nowMs: Date.now,
  exitCode: 0,
});
