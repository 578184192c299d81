// An extension of Envoy whose code is a Wasm module elsewhere: read, and written again with the module in a local file, or, where
// the module cannot be had, with a filter that lets everything through or nothing. After Istio's pkg/wasm/convert.go; field numbers:
// envoy/config/core/v3/extension.proto, envoy/extensions/wasm/v3/wasm.proto. Refuses to fetch.
import { encode, type Message, readMessage, rewrite } from '../wire/index.ts';

export type Extension =
  /** No Wasm, or a module that is local: it passes as it is. */
  { readonly kind: 'other' } | { readonly kind: 'malformed'; readonly problem: string } | RemoteExtension;

export interface WantedModule {
  readonly url: string;
  /** Lower-case hexadecimal; empty: any. Of an OCI image it is the digest of its manifest. */
  readonly sha256: string;
  /** Of the whole fetch. */
  readonly timeoutMs: number;
  readonly pullSecret: string | undefined;
  readonly pullPolicy: 'unspecified' | 'if-not-present' | 'always';
  /** Of the extension, and its version: a policy of always pulls once for each. */
  readonly resourceName: string;
  readonly resourceVersion: string;
}

export interface RemoteExtension {
  readonly kind: 'remote';
  readonly wanted: WantedModule;
  /** The resource (an Any) with the module in a file. */
  readonly local: (path: string) => Uint8Array;
  /** The resource without the module, and whether requests pass. */
  readonly without: { readonly passes: boolean; readonly resource: Uint8Array };
}

const type = 'type.googleapis.com/';
const extensionType = `${type}envoy.config.core.v3.TypedExtensionConfig`;
const filters = {
  [`${type}envoy.extensions.filters.http.wasm.v3.Wasm`]: {
    rbac: `${type}envoy.extensions.filters.http.rbac.v3.RBAC`,
    prefixField: 6,
  },
  [`${type}envoy.extensions.filters.network.wasm.v3.Wasm`]: {
    rbac: `${type}envoy.extensions.filters.network.rbac.v3.RBAC`,
    prefixField: 3,
  },
} as const satisfies Readonly<Record<string, Filter>>;

interface Filter {
  /** What takes the module's place. */
  readonly rbac: string;
  /** Of its statistics. */
  readonly prefixField: number;
}

const defaultTimeoutMs = 5000;
const failOpen = 3;

/** Reads a resource of type TypedExtensionConfig, an Any. */
export function readExtension(resource: Uint8Array): Extension {
  const value = readMessage(resource)?.bytes(2);
  const extension = value && readMessage(value);
  const typed = extension?.message(2);
  const name = extension?.text(1) ?? '';
  if (extension?.bytes(2) === undefined || typed === undefined)
    return { kind: 'malformed', problem: `the extension ${name} has no configuration that can be read` };
  const filter: Filter | undefined = (filters as Readonly<Record<string, Filter>>)[typed.text(1)];
  if (filter === undefined) return { kind: 'other' };
  return remoteOf(resource, { name, filter, config: typed.message(2)?.message(1) });
}

interface Wasm {
  readonly name: string;
  readonly filter: Filter;
  /** PluginConfig. */
  readonly config: Message | undefined;
}

function remoteOf(resource: Uint8Array, { name, filter, config }: Wasm): Extension {
  const machine = config?.message(3);
  const code = machine?.message(3);
  if (config === undefined || machine === undefined || code === undefined)
    return { kind: 'malformed', problem: `the Wasm extension ${name} cannot be read` };
  const remote = code.bytes(2) && code.message(2);
  if (remote === undefined)
    return code.bytes(1) === undefined
      ? { kind: 'malformed', problem: `the Wasm extension ${name} has no module, remote or local` }
      : { kind: 'other' };
  const passes = config.integer(7) === 0 ? config.integer(5) !== 0 : config.integer(7) === failOpen;
  return {
    kind: 'remote',
    wanted: wantedOf(name, machine, remote),
    local: (path) => withMachine(resource, (bytes) => localMachine(bytes, path)),
    without: { passes, resource: defaultFilter(name, filter, passes) },
  };
}

