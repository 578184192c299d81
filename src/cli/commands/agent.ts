// `fairway agent …`: hands the rest of the line to the agent, whose flags are Istio's and not commander's.
import { Command } from 'commander';
import { nodeHost } from '../../adapters/node/host.ts';
import { runAgent } from '../../apps/agent/agent.ts';
import type { Io } from '../io.ts';
import { version } from '../version.ts';

export function build(io: Io): Command {
  return new Command('agent')
    .argument('[args...]')
    .allowUnknownOption()
    .helpOption(false)
    .passThroughOptions()
    .action(async (args: readonly string[]) => {
      const host = { ...nodeHost(), print: (line: string) => void io.stdout.write(`${line}\n`) };
      io.exitCode = await runAgent({ args, env: io.env, host, version });
    });
}
