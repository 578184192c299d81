// `fairway pod simulate`: a pod's life in virtual time.
import { Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../../../core/std/errors.ts';
import type { Simulation } from '../../../sim/pod/index.ts';
import type { Io } from '../../io.ts';
import { type KubeletFlags, parseDuration, policyOptions, withKubeletFlags } from '../../pod-flags.ts';
import { printData, table } from '../../print.ts';
import { loadScenario } from '../../scenario-file.ts';

interface Flags extends KubeletFlags {
  readonly scenario?: string;
  readonly until: number;
  readonly seed: number;
  readonly timing: 'ideal' | 'kubelet';
  readonly output: 'timeline' | 'json' | 'yaml' | 'svg';
  readonly at?: number;
  readonly name?: string;
}

export function build(io: Io): Command {
  return withKubeletFlags(new Command('simulate'))
    .description(
      'Lives a pod (or the pod of a workload’s template) in virtual time, as a kubelet would, and prints what happened. A scenario says how its containers behave and what happens to it; without one their commands do, where those are simple.',
    )
    .argument('<file>', 'the manifest; - reads standard input')
    .option('--scenario <file>', 'how containers behave and what happens to the pod (docs/reference/scenario.md)')
    .addOption(
      new Option('--until <duration>', 'stop after this much virtual time')
        .argParser(parseDuration)
        .default(600_000, '10m'),
    )
    .option('--seed <n>', 'of everything drawn by chance', parseSeed, 1)
    .addOption(
      new Option('--timing <kind>', 'ideal: nothing costs time; kubelet: ticks, jitter and measured costs')
        .choices(['ideal', 'kubelet'])
        .default('ideal'),
    )
    .addOption(
      new Option('-o, --output <format>', 'how to print')
        .choices(['timeline', 'json', 'yaml', 'svg'])
        .default('timeline'),
    )
    .option('--at <duration>', 'with -o yaml: the pod as it was then (default: at the end)', parseDuration)
    .option('--name <pod>', 'the pod, where the file holds several')
    .action((file: string, flags: Flags) => run(file, flags, io));
}

async function run(file: string, flags: Flags, io: Io): Promise<void> {
  if (flags.at !== undefined && flags.output !== 'yaml') throw new UsageError('--at is only for -o yaml');
  const { loadPods, onePod } = await import('../../pod-files.ts');
  const { assumptionsOf, policyFor, simulate } = await import('../../../sim/pod/index.ts');
  const scenario = await loadScenario(flags.scenario, io);
  const policy = policyFor(scenario, { ...policyOptions(flags), timing: flags.timing, seed: flags.seed });
  const { manifest } = onePod(await loadPods([file], io, policy.gates), flags.name);
  for (const note of assumptionsOf(manifest, scenario)) io.stderr.write(`note: ${note}\n`);
  const untilMs = Math.max(flags.until, flags.at ?? 0);
  await print(simulate({ manifest, scenario, policy, untilMs }), flags, io);
}

async function print(life: Simulation, flags: Flags, io: Io): Promise<void> {
  const { chartOf, lifeData, podAt, svgOf, timelineHead, timelineOf } = await import('../../../sim/pod/index.ts');
  switch (flags.output) {
    case 'timeline':
      io.stdout.write(table([timelineHead, ...timelineOf(life.happenings)]));
      return;
    case 'json':
      return printData(io, 'json', lifeData(life));
    case 'svg':
      io.stdout.write(svgOf(chartOf(life)));
      return;
    default: {
      const found = podAt(life, flags.at);
      if (found === undefined)
        throw new UsageError('the pod is gone by then', { hint: 'ask for an earlier time with --at' });
      return printData(io, 'yaml', found);
    }
  }
}

function parseSeed(text: string): number {
  const seed = Number(text);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new InvalidArgumentError('Give a whole number.');
  return seed;
}
