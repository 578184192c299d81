#!/usr/bin/env node
// The agent as a program of its own, built into one file: nothing of the rest of the command line is in it. No top-level
// await, which Bun cannot compile to bytecode.
import { nodeHost } from '../adapters/node/host.ts';
import { runAgent } from '../apps/agent/agent.ts';
import { version } from './version.ts';

const ourBug = 70;

void runAgent({ args: process.argv.slice(2), env: process.env, host: nodeHost(), version }).then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(ourBug);
  },
);
