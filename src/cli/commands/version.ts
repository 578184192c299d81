// `fairway version`: what runs here, for people and for programs.
import { Command, Option } from 'commander';
import type { Io } from '../io.ts';
import { type DataFormat, printData } from '../print.ts';
import { version } from '../version.ts';

interface Flags {
  readonly output: 'text' | DataFormat;
}

export function build(io: Io): Command {
  return new Command('version')
    .description('Prints the version of fairway and of the Node that runs it.')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['text', 'json', 'yaml']).default('text'))
    .action(async ({ output }: Flags) => {
      if (output === 'text') io.stdout.write(`fairway ${version} (Node ${process.versions.node})\n`);
      else await printData(io, output, { version, node: process.versions.node });
    });
}