function wantedOf(name: string, machine: Message, remote: Message): WantedModule {
  const uri = remote.message(1);
  const timeout = uri?.bytes(3) === undefined ? undefined : uri.message(3);
  const variables = variablesOf(machine);
  const policy = variables.get('ISTIO_META_WASM_IMAGE_PULL_POLICY');
  const sha256 = remote.text(2);
  return {
    url: uri?.text(1) ?? '',
    // istiod writes "nil" where the user gave none.
    sha256: sha256 === 'nil' ? '' : sha256,
    timeoutMs: timeout === undefined ? defaultTimeoutMs : timeout.integer(1) * 1000 + timeout.integer(2) / 1e6,
    pullSecret: variables.get('ISTIO_META_WASM_IMAGE_PULL_SECRET'),
    pullPolicy: policy === 'Always' ? 'always' : policy === 'IfNotPresent' ? 'if-not-present' : 'unspecified',
    resourceName: name,
    resourceVersion: variables.get('ISTIO_META_WASM_PLUGIN_RESOURCE_VERSION') ?? '',
  };
}

/** istiod tells the agent about pulling in variables of the module's machine. */
function variablesOf(machine: Message): ReadonlyMap<string, string> {
  const entries = machine.message(7)?.all(2) ?? [];
  return new Map(
    entries.map((entry) => {
      const pair = readMessage(entry);
      return [pair?.text(1) ?? '', pair?.text(2) ?? ''];
    }),
  );
}

/** Any → TypedExtensionConfig → Any → Wasm → PluginConfig → VmConfig. */
const pathToMachine = [2, 2, 2, 1, 3] as const;

function withMachine(resource: Uint8Array, change: (machine: Uint8Array) => Uint8Array): Uint8Array {
  const within = (bytes: Uint8Array, [number, ...rest]: readonly number[]): Uint8Array =>
    number === undefined ? change(bytes) : (rewrite(bytes, number, (inner) => within(inner, rest)) ?? bytes);
  return within(resource, pathToMachine);
}

function localMachine(machine: Uint8Array, path: string): Uint8Array {
  const code = encode([1, encode([1, path])]);
  const local = rewrite(machine, 3, () => code) ?? machine;
  return rewrite(local, 7, withoutOwnVariables) ?? local;
}

/** A secret for pulling is none of the module's business. */
function withoutOwnVariables(variables: Uint8Array): Uint8Array | undefined {
  const isOwn = (entry: Uint8Array): boolean => readMessage(entry)?.text(1).startsWith('ISTIO_META_') === true;
  const left = rewrite(variables, 2, (entry) => (isOwn(entry) ? undefined : entry));
  return left?.length === 0 ? undefined : left;
}

/** RBAC without rules lets everything through; with empty ones, nothing. */
function defaultFilter(name: string, { rbac, prefixField }: Filter, passes: boolean): Uint8Array {
  const rules = passes ? undefined : new Uint8Array(0);
  const config = encode([1, rules], [prefixField, passes ? 'wasm-default-allow' : 'wasm-default-deny']);
  const typed = encode([1, rbac], [2, config]);
  return encode([1, extensionType], [2, encode([1, name], [2, typed])]);
}

/** What an address is called in the cache: an image without its tag or digest. */
export function moduleName(url: string): string {
  return url.startsWith('oci://') ? url.replace(/(?::[\w][\w.-]*)?(?:@sha256:[0-9a-f]+)?$/, '') : url;
}

/** Whether a new version of the extension asks its address again: by default only an image's `latest` changes. */
export function isRefreshed({ pullPolicy, url }: Pick<WantedModule, 'pullPolicy' | 'url'>): boolean {
  if (pullPolicy !== 'unspecified') return pullPolicy === 'always';
  return url.startsWith('oci://') && url.endsWith(':latest');
}
