// Wasm modules on disk, as Istio's agent keeps them (pkg/wasm/cache.go): by name and checksum, a day after they were last asked for. A module
// that is there is not fetched again unless the policy says so. Owns what is kept; download.ts and registry.ts fetch.
import { sha256Hex } from '../../../core/std/sha256.ts';
import { utf8 } from '../../../core/std/utf8.ts';
import { fileInTar, isRefreshed, moduleName, type WantedModule, wrappingOf } from '../../../core/wasm/index.ts';
import type { Host } from '../../../ports/host.ts';
import { type Downloads, download } from './download.ts';
import { type Pull, pull } from './registry.ts';

export interface ModulesOptions {
  readonly downloads: Downloads;
  readonly host: Host;
  readonly folder: string;
  readonly expiryMs: number;
  readonly purgeMs: number;
}

export type Module = { readonly kind: 'file'; readonly path: string } | Failed;
interface Failed {
  readonly kind: 'failed';
  readonly problem: string;
}

export interface Modules {
  readonly get: (wanted: WantedModule) => Promise<Module>;
  readonly end: () => void;
}

interface Kept {
  readonly path: string;
  lastMs: number;
}

/** The checksum that an address had when it was last asked, and for which version of which extension. */
interface Known {
  sha256: string;
  readonly versions: Map<string, string>;
}

interface Store {
  readonly kept: Map<string, Kept>;
  readonly known: Map<string, Known>;
}

export function keepModules(options: ModulesOptions): Modules {
  const { host, purgeMs } = options;
  const store: Store = { kept: new Map(), known: new Map() };
  let callOff = (): void => undefined;
  const purgeLater = (): void => {
    callOff = host.clock.after(purgeMs, () => {
      purge(options, store);
      purgeLater();
    });
  };
  purgeLater();
  return { get: (wanted) => get(options, store, wanted), end: () => callOff() };
}

async function get(options: ModulesOptions, store: Store, wanted: WantedModule): Promise<Module> {
  const { host } = options;
  const name = moduleName(wanted.url);
  const expected = wanted.sha256 === '' ? expectedOf(store, wanted) : wanted.sha256;
  const there = touched(options, store, name, expected);
  if (there !== undefined) return remember(store, wanted, expected, there);
  const fetched = await fetchModule(options, wanted, (sha256) => touched(options, store, name, sha256) !== undefined);
  if (fetched.kind === 'failed') return fetched;
  const { sha256, bytes } = fetched;
  if (wanted.sha256 !== '' && wanted.sha256 !== sha256)
    return failed(`${wanted.url} has SHA-256 ${sha256} instead of ${wanted.sha256}`);
  if (bytes !== undefined) {
    const path = `${options.folder}/${sha256Hex(utf8(name))}/${sha256}.wasm`;
    const problem = host.files.write(path, bytes, 0o644);
    if (problem !== undefined) return failed(problem);
    store.kept.set(`${name} ${sha256}`, { path, lastMs: host.clock.nowMs() });
  }
  const kept = store.kept.get(`${name} ${sha256}`);
  return kept === undefined ? failed(`${wanted.url} is gone again`) : remember(store, wanted, sha256, kept);
}

/** Empty: it has to be asked for. */
function expectedOf({ known }: Store, wanted: WantedModule): string {
  const digest = /@sha256:([0-9a-f]{64})$/.exec(wanted.url)?.[1];
  if (digest !== undefined) return digest;
  const before = known.get(wanted.url);
  const isSame = before?.versions.get(wanted.resourceName) === wanted.resourceVersion;
  return before !== undefined && (isSame || !isRefreshed(wanted)) ? before.sha256 : '';
}

function touched({ host }: ModulesOptions, { kept }: Store, name: string, sha256: string): Kept | undefined {
  const found = kept.get(`${name} ${sha256}`);
  if (found !== undefined) found.lastMs = host.clock.nowMs();
  return found;
}

