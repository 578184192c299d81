// Certificates that somebody else writes: read when they are asked for, and again whenever they change. A pair is served only when key
// and certificate belong together, so that a writer who is half done is waited for; meanwhile the last good one is served.
//
// A look each second instead of inotify: it sees every way of replacing a file, the kubelet's swapped link and a mount included, and
// needs none of the watches that nodes run out of.
import { type PairFiles, pemFile, type Secret } from '../../../core/identity/index.ts';
import type { Host } from '../../../ports/host.ts';
import { readable } from '../grpc-tls.ts';
import type { Log } from '../log.ts';

export interface FileSecrets {
  /** Undefined: not there, or not good. From the first question on it is looked after. */
  readonly pair: (files: PairFiles) => Secret | undefined;
  readonly roots: (path: string) => Secret | undefined;
  readonly end: () => void;
}

export interface FilesContext {
  readonly host: Host;
  readonly log: Log;
  /** From a change to the reading. */
  readonly debounceMs: number;
  readonly changed: () => void;
}

const everyMs = 1000;

interface Watched {
  readonly paths: readonly string[];
  readonly read: () => Secret | string;
  /** Undefined: to be read again, whether it changed or not. */
  stamp: string | undefined;
  /** What was read last, good or not. */
  text: string;
  /** The last good one. */
  secret: Secret | undefined;
}

/** Nothing is watched until it is asked for. */
export function watchFiles(context: FilesContext): FileSecrets {
  const { host } = context;
  const all = new Map<string, Watched>();
  let end: (() => void) | undefined;
  const secretOf = (paths: readonly string[], read: Watched['read']): Secret | undefined => {
    const watched = all.get(paths.join('~')) ?? { paths, read, stamp: undefined, text: '', secret: undefined };
    if (!all.has(paths.join('~'))) load({ ...context, changed: () => undefined }, watched); // who asks is answered
    all.set(paths.join('~'), watched);
    end ??= lookAfter(context, all);
    return watched.secret;
  };
  return {
    pair: (files) => secretOf([files.chain, files.key], () => readPair(host, files)),
    roots: (path) => secretOf([path], () => readRoots(host, path)),
    end: () => end?.(),
  };
}

function lookAfter(context: FilesContext, all: ReadonlyMap<string, Watched>): () => void {
  const { host, debounceMs } = context;
  let callOff: () => void;
  const look = (): void => {
    const changed = [...all.values()].filter((each) => each.stamp !== stampOf(host, each.paths));
    callOff = host.clock.after(changed.length === 0 ? everyMs : debounceMs, () => {
      for (const each of changed) load(context, each);
      look();
    });
  };
  look();
  return () => callOff();
}

/** What is new is read once more: a clock that ticks slowly may not tell a second change right after the first. */
function load({ host, log, changed }: FilesContext, watched: Watched): void {
  const stamp = stampOf(host, watched.paths);
  const found = watched.read();
  const text = JSON.stringify(found);
  const isNew = text !== watched.text;
  watched.text = text;
  watched.stamp = isNew ? undefined : stamp;
  if (!isNew) return;
  const files = watched.paths;
  if (typeof found === 'string') return log('warn', 'certificate files cannot be used', { files, problem: found });
  log('info', 'read certificate files', { files });
  watched.secret = found;
  changed();
}

/** Never undefined, so that it differs from what was not read. */
function stampOf({ files }: Host, paths: readonly string[]): string {
  return paths.map((path) => files.stamp(path) ?? 'none').join(', ');
}

function readPair({ files, keys }: Host, { chain: chainFile, key: keyFile }: PairFiles): Secret | string {
  const chain = files.read(chainFile);
  const key = files.read(keyFile);
  if (chain === undefined || key === undefined) return `missing: ${chain === undefined ? chainFile : keyFile}`;
  return keys.pairProblem(chain, key) ?? { kind: 'pair', chain, key };
}

/** What cannot be read among them is left out: Envoy would refuse all of them. */
function readRoots({ files, keys }: Host, path: string): Secret | string {
  const text = files.read(path);
  if (text === undefined) return `missing: ${path}`;
  const good = readable(text, keys);
  return good.length === 0 ? 'no certificate in it' : { kind: 'roots', pem: pemFile(good), crlFile: undefined };
}
