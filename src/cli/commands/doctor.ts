// `fairway doctor`: what is wrong with injection in a cluster, found by reading it and by dry runs; changes nothing.
import { Command, Option } from 'commander';
import type { Io } from '../io.ts';
import { namespaceOption } from '../namespace-flag.ts';

interface Flags {
  readonly config: string;
  readonly cluster?: string;
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly output: 'text' | 'json';
}

export function build(io: Io): Command {
  return new Command('doctor')
    .description(
      'Reads a cluster and says what is wrong with injection there; tries pods by server-side dry run; changes nothing.',
    )
    .option('--config <folder>', 'folder with rollouts.yml and fairway.yml, for retired revisions and kinds', '.')
    .option(
      '--cluster <name>',
      'which cluster of fairway.yml it is; the same everywhere unless fairway.yml says otherwise',
    )
    .addOption(namespaceOption('where to try pods (default: the first ordinary namespace)'))
    .option('--kubeconfig <file>', 'how to reach the cluster')
    .option('--context <name>', 'context of the kubeconfig')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['text', 'json']).default('text'))
    .action((flags: Flags) => run(flags, io));
}

async function run(flags: Flags, io: Io): Promise<void> {
  const { examine } = await import('../doctor/examine.ts');
  const problems = await examine(flags, io);
  const { formatProblem } = await import('../../core/std/errors.ts');
  const lines = problems.length === 0 ? ['nothing found'] : problems.map(formatProblem);
  if (flags.output === 'json') io.stdout.write(`${JSON.stringify(problems, undefined, 2)}\n`);
  else io.stdout.write(lines.map((line) => `${line}\n`).join(''));
  if (problems.some(({ severity }) => severity === 'error')) io.exitCode = 1;
}
