// The door: Go's text/template in plain code. `parseTemplate` once, `render` as often as one likes; errors are GoTemplateError
// with the line of the template. Semantics: https://pkg.go.dev/text/template, tested against the real one by test/agree.
import { builtins } from './builtins.ts';
import { compile } from './compile.ts';
import { parse } from './parse.ts';
import type { Limits, MissingKey } from './run.ts';
import type { GoFunction, Value } from './value.ts';

export { CallError, failCall, GoTemplateError } from './error.ts';
export { sprintOne } from './format.ts';
export { goJson, parseJson } from './json.ts';
export { sprig } from './sprig/index.ts';
export { Enum, GoFunction, type GoMap, GoStruct, StringMap, type StructType, type Value } from './value.ts';
export { goYaml } from './yaml.ts';
export { type Json, YamlError } from './yaml-cursor.ts';
export { itemMemory } from './yaml-memory.ts';
export { readYaml } from './yaml-read.ts';

export interface Template {
  /** The text of a run over the data; a template of the set by name, without it the whole text. */
  readonly render: (data: Value, name?: string) => string;
}

export interface TemplateOptions {
  readonly name: string;
  /** Functions beside Go's own. */
  readonly functions?: Readonly<Record<string, GoFunction>>;
  readonly missingKey?: MissingKey;
  readonly limits?: Partial<Limits>;
}

const defaultLimits: Limits = { steps: 1_000_000, depth: 200, output: 4_000_000 };

/** Parses and compiles a template with all that it defines. Throws GoTemplateError. */
export function parseTemplate(text: string, options: TemplateOptions): Template {
  const functions = { ...builtins, ...options.functions };
  const { name, missingKey = 'invalid' } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const trees = parse(name, text, { has: (word) => Object.hasOwn(functions, word) });
  const run = compile({ name, text, functions, missingKey }, trees);
  return { render: (data, template = name) => run(template, data, limits) };
}
