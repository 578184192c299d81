// `fairway plan`: what an edit of rollouts.yml does, before it is merged. Compares two versions over an inventory, prints
// every move with its reason, and writes the lock that goes with the edit.
import { Command, Option } from 'commander';
import type { Inventory } from '../../core/inventory/index.ts';
import { formatProblem, SpecError, UsageError } from '../../core/std/errors.ts';
import { parseRfc3339 } from '../../core/std/rfc3339.ts';
import type { Io } from '../io.ts';
import { namespaceOption } from '../namespace-flag.ts';
import type { InventoryFlags } from '../plan/inventory.ts';
import type { LoadedSide, Place, SideFlags } from '../plan/revision-files.ts';

interface Flags extends SideFlags, InventoryFlags {
  readonly from?: string;
  readonly to: string;
  readonly output: 'table' | 'json' | 'yaml' | 'markdown';
  readonly now?: string;
  readonly strict?: boolean;
  readonly writeLock?: boolean;
  readonly forget?: boolean;
}

export function build(io: Io): Command {
  return new Command('plan')
    .description(
      'Says what an edit of rollouts.yml does before it is merged. Exit 0: nothing moves; 1: something moves; 2: invalid.',
    )
    .option(
      '--from <place>',
      'the old version: a file, REV:path of Git, or none (default: --to at HEAD, or at the parent of its REV)',
    )
    .option('--to <place>', 'the new version: a file, or REV:path of Git', 'rollouts.yml')
    .option('--fleet <file>', 'the fleet file of both (default: fairway.yml beside each)')
    .option('--lock <file>', 'the lock of both (default: rollouts.lock beside each)')
    .option('--no-lock', 'plan as if nothing was remembered')
    .option('--manifests <path...>', 'inventory: manifests, files or folders')
    .addOption(namespaceOption('the namespace of manifests that name none'))
    .option('--namespaces <file>', 'inventory: names one a line, or Namespace objects; - is stdin')
    .option('--snapshot <file>', 'inventory: a snapshot of a fleet (schemas/snapshot.json); - is stdin')
    .addOption(
      new Option('-o, --output <format>', 'how to print')
        .choices(['table', 'json', 'yaml', 'markdown'])
        .default('table'),
    )
    .option('--now <time>', 'RFC 3339; when the edit takes effect (default: the commit of --to, or now)')
    .option('--strict', 'warnings fail too (exit 2)')
    .option('--write-lock', 'write the lock that goes with this edit; keeps what the inventory does not know')
    .option('--forget', 'with --write-lock: drop what neither the files nor the inventory know')
    .action((flags: Flags) => {
      if (flags.forget === true && flags.writeLock !== true)
        throw new UsageError('--forget belongs to --write-lock: without it nothing is written');
      return printPlan(flags, io);
    });
}

async function printPlan(flags: Flags, io: Io): Promise<void> {
  const { loadSide, placeBefore, placeOf, showPlace, timeOf } = await import('../plan/revision-files.ts');
  const toPlace = placeOf(flags.to, io);
  const fromPlace = flags.from === undefined ? placeBefore(toPlace, io) : placeOf(flags.from, io);
  const to = await loadSide(toPlace, flags, io);
  if (to === undefined)
    throw new UsageError(`there is no ${showPlace(toPlace)}`, { hint: 'name the new version with --to' });
  const from = flags.from === 'none' ? undefined : await loadOld(fromPlace, toPlace, flags, io);
  const { readInventory } = await import('../plan/inventory.ts');
  const inventory = await readInventory(flags, to.fleet, io);
  const after = flags.writeLock === true ? await writeLock({ from, to, inventory }, flags, io) : to;
  const nowMs = flags.now === undefined ? await timeOf(toPlace, io) : parseTime(flags.now);
  await report({ from, to: after, inventory }, nowMs, flags, io);
}

/**
 * The old side. One that is invalid counts as nothing, with a warning: an edit that mends it must be possible.
 * @throws UsageError where it is not there at all
 */
