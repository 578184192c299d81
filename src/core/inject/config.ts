// What a revision's injector is made of: templates, values and mesh configuration, each parsed once. The texts are those of the
// ConfigMaps `istio-sidecar-injector-<rev>` (keys `config`, `values`) and `istio-<rev>` (key `mesh`), or of files.
import { GoTemplateError, parseTemplate, readYaml, type Template, YamlError } from '../gotemplate/index.ts';
import type { Selector } from '../injectors/index.ts';
import { isObject, type JsonObject, type JsonValue, objectAt, textAt } from '../std/json.ts';
import { ownJson } from '../std/own.ts';
import { InjectError } from './error.ts';
import { injectionFunctions } from './functions.ts';
import { type Mesh, parseMesh } from './mesh.ts';

/** A revision's injector, ready to render. Shared between requests: nothing in it is ever changed. */
export interface InjectorConfig {
  /** `enabled`, `disabled`; anything else injects nothing, as in Istio. */
  readonly policy: string;
  readonly defaultTemplates: readonly string[];
  readonly templates: ReadonlyMap<string, Template>;
  readonly aliases: ReadonlyMap<string, readonly string[]>;
  readonly neverInject: readonly Selector[];
  readonly alwaysInject: readonly Selector[];
  readonly injectedAnnotations: Readonly<Record<string, string>>;
  /** Helm values, frozen. */
  readonly values: JsonObject;
  readonly mesh: Mesh;
}

export interface InjectorTexts {
  /** The injector's configuration: policy, templates, selectors. */
  readonly config: string;
  /** Helm values, JSON or YAML. */
  readonly values: string;
  /** MeshConfig; empty for Istio's defaults. */
  readonly mesh: string;
}

/** @throws InjectError that names the text and the place that cannot be read */
export function parseInjector(texts: InjectorTexts): InjectorConfig {
  const config = readMap(texts.config, 'the injector configuration');
  return {
    policy: textAt(config, 'policy') ?? '',
    defaultTemplates: textsIn(config['defaultTemplates'], ['sidecar']),
    templates: parseTemplates(objectAt(config, 'templates')),
    aliases: new Map(Object.entries(objectAt(config, 'aliases')).map(([name, list]) => [name, textsIn(list, [])])),
    neverInject: selectorsIn(config['neverInjectSelector']),
    alwaysInject: selectorsIn(config['alwaysInjectSelector']),
    injectedAnnotations: objectAt(config, 'injectedAnnotations') as Record<string, string>,
    values: deepFreeze(readMap(texts.values, 'the values')),
    mesh: { config: deepFreeze(parseMesh(texts.mesh).config) },
  };
}

function readMap(text: string, what: string): JsonObject {
  try {
    const data = readYaml(text);
    if (data === null) return {};
    if (isObject(data)) return ownJson(data);
  } catch (error) {
    if (error instanceof YamlError) throw new InjectError(`${what}: ${error.message}`);
    throw error;
  }
  throw new InjectError(`${what}: not a map`);
}

function parseTemplates(texts: JsonObject): ReadonlyMap<string, Template> {
  const templates = new Map<string, Template>();
  for (const [name, text] of Object.entries(texts)) {
    if (typeof text !== 'string') throw new InjectError(`template ${name}: not a text`);
    templates.set(name, parseInjectionTemplate(name, text));
  }
  return templates;
}

function parseInjectionTemplate(name: string, text: string): Template {
  try {
    return parseTemplate(text, { name: 'inject', functions: injectionFunctions });
  } catch (error) {
    if (error instanceof GoTemplateError) throw new InjectError(`template ${name}: ${error.message}`);
    throw error;
  }
}

function textsIn(value: JsonValue | undefined, fallback: readonly string[]): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) return fallback;
  return value.filter((item) => typeof item === 'string');
}

function selectorsIn(value: JsonValue | undefined): readonly Selector[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}

/** A value deep in a map: `valueAt(values, 'global', 'proxy', 'image')`; undefined where the way ends. */
export function valueAt(values: JsonObject, ...path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = values;
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}
