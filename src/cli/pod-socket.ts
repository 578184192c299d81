// Where `fairway pod run` listens and its companions find it.
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Io } from './io.ts';

export interface SocketFlags {
  readonly socket?: string;
}

/** The flag, else FAIRWAY_POD_SOCKET, else one place a user. */
export function socketPath(flag: string | undefined, io: Io): string {
  const chosen = flag ?? io.env['FAIRWAY_POD_SOCKET'];
  return chosen === undefined ? join(runFolder(io), 'pods.sock') : resolve(io.cwd, chosen);
}

/** A folder for what lives only as long as a run. */
export function runFolder(io: Io): string {
  const uid = process.getuid?.() ?? 0;
  if (uid === 0) return '/run/fairway';
  return join(io.env['XDG_RUNTIME_DIR'] ?? join(tmpdir(), `fairway-${uid}`), 'fairway');
}

/** A folder for logs and volumes. */
export function stateFolder(io: Io): string {
  const home =
    io.env['XDG_STATE_HOME'] ?? (io.env['HOME'] === undefined ? undefined : join(io.env['HOME'], '.local/state'));
  return home === undefined ? join(runFolder(io), 'state') : join(home, 'fairway');
}
