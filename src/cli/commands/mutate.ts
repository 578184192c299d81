// `fairway mutate`: puts the revision label into manifests, and touches nothing else of them.
import { Command } from 'commander';
import type { Io } from '../io.ts';
import { maxBytesOption } from '../max-bytes.ts';
import type { MutateFlags } from '../mutate/all.ts';
import { namespaceOption } from '../namespace-flag.ts';
import { withRolloutFlags } from '../rollout-flags.ts';

export function build(io: Io): Command {
  return withRolloutFlags(new Command('mutate'))
    .description(
      'Labels the pod templates of manifests with the revision of their namespace; every other byte is kept.',
    )
    .argument('[paths...]', 'files, folders (walked; .fairwayignore leaves out), or - for standard input')
    .option('--revision <name>', 'this revision for every workload, instead of rollouts.yml')
    .addOption(namespaceOption('namespace of manifests that name none'))
    .option('--namespaces <file>', 'Namespace objects, to find labels that shadow those of pods')
    .option('--cluster <name>', 'as this cluster sees it; the same everywhere unless fairway.yml says otherwise')
    .option('--write', 'write the files, all or none')
    .option('--check', 'list the files that would change; exit 1 if there are any')
    .option('--diff', 'print a unified diff')
    .option('--post-renderer', 'standard input to standard output, as Helm wants it')
    .option('--krm', 'a KRM function: ResourceList in, ResourceList with results out')
    .option('--stamp', 'also stamp the time of the deployed change into the workload’s own metadata')
    .option('--stamp-path <path>', 'take the last commit that touched this path (default: the manifest’s file)')
    .option('--stamp-time <time>', 'take this time (RFC 3339)')
    .option('--mutator <file>', 'another mutator: an ES module, or a patch declared in YAML (repeatable)', collect, [])
    .option('--overwrite-jobs', 'change the label of Jobs that have one')
    .option('--strict', 'warnings fail the run: exit 1, nothing is written')
    .addOption(maxBytesOption())
    .action(async (paths: readonly string[], flags: MutateFlags) => {
      const { run } = await import('../mutate/run.ts');
      await run(paths, flags, io);
    });
}

function collect(value: string, values: readonly string[]): readonly string[] {
  return [...values, value];
}
