// The ConfigMaps of an Istio revision, rendered from the chart in Istio's Go module: what its injector would be given.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  GoFunction,
  GoStruct,
  goYaml,
  parseTemplate,
  readYaml,
  sprig,
  type Template,
  type Value,
} from '../../src/core/gotemplate/index.ts';
import type { InjectorTexts } from '../../src/core/inject/index.ts';

export interface ChartOptions {
  /** Helm values by dotted path, as `--set` has them. */
  readonly set?: readonly string[];
  /** Values merged over the defaults. */
  readonly values?: Data;
  readonly revision?: string;
}

interface Data {
  [key: string]: unknown;
}

const module = 'istio.io/istio';
const chart = 'manifests/charts/istio-control/istio-discovery';

/** The folder of Istio's sources. @param goMod a go.mod that names the version */
export function istioSource(goMod: string): string {
  const version = new RegExp(`${module} (v\\S+)`).exec(readFileSync(goMod, 'utf8'))?.[1];
  const run = spawnSync('go', ['mod', 'download', '-json', `${module}@${version}`], {
    cwd: tmpdir(),
    encoding: 'utf8',
  });
  if (run.status !== 0)
    throw new Error(`go mod download ${module}@${version} failed: ${run.stderr || run.error?.message}`);
  return (JSON.parse(run.stdout) as { Dir: string }).Dir;
}

/** What the ConfigMaps of a revision hold. */
export function chartTexts(source: string, options: ChartOptions = {}): InjectorTexts {
  const folder = join(source, chart);
  const values = valuesOf(folder, options);
  const injector = configMap(folder, 'istiod-injector-configmap.yaml', values);
  const mesh = configMap(folder, 'configmap.yaml', values);
  return { config: String(injector['config']), values: String(injector['values']), mesh: String(mesh['mesh']) };
}

/** The values with the chart's own defaults below them, as its first two templates arrange. */
function valuesOf(folder: string, { set = [], values = {}, revision = '' }: ChartOptions): Data {
  const given = readYaml(readFileSync(join(folder, 'values.yaml'), 'utf8')) as Data;
  const root: Data = { ...release, Values: merge(merge(given, { revision }), values), Files: files(folder) };
  for (const pair of set) setPath(root['Values'] as Data, pair);
  for (const name of ['zzz_profile.yaml', 'zzy_descope_legacy.yaml']) load(folder, name).render(root as Value);
  return root['Values'] as Data;
}

const release: Data = {
  Release: { Name: 'istiod', Namespace: 'istio-system', Service: 'Helm' },
  Chart: { Name: 'istiod', Version: '1.0.0', AppVersion: '1.0.0' },
};

function configMap(folder: string, name: string, values: Data): Data {
  const text = load(folder, name).render({ ...release, Values: values, Files: files(folder) } as Value);
  return (readYaml(text.replace(/^---$/m, '')) as { data: Data }).data;
}

function load(folder: string, name: string): Template {
  const read = (file: string) => readFileSync(join(folder, 'templates', file), 'utf8');
  const profile = read('zzz_profile.yaml');
  // Everything below the profile's actions are definitions that other files use.
  const shared = name === 'zzz_profile.yaml' ? '' : profile.slice(profile.indexOf('{{- define'));
  const text = `${read('_helpers.tpl')}${shared}${read(name)}`;
  const template: Template = parseTemplate(text, { name, functions: { ...sprig, ...helmFunctions(() => template) } });
  return template;
}

/** What Helm adds to sprig, as far as the chart uses it. */
function helmFunctions(template: () => Template): Record<string, GoFunction> {
  return {
    include: new GoFunction(['string', 'any'], undefined, ([name, data]) => template().render(data, name as string)),
    toYaml: new GoFunction(['any'], undefined, ([value]) => (goYaml(value) ?? '').replace(/\n$/, '')),
    fromYaml: new GoFunction(['string'], undefined, ([text]) => readYaml(text as string) ?? {}),
  };
}

function files(folder: string): GoStruct {
  const get = new GoFunction(['string'], undefined, ([path]) => {
    try {
      return readFileSync(join(folder, path as string), 'utf8');
    } catch {
      return '';
    }
  });
  const type = {
    name: 'engine.files',
    field: () => undefined,
    method: (_data: unknown, name: string) => (name === 'Get' ? get : undefined),
  };
  return new GoStruct(type, {});
}

/** `components.cni.enabled=true` is the operator's spelling of a value. */
function setPath(values: Data, pair: string): void {
  const equals = pair.indexOf('=');
  const path = pair
    .slice(0, equals)
    .replace(/^components\.cni\.enabled$/, 'pilot.cni.enabled')
    .replace(/^values\./, '');
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let parent = values;
  for (const key of keys) {
    parent[key] = isMap(parent[key]) ? parent[key] : {};
    parent = parent[key] as Data;
  }
  parent[last] = scalar(pair.slice(equals + 1));
}

function scalar(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

function isMap(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A deep copy with the second's members over the first's. */
function merge(base: unknown, over: Data): Data {
  const result: Data = structuredClone(isMap(base) ? base : {});
  for (const [key, value] of Object.entries(over))
    result[key] = isMap(value) ? merge(result[key], value) : structuredClone(value);
  return result;
}
