// The two sides of a plan: files of the working tree, or of a Git revision (`REV:path`), each with the fairway.yml and the
// lock that stand beside it.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { defaultFleet, parseFleet } from '../../core/fleet/index.ts';
import type { Side } from '../../core/plan/index.ts';
import { lockBeside, parseLock, parseRollouts } from '../../core/rollout/index.ts';
import { type Problem, SpecError, UsageError } from '../../core/std/errors.ts';
import type { Io } from '../io.ts';
import { readText } from '../rollout-files.ts';

const run = promisify(execFile);

/** A file of the working tree, or of a revision; there, as Git has it, `./` begins at this folder, else it is the repository's top. */
export interface Place {
  /** Absent: the working tree. */
  readonly revision?: string;
  readonly path: string;
}

export interface SideFlags {
  readonly fleet?: string;
  readonly lock?: string | boolean;
  /** A rollouts.yml of the working tree whose companions are read where a side has none of its own. */
  readonly fallback?: string;
}

export interface LoadedSide extends Side {
  readonly warnings: readonly Problem[];
}

/** `REV:path` where no file has that name; `REV` alone is not enough, because a file may be called so. */
export function placeOf(text: string, io: Io): Place {
  const colon = text.indexOf(':');
  if (colon < 1 || existsSync(resolve(io.cwd, text))) return { path: text };
  return { revision: text.slice(0, colon), path: text.slice(colon + 1) };
}

/** The same file before: at HEAD, or of a revision at its parent. */
export function placeBefore({ revision, path }: Place, io: Io): Place {
  if (revision !== undefined) return { revision: `${revision}^`, path };
  return { revision: 'HEAD', path: `./${relative(io.cwd, resolve(io.cwd, path))}` };
}

/** How a place is called in messages. */
export function showPlace({ revision, path }: Place): string {
  return revision === undefined ? path : `${revision}:${path}`;
}

/** One side; throws every problem of its files at once. Undefined where rollouts.yml does not exist there. */
export async function loadSide(place: Place, flags: SideFlags, io: Io): Promise<LoadedSide | undefined> {
  const text = await readPlace(place, io);
  if (text === undefined) return undefined;
  const fleetFile = await firstOf(fleetPlaces(place, flags), io);
  if (fleetFile === undefined && flags.fleet !== undefined) throw new UsageError(`there is no ${flags.fleet}`);
  const fleet = fleetFile === undefined ? undefined : parseFleet(fleetFile.text, { file: showPlace(fleetFile.place) });
  const known = fleet?.kind === 'valid' ? fleet.value : defaultFleet();
  const rollouts = parseRollouts(text, { file: showPlace(place), fleet: known });
  const lockFile = flags.lock === false ? undefined : await firstOf(lockPlaces(place, flags), io);
  const lock = lockFile === undefined ? undefined : parseLock(lockFile.text, { file: showPlace(lockFile.place) });
  const warnings = [...(fleet?.problems ?? []), ...rollouts.problems, ...(lock?.problems ?? [])];
  if (fleet?.kind === 'invalid' || rollouts.kind === 'invalid' || lock?.kind === 'invalid')
    throw new SpecError(warnings);
  return { rollouts: rollouts.value, fleet: known, lock: lock?.value, warnings };
}

/** Where the fairway.yml of a side may be: named by a flag, or beside it, or beside the new side. */
function fleetPlaces(place: Place, { fleet, fallback }: SideFlags): readonly Place[] {
  if (fleet !== undefined) return [{ path: fleet }];
  return [place, ...(fallback === undefined ? [] : [{ path: fallback }])].map((one) => ({
    ...one,
    path: one.path.replace(/[^/]*$/, 'fairway.yml'),
  }));
}

function lockPlaces(place: Place, { lock, fallback }: SideFlags): readonly Place[] {
  if (typeof lock === 'string') return [{ path: lock }];
  return [place, ...(fallback === undefined ? [] : [{ path: fallback }])].map((one) => ({
    ...one,
    path: lockBeside(one.path),
  }));
}

/** Where `--write-lock` writes. */
export function lockPathOf(to: Place, { lock }: SideFlags): string {
  return typeof lock === 'string' ? lock : lockBeside(to.path);
}

async function firstOf(
  places: readonly Place[],
  io: Io,
): Promise<{ readonly place: Place; readonly text: string } | undefined> {
  for (const place of places) {
    const text = await readPlace(place, io);
    if (text !== undefined) return { place, text };
  }
  return undefined;
}

/** Where Git is asked, and by which path: in the file's own folder, so that the caller may stand outside of the repository. */
function gitPlace({ path }: Place, io: Io): { readonly folder: Io; readonly path: string } {
  const cwd = resolve(io.cwd, dirname(path));
  if (!/^\.\.?\//.test(path) || !existsSync(cwd)) return { folder: io, path };
  return { folder: { ...io, cwd }, path: `./${basename(path)}` };
}

/** The text of a place, or undefined where there is no such file. */
async function readPlace(place: Place, io: Io): Promise<string | undefined> {
  const { revision } = place;
  if (revision === undefined) return readText(place.path, io);
  const { folder, path } = gitPlace(place, io);
  await git(
    ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`],
    folder,
    `no Git revision ${JSON.stringify(revision)}`,
  );
  try {
    const { stdout } = await run('git', ['cat-file', 'blob', `${revision}:${path}`], {
      cwd: folder.cwd,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    return stdout;
  } catch {
    return undefined;
  }
}

/** When the newest commit of a place was made, in milliseconds; the clock for the working tree. */
export async function timeOf(place: Place, io: Io): Promise<number> {
  const { revision } = place;
  if (revision === undefined) return io.nowMs();
  const stdout = await git(
    ['show', '--no-patch', '--format=%ct', revision],
    gitPlace(place, io).folder,
    `no Git revision ${JSON.stringify(revision)}`,
  );
  return Number(stdout.trim().split('\n').at(-1)) * 1000;
}

async function git(args: readonly string[], io: Io, failure: string): Promise<string> {
  try {
    const { stdout } = await run('git', args, { cwd: io.cwd, encoding: 'utf8' });
    return stdout;
  } catch (cause) {
    const { code, stderr = '' } = cause as { code?: unknown; stderr?: string };
    const hint =
      'compare two files instead: `fairway plan --from OLD.yml --to NEW.yml`; `--from none` compares with nothing';
    if (code === 'ENOENT') throw new UsageError('git is not installed', { cause, hint });
    if (stderr.includes('not a git repository'))
      throw new UsageError(`${io.cwd} is not inside a Git repository`, { cause, hint });
    throw new UsageError(failure, { cause, hint: (await isShallow(io)) ? `${shallow}; or ${hint}` : hint });
  }
}

const shallow = 'this clone is shallow: fetch its history (git fetch --unshallow; in actions/checkout fetch-depth: 0)';

async function isShallow({ cwd }: Io): Promise<boolean> {
  const asked = run('git', ['rev-parse', '--is-shallow-repository'], { cwd, encoding: 'utf8' });
  return asked.then(
    ({ stdout }) => stdout.trim() === 'true',
    () => false,
  );
}
