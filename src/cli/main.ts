#!/usr/bin/env node
// The process's entry: gives the command line its real streams and leaves with its exit code.
import { processOutputs } from './output.ts';
import { runCommandLine } from './run.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), {
  // Opened when it is asked for: most commands never do.
  get stdin() {
    return process.stdin;
  },
  ...processOutputs(),
  env: process.env,
  cwd: process.cwd(),
  nowMs: Date.now,
  exitCode: 0,
});
