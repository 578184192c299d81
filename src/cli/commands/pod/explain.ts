// `fairway pod explain`: a pod in words, before and without a cluster: start, ends, termination, and what will go wrong in it.
import { Command, Option } from 'commander';
import { formatProblem, type Problem } from '../../../core/std/errors.ts';
import type { Io } from '../../io.ts';
import { type KubeletFlags, policyOptions, withKubeletFlags } from '../../pod-flags.ts';
import { printData } from '../../print.ts';
import { loadScenario } from '../../scenario-file.ts';

interface Flags extends KubeletFlags {
  readonly scenario?: string;
  readonly output: 'text' | 'json' | 'yaml';
  readonly name?: string;
}

export function build(io: Io): Command {
  return withKubeletFlags(new Command('explain'))
    .description(
      'Says in words what starts in which order, what the end of each container means, and what happens when the pod is deleted: worst-case times, a drill, and which container will be killed in its drain and why. Exit status 1 when one will.',
    )
    .argument('<file>', 'the manifest; - reads standard input')
    .option('--scenario <file>', 'how containers behave, for the drill (docs/reference/scenario.md)')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['text', 'json', 'yaml']).default('text'))
    .option('--name <pod>', 'the pod, where the file holds several')
    .action((file: string, flags: Flags) => run(file, flags, io));
}

interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

async function run(file: string, flags: Flags, io: Io): Promise<void> {
  const { loadPods, onePod } = await import('../../pod-files.ts');
  const { budgetFindings, budgetOf, endWords, startSteps, startWords, stopWords } = await import(
    '../../../core/forecast/index.ts'
  );
  const { assumptionsOf, drill, drillFindings, drillWords, hookTimeOf, policyFor } = await import(
    '../../../sim/pod/index.ts'
  );
  const scenario = await loadScenario(flags.scenario, io);
  const policy = policyFor(scenario, policyOptions(flags));
  const { manifest } = onePod(await loadPods([file], io, policy.gates), flags.name);
  const hookTime = hookTimeOf(scenario);
  const steps = startSteps(manifest.spec, hookTime);
  const budget = budgetOf(manifest.spec, hookTime);
  const drilled = drill({ manifest, scenario, policy });
  const findings = [...budgetFindings(manifest.spec, budget), ...drillFindings(drilled, budget)];
  const assumptions = assumptionsOf(manifest, scenario);
  if (findings.some(({ severity }) => severity === 'error')) io.exitCode = 1;
  if (flags.output !== 'text')
    return printData(io, flags.output, { start: steps, termination: budget, drill: drilled, findings, assumptions });
  const { namespace = 'default', name } = manifest.metadata;
  io.stdout.write(`Pod ${namespace}/${name}\n`);
  write(io, { title: 'Start', lines: startWords(steps) });
  write(io, { title: 'Ends', lines: endWords(manifest.spec) });
  write(io, { title: 'Termination, at worst', lines: stopWords(budget) });
  write(io, { title: 'Termination, as far as its behaviour is known', lines: drillWords(drilled) });
  write(io, { title: 'Assumed', lines: assumptions });
  write(io, { title: 'Findings', lines: findings.length === 0 ? ['none'] : findings.flatMap(findingLines) });
}

function write(io: Io, { title, lines }: Section): void {
  if (lines.length > 0) io.stdout.write(`\n${title}\n${lines.map((line) => `  ${line}\n`).join('')}`);
}

function findingLines(problem: Problem): readonly string[] {
  return formatProblem(problem).split('\n');
}
