// The files that say which revision a namespace is on: rollouts.yml, and beside it fairway.yml and rollouts.lock where they
// exist.
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Fleet } from '../core/fleet/index.ts';
import type { Namespace } from '../core/inventory/index.ts';
import { type Lock, lockBeside, parseLock, parseRollouts, type Rollouts } from '../core/rollout/index.ts';
import { formatProblem, type Problem, SpecError, UsageError } from '../core/std/errors.ts';
import { isNamespaceName, namespaceRule } from '../core/std/object-name.ts';
import type { Io } from './io.ts';
import type { RolloutFlags } from './rollout-flags.ts';
import { refused } from './system-error.ts';

export interface RolloutFiles {
  readonly rollouts: Rollouts;
  readonly fleet: Fleet | undefined;
  readonly lock: Lock | undefined;
  readonly paths: { readonly rollouts: string; readonly fleet: string; readonly lock: string };
  readonly warnings: readonly Problem[];
}

/** Reads and checks the files. Every problem of all of them is thrown at once as a SpecError. */
export async function loadRolloutFiles(flags: RolloutFlags, io: Io): Promise<RolloutFiles> {
  const asked = flags.rollouts ?? 'rollouts.yml';
  const fleetPath = flags.fleet ?? beside(asked, 'fairway.yml');
  const fleet = await loadFleet(fleetPath, flags.fleet !== undefined, io);
  const { rollouts: own, fleet: here } = await clusterOf(flags.cluster, fleet.value, beside(fleetPath, ''));
  const path = own ?? asked;
  const text = await readText(path, io);
  if (text === undefined) throw new UsageError(`there is no ${path}`, { hint: 'name the file with --rollouts' });
  const rollouts = parseRollouts(text, { file: shownPath(path), fleet: here });
  const lockPath = typeof flags.lock === 'string' ? flags.lock : lockBeside(path);
  const lock = flags.lock === false ? undefined : await loadLock(lockPath, typeof flags.lock === 'string', io);
  const problems = [...fleet.problems, ...rollouts.problems, ...(lock?.problems ?? [])];
  if (fleet.invalid || rollouts.kind === 'invalid' || lock?.kind === 'invalid') throw new SpecError(problems);
  return {
    rollouts: rollouts.value,
    fleet: here,
    lock: lock?.value,
    paths: { rollouts: path, fleet: fleetPath, lock: lockPath },
    warnings: problems,
  };
}

/** The fleet file alone, for commands that need no rollouts.yml; undefined where there is none and none was asked for. */
export async function loadFleetFile(flags: RolloutFlags, io: Io): Promise<Fleet | undefined> {
  const path = flags.fleet ?? beside(flags.rollouts ?? 'rollouts.yml', 'fairway.yml');
  const fleet = await loadFleet(path, flags.fleet !== undefined, io);
  if (fleet.invalid) throw new SpecError(fleet.problems);
  return (await clusterOf(flags.cluster, fleet.value, beside(path, ''))).fleet;
}

function beside(path: string, name: string): string {
  return join(dirname(path), name);
}

interface LoadedFleet {
  readonly value: Fleet | undefined;
  readonly problems: readonly Problem[];
  readonly invalid: boolean;
}

async function loadFleet(path: string, asked: boolean, io: Io): Promise<LoadedFleet> {
  const text = await readText(path, io);
  if (text === undefined && asked) throw new UsageError(`there is no ${path}`, { hint: 'name the file with --fleet' });
  if (text === undefined) return { value: undefined, problems: [], invalid: false };
  const { parseFleet } = await import('../core/fleet/index.ts');
  const read = parseFleet(text, { file: path });
  return {
    value: read.kind === 'valid' ? read.value : undefined,
    problems: read.problems,
    invalid: read.kind === 'invalid',
  };
}

async function loadLock(path: string, asked: boolean, io: Io): Promise<ReturnType<typeof parseLock> | undefined> {
  const text = await readText(path, io);
  if (text === undefined && asked)
    throw new UsageError(`there is no ${path}`, { hint: '`fairway plan --write-lock` writes it' });
  return text === undefined ? undefined : parseLock(text, { file: path });
}

/** The fleet as one cluster sees it; the same everywhere unless fairway.yml says otherwise. */
async function clusterOf(
  name: string | undefined,
  fleet: Fleet | undefined,
  folder: string,
): Promise<{ readonly rollouts?: string; readonly fleet: Fleet | undefined }> {
  if (name === undefined || fleet === undefined) return { fleet };
  const { fleetOfCluster } = await import('../core/fleet/index.ts');
  const view = fleetOfCluster(fleet, name);
  if (view.kind === 'unknown') throw new UsageError(view.message, { hint: view.hint });
  const { rollouts, fleet: here } = view;
  return rollouts === undefined ? { fleet: here } : { rollouts: join(folder, rollouts), fleet: here };
}

/** The text of a file below the working folder, `-` being stdin; undefined where there is none. Must be UTF-8. */
export async function readText(path: string, io: Io): Promise<string | undefined> {
  const bytes = path === '-' ? await readStream(io) : await readBytes(resolve(io.cwd, path), path);
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    const { invalidUtf8 } = await import('../core/manifest/index.ts');
    const problem = invalidUtf8(Buffer.from(bytes).toString('latin1'));
    if (problem === undefined) throw cause;
    throw new SpecError([{ hint: 'save it as UTF-8', ...problem, file: shownPath(path) }]);
  }
}

/** A file as messages name it. */
export function shownPath(path: string): string {
  return path === '-' ? 'stdin' : path;
}

async function readBytes(path: string, shown: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'EISDIR') throw new UsageError(`cannot read ${shown}: it is a folder`, { cause });
    throw refused(cause, `read ${shown}`);
  }
}

const readOnce = new WeakSet<Io>();

async function readStream(io: Io): Promise<Uint8Array> {
  if (readOnce.has(io))
    throw new UsageError('standard input can be read once only', { hint: 'name a file instead of one of the dashes' });
  readOnce.add(io);
  const chunks: Uint8Array[] = [];
  for await (const chunk of io.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

/** The namespaces of a file, or of stdin (`-`). */
export async function loadNamespaces(path: string, io: Io): Promise<readonly Namespace[]> {
  const text = await readText(path, io);
  if (text === undefined)
    throw new UsageError(`there is no ${path}`, { hint: 'kubectl get namespaces -o name prints one' });
  const { parseNamespaces } = await import('../core/inventory/index.ts');
  const read = parseNamespaces(text, { file: shownPath(path) });
  if (read.kind === 'invalid') throw new SpecError(read.problems);
  return read.value;
}

/** Says, once for all of them, that names were asked for that no namespace can have. They get an answer all the same. */
export function warnOfNames(names: readonly string[], io: Io): void {
  const [first, ...rest] = names.filter((name) => !isNamespaceName(name));
  if (first === undefined) return;
  const more = rest.length === 0 ? '' : ` (nor ${rest.length} more of these names)`;
  const message = `no namespace can be called ${JSON.stringify(first)}${more}`;
  warn([{ code: 'namespace-name', severity: 'warning', message, hint: namespaceRule }], io);
}

/** Warnings go to stderr, one paragraph each. */
export function warn(problems: readonly Problem[], io: Io): void {
  for (const problem of problems) io.stderr.write(`${formatProblem(problem)}\n`);
}
