// `fairway explain`: why a namespace is on its revision, and what would move it.
import { Command, Option } from 'commander';
import { type Change, createResolver, type Explanation, explain, percentText } from '../../core/rollout/index.ts';
import type { Io } from '../io.ts';
import { printData, table } from '../print.ts';
import { loadRolloutFiles, warn, warnOfNames } from '../rollout-files.ts';
import { type RolloutFlags, withRolloutFlags } from '../rollout-flags.ts';

interface Flags extends RolloutFlags {
  readonly output: 'table' | 'json' | 'yaml';
}

export function build(io: Io): Command {
  return withRolloutFlags(new Command('explain'))
    .description(
      'Says which patterns match a namespace and which one wins, its slot and who owns it, and what would move it.',
    )
    .argument('<namespace>', 'the name; it need not exist')
    .option('--cluster <name>', 'as this cluster sees it; the same everywhere unless fairway.yml says otherwise')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['table', 'json', 'yaml']).default('table'))
    .action((namespace: string, flags: Flags) => printExplanation(namespace, flags, io));
}

async function printExplanation(namespace: string, flags: Flags, io: Io): Promise<void> {
  const files = await loadRolloutFiles(flags, io);
  warn(files.warnings, io);
  warnOfNames([namespace], io);
  const explanation = explain(createResolver(files), files.rollouts, namespace);
  if (explanation.assignment.kind === 'tie') io.exitCode = 2;
  if (flags.output === 'table') io.stdout.write(table(rows(explanation, files.paths)));
  else await printData(io, flags.output, explanation);
}

type Row = readonly [string, string];

function rows(explanation: Explanation, paths: { readonly rollouts: string; readonly lock: string }): Row[] {
  const { assignment, matches } = explanation;
  const matching = matches.map(({ bucket, line, length, wins }): Row => {
    const verdict = wins
      ? 'wins'
      : assignment.kind === 'tie' && assignment.buckets.includes(bucket)
        ? 'tie'
        : 'matches';
    return ['', `${verdict}: ${JSON.stringify(bucket)} (${paths.rollouts}:${line}), ${length} characters`];
  });
  const head: Row[] = [
    ['namespace', assignment.namespace],
    ['patterns', matches.length === 0 ? 'none matches' : 'the longest that matches wins'],
    ...matching,
  ];
  if (assignment.kind === 'tie')
    return [...head, ['revision', 'none: two patterns of equal length match; make one of them longer']];
  if (assignment.kind === 'outside')
    return [
      ...head,
      [
        'in the mesh',
        `no: ${assignment.reason === 'excluded' ? `excluded by ${JSON.stringify(assignment.pattern)} of fairway.yml` : 'a namespace of Kubernetes or Istio'}`,
      ],
    ];
  const { bucket, slot, revision, remembered } = assignment;
  const lock = remembered
    ? `from ${paths.lock}, handed over to the shares of ${paths.rollouts}`
    : 'without memory: the oldest revision owns the lowest slots';
  return [
    ...head,
    ['bucket', bucket],
    ['slot', `${slot} of 0–9999`],
    ['owners', lock],
    ...explanation.owners.map(
      (run): Row => [
        '',
        `${run.from}–${run.to - 1} ${run.revision}${run.from <= slot && slot < run.to ? '  ← this slot' : ''}`,
      ],
    ),
    ['revision', `${revision}: ${why(explanation)}`],
    ['in the mesh', 'yes, unless a workload or a label of the namespace says otherwise'],
    ...changes(explanation, revision),
  ];
}

function why({ assignment }: Explanation): string {
  if (assignment.kind !== 'assigned') return '';
  const reasons = {
    pinned: 'the pattern is this name',
    only: 'the only revision of its bucket',
    slot: 'it owns the slot',
    name: 'the lock keeps the name in a bucket of mode exact',
  } as const;
  return reasons[assignment.reason];
}

function changes(explanation: Explanation, revision: string): Row[] {
  if (explanation.assignment.kind === 'assigned' && explanation.assignment.reason === 'name')
    return [['changes', `moves only when ${revision} must give up names`]];
  const moves = explanation.changes.map((change): Row => ['', changeText(change, revision)]);
  return [
    [
      'changes',
      moves.length === 0
        ? 'none of this bucket’s shares can move it'
        : 'what a change of each share would do; others leave it',
    ],
    ...moves,
  ];
}

function changeText({ to, slots, shareFrom, shareTo }: Change, revision: string): string {
  return `to ${to} once ${revision} gives it ${percentText(slots)} %: ${revision} at ${percentText(shareFrom)} or less, ${to} at ${percentText(shareTo)} or more`;
}
