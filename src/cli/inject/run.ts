// One run of `fairway inject`: reads every source, injects every object, and puts all out, or nothing and every problem.
import type { Fleet } from '../../core/fleet/index.ts';
import { goJson, goYaml } from '../../core/gotemplate/index.ts';
import {
  InjectError,
  type InjectorConfig,
  indexProxyConfigs,
  injectWorkload,
  itemsOf,
  type JsonObject,
  type ProxyConfigResource,
  type ProxyConfigs,
  type ProxyLifecycle,
  proxyConfigResource,
} from '../../core/inject/index.ts';
import { type Edit, editedText, encodeUtf8, readPlain, transformStream } from '../../core/manifest/index.ts';
import { ManifestError, type Problem, SpecError, UsageError } from '../../core/std/errors.ts';
import { revisionNameTrouble } from '../../core/std/revision-name.ts';
import { visible } from '../../core/std/visible.ts';
import type { Io } from '../io.ts';
import { findFiles, readSource, type Source } from '../mutate/sources.ts';
import { print } from '../mutate/write.ts';
import { loadFleetFile } from '../rollout-files.ts';
import { injectors } from './config.ts';
import type { InjectFlags } from './flags.ts';

interface Run {
  readonly flags: InjectFlags;
  readonly fleet: Fleet | undefined;
  readonly configOf: (revision: string) => InjectorConfig;
  readonly proxyConfigs: ProxyConfigs;
  readonly problems: Problem[];
  readonly talk: string[];
  readonly counts: { injected: number; workloads: number };
}

/** @throws UsageError, SpecError, ManifestError: then nothing was put out */
export async function run(paths: readonly string[], flags: InjectFlags, io: Io): Promise<void> {
  check(paths, flags, io);
  const fleet = await loadFleetFile(flags.fleet === undefined ? {} : { fleet: flags.fleet }, io);
  const sources: Source[] = [];
  for (const file of await findFiles(paths.length === 0 ? ['-'] : paths, io.cwd))
    sources.push(await readSource(file, io, flags.maxBytes));
  const state: Run = {
    flags,
    fleet,
    proxyConfigs: indexProxyConfigs(sources.flatMap((source) => proxyConfigsIn(source, flags.namespace))),
    configOf: injectors(flags, fleet, io),
    problems: [],
    talk: [],
    counts: { injected: 0, workloads: 0 },
  };
  const outputs = sources.map((source) => injectSource(source, state));
  if (state.problems.some(({ severity }) => severity === 'error')) throw new ManifestError(state.problems);
  for (const line of state.talk) io.stderr.write(`${visible(line)}\n`);
  io.stderr.write(`fairway inject: ${state.counts.injected} of ${state.counts.workloads} workloads injected\n`);
  await print([flags.output === 'json' ? outputs.join('') : joined(outputs)], io.stdout);
}

function check(paths: readonly string[], { revision = '' }: InjectFlags, io: Io): void {
  if (paths.length === 0 && io.stdin.isTTY === true) {
    throw new UsageError('nothing to read', { hint: 'name files or folders, or pipe manifests in' });
  }
  // The empty one is the control plane without a name, as Istio's own injector takes it.
  const trouble = revision === '' ? undefined : revisionNameTrouble(revision);
  if (trouble !== undefined) throw new SpecError([{ severity: 'error', ...trouble }]);
}

/** ProxyConfig resources among what is read, wherever they stand: they count for every workload. */
function proxyConfigsIn(source: Source, namespace = ''): readonly ProxyConfigResource[] {
  if (source.indexOf('ProxyConfig', 0) === -1) return [];
  const found: ProxyConfigResource[] = [];
  // Problems of the text are told when it is injected.
  transformStream(source, ({ tape }) => {
    const value = readPlain(tape, 0) as JsonObject | null;
    for (const item of value === null ? [] : itemsOf(value)) {
      const read = isProxyConfig(item) ? proxyConfigResource(item) : undefined;
      if (read !== undefined) found.push({ ...read, namespace: read.namespace || namespace });
    }
    return [];
  });
  return found;
}

function isProxyConfig({ kind, apiVersion }: JsonObject): boolean {
  return kind === 'ProxyConfig' && typeof apiVersion === 'string' && apiVersion.startsWith('networking.istio.io/');
}