async function loadOld(place: Place, toPlace: Place, flags: Flags, io: Io): Promise<LoadedSide | undefined> {
  const { loadSide, showPlace } = await import('../plan/revision-files.ts');
  try {
    const side = await loadSide(place, companions(place, toPlace, flags), io);
    if (side !== undefined) return side;
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    for (const problem of error.problems) io.stderr.write(`${formatProblem({ ...problem, severity: 'warning' })}\n`);
    io.stderr.write(`note: the old version is invalid, so every namespace counts as new\n`);
    return undefined;
  }
  const hint = 'name the old version with --from; `--from none` compares with nothing';
  throw new UsageError(`there is no ${showPlace(place)}`, { hint });
}

/** An old file that was copied beside the new one has its companions, unless it has its own. */
function companions(from: Place, to: Place, flags: Flags): SideFlags {
  const both = from.revision === undefined && to.revision === undefined;
  return both ? { ...flags, fallback: to.path } : flags;
}

interface Sides {
  readonly from: LoadedSide | undefined;
  readonly to: LoadedSide;
  readonly inventory: Inventory;
}

async function report({ from, to, inventory }: Sides, nowMs: number, flags: Flags, io: Io): Promise<void> {
  const { completionBound } = await import('../../core/fleet/index.ts');
  const { plan } = await import('../../core/plan/index.ts');
  const { findConflicts } = await import('../../core/rollout/index.ts');
  const longestGrace = inventory.workloads.reduce((most, { graceSeconds = 30 }) => Math.max(most, graceSeconds), 30);
  const made = plan({ from, to, inventory, bound: completionBound(to.fleet, longestGrace * 1000), nowMs });
  const conflicts = findConflicts(
    to.rollouts,
    inventory.namespaces.map(({ name }) => name),
  ).filter(({ code }) => code !== 'pattern-tie');
  const result = { ...made, problems: [...to.warnings, ...conflicts, ...made.problems] };
  const { printResult } = await import('../plan/print-plan.ts');
  await printResult(result, flags.output, io);
  for (const problem of result.problems) io.stderr.write(`${formatProblem(problem)}\n`);
  const invalid = result.problems.some(({ severity }) => severity === 'error' || flags.strict === true);
  io.exitCode = invalid ? 2 : result.somethingMoves ? 1 : 0;
}

/** Writes the lock, whole or not at all, and gives the new side as it is with it. */
async function writeLock({ from, to, inventory }: Sides, flags: Flags, io: Io): Promise<LoadedSide> {
  const { lockPathOf, placeOf } = await import('../plan/revision-files.ts');
  const toPlace = placeOf(flags.to, io);
  if (toPlace.revision !== undefined || flags.lock === false)
    throw new UsageError(
      '--write-lock needs a file to write: --to must be one of the working tree, and --no-lock must not be given',
    );
  const { nextLock } = await import('../../core/plan/index.ts');
  const { lock, unknown } = nextLock({ from, to, inventory, forget: flags.forget === true });
  const { formatLock } = await import('../../core/rollout/index.ts');
  const { replaceFile } = await import('../replace-file.ts');
  const path = lockPathOf(toPlace, flags);
  replaceFile(path, formatLock(lock), io);
  io.stderr.write(`wrote ${path}: ${lock.size} ${lock.size === 1 ? 'bucket' : 'buckets'}\n`);
  const verb =
    flags.forget === true ? 'dropped' : 'kept, though neither the files nor the inventory know it (--forget drops it)';
  for (const one of unknown) io.stderr.write(`note: ${verb}: ${one}\n`);
  return { ...to, lock };
}

function parseTime(text: string): number {
  const ms = parseRfc3339(text);
  if (ms === undefined)
    throw new UsageError(`--now ${text} is no time of RFC 3339`, { hint: 'for example 2026-11-30T08:00:00Z' });
  return ms;
}
