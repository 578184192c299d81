// What the operating system refused, in words. A full disk, a file that nobody may read: not a bug of this program, so never a stack trace.
import { TransientError, UsageError } from '../core/std/errors.ts';

/** What the caller can mend: another path, other rights. The rest (a full disk, a broken device) may work later. */
const callersFault: ReadonlySet<string> = new Set(
  'ENOENT ENOTDIR EISDIR ELOOP EACCES EPERM EROFS ENAMETOOLONG EEXIST EINVAL EXDEV'.split(' '),
);

export interface Refusal {
  readonly message: string;
  readonly code: 2 | 69;
}

/** An error of a system call as a message and an exit code; undefined for any other error. */
export function describeSystemError(error: unknown): Refusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const { syscall, path } = error as NodeJS.ErrnoException;
  return refusalOf(error, path === undefined ? `${syscall}` : `${syscall} ${path}`);
}

/** The same, where the caller knows better what was wanted: `cannot read rollouts.yml: permission denied (EACCES)`. */
export function refusalOf(error: unknown, wanted: string): Refusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined || !/^E[A-Z0-9]+$/.test(code)) return undefined;
  const words = message.slice(`${code}: `.length).split(`, ${syscall}`)[0] ?? message;
  return { message: `cannot ${wanted}: ${words} (${code})`, code: callersFault.has(code) ? 2 : 69 };
}

/** To be thrown in the place of an error of a system call, so that the user reads what was wanted; any other error stays itself. */
export function refused(error: unknown, wanted: string): unknown {
  const refusal = refusalOf(error, wanted);
  if (refusal === undefined) return error;
  const { message, code } = refusal;
  return code === 2 ? new UsageError(message, { cause: error }) : new TransientError(message, { cause: error });
}
