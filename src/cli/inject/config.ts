// The injector of each revision for `fairway inject`: from the files that the flags name, else Fairway's own template with what fairway.yml
// says about the revision.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Fleet } from '../../core/fleet/index.ts';
import { type Json, readYaml, YamlError } from '../../core/gotemplate/index.ts';
import {
  defaultConfigText,
  defaultValuesText,
  InjectError,
  type InjectorConfig,
  type InjectorTexts,
  parseInjector,
} from '../../core/inject/index.ts';
import { SpecError, UsageError } from '../../core/std/errors.ts';
import type { Io } from '../io.ts';
import type { InjectFlags } from './flags.ts';

/** Gives the injector of a revision; each is parsed once. @throws UsageError, SpecError */
export function injectors(flags: InjectFlags, fleet: Fleet | undefined, io: Io): (revision: string) => InjectorConfig {
  const read = (name: string | undefined) => (name === undefined ? undefined : readText(name, io));
  const files: Files = { template: read(flags.template), values: read(flags.values), mesh: read(flags.meshConfig) };
  const known = new Map<string, InjectorConfig>();
  return (revision) => {
    const found = known.get(revision) ?? parsed(textsFor(revision, files, { flags, fleet }), flags);
    known.set(revision, found);
    return found;
  };
}

interface Files {
  readonly template: string | undefined;
  readonly values: string | undefined;
  readonly mesh: string | undefined;
}

interface Setting {
  readonly flags: InjectFlags;
  readonly fleet: Fleet | undefined;
}

function readText(name: string, io: Io): string {
  try {
    return readFileSync(resolve(io.cwd, name), 'utf8');
  } catch {
    throw new UsageError(`${name}: cannot be read`);
  }
}

function parsed(texts: InjectorTexts, { template, values, meshConfig }: InjectFlags): InjectorConfig {
  try {
    return parseInjector(texts);
  } catch (error) {
    if (!(error instanceof InjectError)) throw error;
    const file = [template, values, meshConfig].filter((name) => name !== undefined).join(', ');
    throw new SpecError([
      { code: 'injector-invalid', severity: 'error', message: error.message, ...(file === '' ? {} : { file }) },
    ]);
  }
}

function textsFor(revision: string, { template, values, mesh }: Files, setting: Setting): InjectorTexts {
  const data = template === undefined ? undefined : configMapData(template);
  const discovery = discoveryOf(revision, setting.fleet);
  const config = template === undefined ? defaultConfigText() : (data?.['config'] ?? asConfig(template));
  return {
    config,
    values:
      values === undefined
        ? (data?.['values'] ?? ownValues(revision, discovery, setting))
        : (configMapData(values)?.['values'] ?? values),
    mesh:
      mesh === undefined
        ? JSON.stringify({ defaultConfig: { discoveryAddress: discovery } })
        : (configMapData(mesh)?.['mesh'] ?? mesh),
  };
}

function discoveryOf(revision: string, fleet: Fleet | undefined): string {
  const suffix = revision === '' || revision === 'default' ? '' : `-${revision}`;
  return fleet?.revisions?.get(revision)?.discoveryAddress ?? `istiod${suffix}.istio-system.svc:15012`;
}

function ownValues(revision: string, discovery: string, { flags, fleet }: Setting): string {
  const image = flags.proxyImage ?? fleet?.revisions?.get(revision)?.proxyImage;
  if (image === undefined) {
    throw new UsageError(`the proxy's image of revision ${revision === '' ? 'default' : revision} is not known`, {
      hint: 'give --proxy-image, --values, or revisions.<name>.proxyImage in fairway.yml',
    });
  }
  return defaultValuesText({ image, discovery, revision });
}

/** The `data` of a ConfigMap's text; undefined where the text is none. */
function configMapData(text: string): Readonly<Record<string, string>> | undefined {
  const object = mapOf(text);
  return object?.['kind'] === 'ConfigMap' ? (object['data'] as Readonly<Record<string, string>>) : undefined;
}

/** An injector configuration has `templates`; anything else is a template by itself. */
function asConfig(text: string): string {
  if (mapOf(text)?.['templates'] !== undefined) return text;
  return JSON.stringify({ policy: 'enabled', defaultTemplates: ['sidecar'], templates: { sidecar: text } });
}

function mapOf(text: string): Readonly<Record<string, Json>> | undefined {
  try {
    const data = readYaml(text);
    return typeof data === 'object' && data !== null && !Array.isArray(data)
      ? (data as Readonly<Record<string, Json>>)
      : undefined;
  } catch (error) {
    if (error instanceof YamlError) return undefined;
    throw error;
  }
}