function remember(
  { known }: Store,
  { url, resourceName, resourceVersion }: WantedModule,
  sha256: string,
  { path }: Kept,
): Module {
  const entry = known.get(url) ?? { sha256, versions: new Map<string, string>() };
  entry.sha256 = sha256;
  entry.versions.set(resourceName, resourceVersion);
  known.set(url, entry);
  return { kind: 'file', path };
}

type FetchedModule =
  | Failed
  | { readonly kind: 'module'; readonly sha256: string; readonly bytes: Uint8Array | undefined };

/** Without bytes where `isKept` says that they are there. */
function fetchModule(options: ModulesOptions, wanted: WantedModule, isKept: IsKept): Promise<FetchedModule> {
  const { url, timeoutMs, pullSecret } = wanted;
  const untilMs = options.host.clock.nowMs() + timeoutMs;
  if (pullSecret === '') return Promise.resolve(failed(`the pull secret for ${url} is missing`));
  return url.startsWith('oci://')
    ? fetchImage(options, { image: url.slice('oci://'.length), pullSecret, untilMs }, isKept)
    : fetchFile(options, url, untilMs);
}

type IsKept = (sha256: string) => boolean;

async function fetchFile({ downloads, host }: ModulesOptions, url: string, untilMs: number): Promise<FetchedModule> {
  const answer = await download(downloads, { url, untilMs });
  if (answer.kind === 'failed') return failed(`${url}: ${answer.problem}`);
  if (answer.status !== 200) return failed(`${url}: status ${answer.status}`);
  const bytes = await unwrapped(host, answer.body, { maxBytes: downloads.maxBytes, name: undefined });
  // The checksum is that of the module, not of its wrapping.
  return bytes === undefined ? failed(`${url} is no Wasm module`) : { kind: 'module', sha256: sha256Hex(bytes), bytes };
}

async function fetchImage({ downloads, host }: ModulesOptions, wanted: Pull, isKept: IsKept): Promise<FetchedModule> {
  const manifest = await pull(downloads, wanted);
  if (manifest.kind === 'failed') return failed(`${wanted.image}: ${manifest.problem}`);
  const { sha256 } = manifest;
  if (isKept(sha256)) return { kind: 'module', sha256, bytes: undefined };
  const layer = await manifest.layer();
  if (layer.kind === 'failed') return failed(`${wanted.image}: ${layer.problem}`);
  const bytes = await unwrapped(host, layer.bytes, { maxBytes: downloads.maxBytes, name: 'plugin.wasm' });
  return bytes === undefined ? failed(`${wanted.image} holds no Wasm module`) : { kind: 'module', sha256, bytes };
}

interface Unwrapping {
  readonly maxBytes: number;
  /** Of the file in an archive; undefined: the first. */
  readonly name: string | undefined;
}

/** At most three layers deep, as nobody wraps more. */
async function unwrapped(
  host: Host,
  given: Uint8Array,
  { maxBytes, name }: Unwrapping,
): Promise<Uint8Array | undefined> {
  let bytes: Uint8Array | undefined = given;
  for (let depth = 0; depth < 4 && bytes !== undefined; depth++) {
    const wrapping = wrappingOf(bytes);
    if (wrapping === 'wasm') return bytes;
    if (wrapping === 'unknown') return undefined;
    bytes = wrapping === 'gzip' ? await host.files.gunzip(bytes, maxBytes) : fileInTar(bytes, name);
  }
  return undefined;
}

/** Envoy has long read a module that nobody asked for since. */
function purge({ host, expiryMs }: ModulesOptions, { kept, known }: Store): void {
  for (const [key, { path, lastMs }] of kept) {
    if (host.clock.nowMs() - lastMs <= expiryMs) continue;
    host.files.remove(path);
    kept.delete(key);
    const sha256 = key.split(' ').at(-1);
    for (const [url, entry] of known) if (entry.sha256 === sha256) known.delete(url);
  }
}

function failed(problem: string): Failed {
  return { kind: 'failed', problem };
}
