// `fairway validate`: is rollouts.yml right, with its fleet file and lock? Every problem at once; ties are looked for before
// they happen, among the namespaces given or among all legal names.
import { Command } from 'commander';
import { counted } from '../../core/std/counted.ts';
import { SpecError } from '../../core/std/errors.ts';
import type { Io } from '../io.ts';
import { loadNamespaces, loadRolloutFiles, shownPath, warn } from '../rollout-files.ts';
import { type RolloutFlags, withRolloutFlags } from '../rollout-flags.ts';

interface Flags extends RolloutFlags {
  readonly namespaces?: string;
  readonly strict?: boolean;
}

export function build(io: Io): Command {
  return withRolloutFlags(new Command('validate'))
    .description(
      'Checks rollouts.yml, fairway.yml and rollouts.lock, and prints every problem with its place and a way out.',
    )
    .argument('[file]', 'the roll-out specification; the same as --rollouts')
    .option('--cluster <name>', 'check the files of this cluster')
    .option('--namespaces <file>', 'look for ties among these names (- is stdin) instead of among all names')
    .option('--strict', 'a warning is a failure too (exit 1)')
    .action((file: string | undefined, flags: Flags) =>
      validate({ ...(file === undefined ? {} : { rollouts: file }), ...flags }, io),
    );
}

async function validate(flags: Flags, io: Io): Promise<void> {
  const { rollouts, warnings, paths } = await loadRolloutFiles(flags, io);
  const names = flags.namespaces === undefined ? undefined : await loadNamespaces(flags.namespaces, io);
  const { findConflicts } = await import('../../core/rollout/index.ts');
  const problems = [
    ...warnings,
    ...findConflicts(
      rollouts,
      names?.map(({ name }) => name),
    ),
  ];
  if (problems.some(({ severity }) => severity === 'error')) throw new SpecError(problems);
  warn(problems, io);
  const buckets = rollouts.buckets.length + 1;
  const verdict = problems.length === 0 ? 'no problems' : counted(problems.length, 'warning');
  io.stderr.write(`${shownPath(paths.rollouts)}: ${counted(buckets, 'bucket')}, ${verdict}\n`);
  if (flags.strict === true && problems.length > 0) io.exitCode = 1;
}