/** A source's text with its injected documents in it, as bytes. */
function injectSource(source: Source, state: Run): string {
  const edits: Edit[] = [];
  const whole: string[] = [];
  const { problems } = transformStream(source, (document) => {
    const { start, end, number } = document;
    const value = readPlain(document.tape, 0) as JsonObject | null;
    const place: Place = { source, document: number, state };
    const result = value === null ? undefined : injectDocument(value, place);
    const changed = result !== undefined && result !== value;
    const isJson = source.slice(start, end).trimStart().startsWith('{');
    const format = state.flags.output ?? (isJson ? 'json' : 'yaml');
    if (state.flags.output !== undefined) whole.push(write(result ?? value, format));
    else if (changed) {
      // Whole, but for the comments above it: Helm writes there which file a document comes from.
      const at = start + (format === 'yaml' ? (leading.exec(source.slice(start, end))?.[0].length ?? 0) : 0);
      edits.push({ at, remove: end - at, insert: write(result, format) });
    }
    return [];
  });
  state.problems.push(...problems.map((problem) => ({ ...problem, file: source.name })));
  if (state.flags.output === undefined) return editedText(source, edits);
  return whole.join(state.flags.output === 'yaml' ? '---\n' : '');
}

/** Lines of comments and blank ones before the first content. */
const leading = /^(?:[ \t]*(?:#[^\n]*)?\n)*/;

interface Place {
  readonly source: Source;
  readonly document: number;
  readonly state: Run;
}

/** The document with what it holds injected; the same object where nothing is. */
function injectDocument(object: JsonObject, place: Place): JsonObject {
  const items = object['items'];
  if (object['kind'] !== 'List' || !Array.isArray(items)) return injectOne(object, place);
  const injected = (items as JsonObject[]).map((item) => injectOne(item, place));
  return injected.every((item, i) => item === items[i]) ? object : { ...object, items: injected };
}

function injectOne(object: JsonObject, place: Place): JsonObject {
  const { state } = place;
  const { flags, fleet } = state;
  const revision = flags.revision ?? labelOf(object) ?? '';
  try {
    const result = injectWorkload({
      config: state.configOf(revision),
      revision,
      object,
      namespace: flags.namespace ?? '',
      nativeSidecars: isNative(flags, fleet),
      compat: flags.compat ?? 'fairway',
      lifecycle: lifecycleOf(fleet),
      proxyConfigs: state.proxyConfigs,
      ...(flags.compliancePolicy === undefined ? {} : { compliancePolicy: flags.compliancePolicy }),
    });
    if (result.kind !== 'other') state.counts.workloads++;
    if (result.kind === 'skipped') tell(place, object, `note: not injected (${result.because})`);
    for (const warning of result.kind === 'other' ? [] : result.warnings) tell(place, object, `warning: ${warning}`);
    if (result.kind !== 'injected') return object;
    state.counts.injected++;
    return result.object;
  } catch (error) {
    if (!(error instanceof InjectError)) throw error;
    const { source, document } = place;
    state.problems.push({
      code: 'inject-refused',
      severity: 'error',
      message: `${nameOf(object)}: ${error.message}`,
      file: source.name,
      document,
    });
    return object;
  }
}

/** Native sidecars are stable from Kubernetes 1.33. */
const firstNativeMinor = 33;

function isNative({ nativeSidecars }: InjectFlags, fleet: Fleet | undefined): boolean {
  if (nativeSidecars !== undefined) return nativeSidecars === 'true';
  return (fleet?.kubernetesMinor ?? firstNativeMinor) >= firstNativeMinor;
}

function lifecycleOf(fleet: Fleet | undefined): ProxyLifecycle {
  const minor = fleet?.kubernetesMinor;
  return {
    ...(fleet?.lifecycle as ProxyLifecycle | undefined),
    ...(minor === undefined ? {} : { kubernetesMinor: minor }),
  };
}

/** The revision that a pod template is labelled with. */
function labelOf(object: JsonObject): string | undefined {
  const own =
    object['kind'] === 'CronJob'
      ? memberOf(object, 'spec', 'jobTemplate', 'spec', 'template')
      : memberOf(object, 'spec', 'template');
  const template = object['kind'] === 'Pod' ? object : own;
  const label = memberOf(template, 'metadata', 'labels', 'istio.io/rev');
  return typeof label === 'string' ? label : undefined;
}

function memberOf(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined),
    value,
  );
}

function nameOf(object: JsonObject): string {
  const name = memberOf(object, 'metadata', 'name');
  return `${typeof object['kind'] === 'string' ? object['kind'] : 'object'}/${typeof name === 'string' ? name : ''}`;
}

function tell({ source, document, state }: Place, object: JsonObject, text: string): void {
  const [severity, ...rest] = text.split(': ');
  state.talk.push(`${source.name}: ${severity}: document ${document}: ${nameOf(object)}: ${rest.join(': ')}`);
}

function write(value: JsonObject | null, format: 'yaml' | 'json'): string {
  if (format === 'yaml') return encodeUtf8(goYaml(value) ?? '');
  return encodeUtf8(`${goJson(value, { indent: 2, raw: true }) ?? ''}\n`);
}

/** The sources one after the other, with a separator between two. */
function joined(outputs: readonly string[]): string {
  return outputs.reduce((all, next) => (all === '' ? next : `${all}${all.endsWith('\n') ? '' : '\n'}---\n${next}`), '');
}
