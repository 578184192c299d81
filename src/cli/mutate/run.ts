// One run of `fairway mutate`: read everything, mutate everything, and only then, if nothing is wrong, put it out.
import { applyEdits, encodeUtf8, type Piece } from '../../core/manifest/index.ts';
import { type MutateResult, nameOf, type PlacedRemark } from '../../core/mutate/index.ts';
import { counted } from '../../core/std/counted.ts';
import { ManifestError, type Problem, UsageError } from '../../core/std/errors.ts';
import { visible } from '../../core/std/visible.ts';
import { interruptible } from '../interruption.ts';
import type { Io } from '../io.ts';
import { type Mutated, type MutateFlags, mutateAll } from './all.ts';
import { unifiedDiff } from './diff.ts';
import { loadRevisions } from './revisions.ts';
import { findFiles, readSource, type Source } from './sources.ts';
import { print, writeAll } from './write.ts';

/** @throws UsageError, SpecError, ManifestError: then nothing was written */
export async function run(paths: readonly string[], flags: MutateFlags, io: Io): Promise<void> {
  checkFlags(paths, flags);
  if (flags.krm === true) {
    const { runFunction } = await import('./krm.ts');
    return runFunction(flags, io);
  }
  const sources = await readSources(paths, flags, io);
  const revisions = await loadRevisions(flags, io);
  const mutated = await mutateAll(sources, { revisions, flags, io });
  const warnings = tell(mutated, io);
  const isRefused = flags.strict === true && warnings > 0;
  if (isRefused) io.exitCode = 1;
  else await putOut(mutated, flags, io);
  const looksOnly = isRefused || flags.check === true || (flags.diff === true && flags.write !== true);
  sumUp(mutated, looksOnly ? 'would change' : 'changed', io);
  return undefined;
}

function checkFlags(paths: readonly string[], flags: MutateFlags): void {
  const whole = flags.krm === true ? '--krm' : flags.postRenderer === true ? '--post-renderer' : undefined;
  if (whole !== undefined && paths.some((path) => path !== '-')) {
    throw new UsageError(`${whole} reads standard input; it takes no paths`);
  }
  const mode = (['write', 'check', 'diff'] as const).find((name) => flags[name] === true);
  if (whole !== undefined && mode !== undefined) throw new UsageError(`${whole} and --${mode} exclude each other`);
  if (flags.write === true && flags.check === true) {
    throw new UsageError('--write and --check exclude each other', { hint: 'look first, then write' });
  }
  if (flags.write === true && (paths.length === 0 || paths.includes('-'))) {
    throw new UsageError('--write needs files or folders', { hint: 'name them: fairway mutate --write deploy/' });
  }
}

async function readSources(paths: readonly string[], flags: MutateFlags, io: Io): Promise<readonly Source[]> {
  if (paths.length === 0 && io.stdin.isTTY === true) {
    throw new UsageError('nothing to read', { hint: 'name files or folders, or pipe manifests in' });
  }
  const sources: Source[] = [];
  const problems: Problem[] = [];
  for (const file of await findFiles(paths.length === 0 ? ['-'] : paths, io.cwd)) {
    try {
      sources.push(await readSource(file, io, flags.maxBytes));
    } catch (error) {
      if (!(error instanceof ManifestError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new ManifestError(problems);
  return sources;
}

/** Tells remarks on stderr; answers how many warnings there were. */
function tell(mutated: readonly Mutated[], io: Io): number {
  const remarks = mutated.flatMap(({ source, result }) => result.remarks.map((remark) => ({ remark, source })));
  for (const { remark, source } of remarks) io.stderr.write(`${visible(`${source.name}: ${sentence(remark)}`)}\n`);
  return remarks.filter(({ remark }) => remark.severity === 'warning').length;
}

/** The last line on stderr, when all is put out: what failed before has not happened. */
function sumUp(mutated: readonly Mutated[], what: 'changed' | 'would change', io: Io): void {
  const sum = (of: (result: MutateResult) => number) => mutated.reduce((total, { result }) => total + of(result), 0);
  const changed = sum(({ changed: names }) => names.length);
  const workloads = sum(({ counts }) => counts.workloads);
  const unknown = sum(({ counts }) => counts.unknown);
  const passed = unknown === 0 ? '' : `, ${counted(unknown, 'object')} without apiVersion or kind passed through`;
  io.stderr.write(`fairway mutate: ${changed} of ${workloads} workloads ${what}${passed}\n`);
}

function sentence(remark: PlacedRemark): string {
  return `${remark.severity}: document ${remark.document}: ${nameOf(remark)}: ${remark.message} [${remark.code}]`;
}

async function putOut(mutated: readonly Mutated[], flags: MutateFlags, io: Io): Promise<void> {
  const changed = mutated.filter(({ result }) => result.edits.length > 0);
  if (flags.diff === true) {
    for (const { source, result } of changed) {
      await print([unifiedDiff(encodeUtf8(source.name), source.text, result.edits)], io.stdout);
    }
  }
  if (flags.check === true) {
    if (flags.diff !== true)
      await print(
        changed.map(({ source }) => encodeUtf8(`${source.name}\n`)),
        io.stdout,
      );
    io.exitCode = changed.length > 0 ? 1 : 0;
  } else if (flags.write === true) {
    const rewrites = changed.map((one) => ({
      path: one.source.path ?? '',
      before: one.source.bytes,
      pieces: piecesOf(one),
    }));
    await interruptible((look) => writeAll(rewrites, look));
  } else if (flags.diff !== true) await print(joined(mutated), io.stdout);
}

/** The pieces of every source, with a separator between two sources. */
function joined(mutated: readonly Mutated[]): readonly Piece[] {
  return mutated.flatMap((one, index) => {
    const previous = index === 0 ? undefined : mutated[index - 1]?.source.bytes;
    const gap = previous === undefined ? [] : [previous.at(-1) === 10 ? '---\n' : '\n---\n'];
    return [...gap, ...piecesOf(one)];
  });
}

function piecesOf({ source, result }: Mutated): readonly Piece[] {
  return applyEdits(source.bytes, result.edits);
}
