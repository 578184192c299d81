// `fairway resolve`: which revision are these namespaces on? Namespaces come as arguments, from a file or from stdin.
import { Command, Option } from 'commander';
import {
  type Assigned,
  type Assignment,
  countShares,
  createResolver,
  percentText,
  type ShareCount,
} from '../../core/rollout/index.ts';
import { UsageError } from '../../core/std/errors.ts';
import type { Io } from '../io.ts';
import { printData, table } from '../print.ts';
import { loadNamespaces, loadRolloutFiles, warn, warnOfNames } from '../rollout-files.ts';
import { type RolloutFlags, withRolloutFlags } from '../rollout-flags.ts';

interface Flags extends RolloutFlags {
  readonly namespaces?: string;
  readonly output: 'table' | 'json' | 'yaml';
}

export function build(io: Io): Command {
  return withRolloutFlags(new Command('resolve'))
    .description(
      'Prints the revision of each namespace, and why. A namespace that two patterns of equal length match fails alone (exit 2).',
    )
    .argument('[namespace...]', 'names; - reads them from stdin, one a line')
    .option('--namespaces <file>', 'names one a line, or Namespace objects; - is stdin')
    .option('--cluster <name>', 'as this cluster sees it; the same everywhere unless fairway.yml says otherwise')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['table', 'json', 'yaml']).default('table'))
    .action((names: readonly string[], flags: Flags) => resolve(names, flags, io));
}

async function resolve(names: readonly string[], flags: Flags, io: Io): Promise<void> {
  const files = await loadRolloutFiles(flags, io);
  const wanted = await namesOf(names, flags, io);
  warn(files.warnings, io);
  warnOfNames(wanted, io);
  const resolver = createResolver(files);
  const assignments = wanted.map(resolver.resolve);
  const shares = countShares(
    files.rollouts,
    assignments.filter((one): one is Assigned => one.kind === 'assigned'),
  );
  if (flags.output === 'table')
    io.stdout.write(table([['NAMESPACE', 'REVISION', 'BUCKET', 'SLOT', 'WHY'], ...assignments.map(row)]));
  else await printData(io, flags.output, { assignments, shares });
  if (wanted.length > 1) for (const share of shares) noteShare(share, io);
  for (const one of assignments) if (one.kind === 'tie') reportTie(one.namespace, one.buckets, io);
}

async function namesOf(names: readonly string[], flags: Flags, io: Io): Promise<readonly string[]> {
  const sources = [
    ...(flags.namespaces === undefined ? [] : [flags.namespaces]),
    ...(names.includes('-') ? ['-'] : []),
  ];
  const implied = sources.length === 0 && names.length === 0 && io.stdin.isTTY !== true ? ['-'] : sources;
  const lists = await Promise.all(implied.map((source) => loadNamespaces(source, io)));
  const all = [...names.filter((name) => name !== '-'), ...lists.flat().map(({ name }) => name)];
  if (all.length > 0) return all;
  throw new UsageError('no namespace given', {
    hint: 'name one, or `kubectl get namespaces -o name | fairway resolve`',
  });
}

function row(assignment: Assignment): string[] {
  const { namespace } = assignment;
  if (assignment.kind === 'tie') return [namespace, '-', '-', '-', `tie of ${assignment.buckets.join(' and ')}`];
  if (assignment.kind === 'outside') return [namespace, '-', '-', '-', `not in the mesh: ${because(assignment)}`];
  const { revision, bucket, slot, reason, remembered } = assignment;
  return [namespace, revision, bucket, String(slot), `${reason}${remembered ? ', from the lock' : ''}`];
}

function because({ reason, pattern }: Assignment & { kind: 'outside' }): string {
  return reason === 'excluded' ? `excluded by ${JSON.stringify(pattern)}` : 'a namespace of Kubernetes or Istio';
}

/** Slots meet a share only on average; silence would hide that. */
function noteShare({ bucket, revision, wanted, count, of }: ShareCount, io: Io): void {
  const actual = percentText(Math.round((count * 10_000) / of));
  if (wanted === 10_000 || of < 2) return;
  const nobody = wanted > 0 && count === 0 ? ': nobody' : '';
  io.stderr.write(
    `note: ${bucket}: ${revision} asks for ${percentText(wanted)} % and has ${count} of ${of} (${actual} %)${nobody}\n`,
  );
}

function reportTie(namespace: string, buckets: readonly string[], io: Io): void {
  const both = buckets.map((bucket) => JSON.stringify(bucket)).join(' and ');
  io.stderr.write(
    `error: ${namespace}: ${both} are equally long and both match [pattern-tie]\n  hint: make one of them longer, or narrower\n`,
  );
  io.exitCode = 2;
}
