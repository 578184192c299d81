// What the operating system refused, in words. A full disk, a file that nobody may read: not a bug of this program, so never a stack trace.

/** What the caller can mend: another path, other rights. The rest (a full disk, a broken device) may work later. */
const callersFault: ReadonlySet<string> = new Set(
  'ENOENT ENOTDIR EISDIR ELOOP EACCES EPERM EROFS ENAMETOOLONG EEXIST EINVAL EXDEV'.split(' '),
);

/** An error of a system call as a message and an exit code; undefined for any other error. */
export function describeSystemError(error: unknown): { readonly message: string; readonly code: 2 | 69 } | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall, path, message } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined || !/^E[A-Z0-9]+$/.test(code)) return undefined;
  const words = message.slice(`${code}: `.length).split(`, ${syscall}`)[0] ?? message;
  const what = path === undefined ? syscall : `${syscall} ${path}`;
  return { message: `cannot ${what}: ${words} (${code})`, code: callersFault.has(code) ? 2 : 69 };
}
