// The types of a pod and of Istio's mesh configuration as tables: which fields there are, of which kind, how lists merge, and what
// Go calls them. Read from the generated texts at first use.
import { meshSchemaText } from './mesh-schema.ts';
import { podSchemaText } from './pod-schema.ts';

export type Scalar = 'string' | 'int' | 'bool' | 'float' | 'quantity' | 'intOrString' | 'time' | 'duration' | 'any';

export type Kind =
  | { readonly of: Scalar; readonly pointer: boolean }
  | { readonly of: 'enum'; readonly numbers: ReadonlyMap<string, number> }
  | { readonly of: 'list'; readonly item: Kind }
  | { readonly of: 'map'; readonly item: Kind }
  | { readonly of: 'struct'; readonly type: Type; readonly pointer: boolean };

export interface Field {
  readonly name: string;
  readonly goName: string;
  readonly kind: Kind;
  /** Encoded even when it is empty. */
  readonly always: boolean;
  /** How a strategic merge patch treats it: `merge`, `replace`, `retainKeys`. */
  readonly strategies: readonly string[];
  readonly mergeKey: string | undefined;
}

export interface Type {
  readonly name: string;
  /** In the order of the declaration. */
  readonly fields: ReadonlyMap<string, Field>;
  readonly byGoName: ReadonlyMap<string, Field>;
  /** Those that are always encoded. */
  readonly required: readonly Field[];
}

type Types = ReadonlyMap<string, Type>;

let pod: Types | undefined;
let mesh: Types | undefined;

/** A type of a pod: PodSpec, Container, ObjectMeta, … */
export function podType(name: string): Type {
  pod ??= parse(podSchemaText);
  return known(pod, name);
}

/** The type of a whole pod, as far as injection sees it. */
export function wholePod(): Type {
  return whole;
}

/** A message of the mesh configuration: MeshConfig, ProxyConfig, … */
export function meshType(name: string): Type {
  mesh ??= parse(meshSchemaText);
  return known(mesh, name);
}

function known(types: Types, name: string): Type {
  const type = types.get(name);
  if (type === undefined) throw new Error(`no type ${name} in the schema`);
  return type;
}

interface Draft {
  readonly name: string;
  readonly fields: Map<string, Field>;
  readonly byGoName: Map<string, Field>;
  readonly required: Field[];
}

function parse(text: string): Types {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
  const drafts = new Map<string, Draft>();
  for (const [name = ''] of lines) drafts.set(name, { name, fields: new Map(), byGoName: new Map(), required: [] });
  for (const [name = '', ...fields] of lines) for (const field of fields) addField(drafts, drafts.get(name), field);
  return drafts;
}

const form = /^([^:/]+)(?:\/([^:]+))?:([^!~@]+)(!)?(?:~([^@]+))?(?:@(.+))?$/;

function addField(drafts: ReadonlyMap<string, Draft>, draft: Draft | undefined, text: string): void {
  const [
    ,
    name = '',
    goName = `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    kind = '',
    always,
    strategies,
    mergeKey,
  ] = form.exec(text) ?? [];
  const field: Field = {
    name,
    goName,
    kind: kindOf(drafts, kind),
    always: always === '!',
    strategies: strategies?.split('+') ?? [],
    mergeKey,
  };
  if (field.always) draft?.required.push(field);
  draft?.fields.set(name, field);
  draft?.byGoName.set(goName, field);
}

const wrappers: Readonly<Record<string, Scalar>> = {
  BoolValue: 'bool',
  Int32Value: 'int',
  UInt32Value: 'int',
  Int64Value: 'int',
  UInt64Value: 'int',
  DoubleValue: 'float',
  StringValue: 'string',
  Duration: 'duration',
  Struct: 'any',
  Value: 'any',
};
const scalars: ReadonlySet<string> = new Set([
  'string',
  'int',
  'bool',
  'float',
  'quantity',
  'intOrString',
  'time',
  'any',
]);

function kindOf(drafts: ReadonlyMap<string, Draft>, text: string): Kind {
  if (text.startsWith('[]')) return { of: 'list', item: kindOf(drafts, text.slice(2)) };
  if (text.startsWith('{}')) return { of: 'map', item: kindOf(drafts, text.slice(2)) };
  if (text.startsWith('enum(')) return { of: 'enum', numbers: enumOf(text.slice(5, -1)) };
  const pointer = text.startsWith('*');
  const name = pointer ? text.slice(1) : text;
  const wrapped = wrappers[name];
  if (wrapped !== undefined) return { of: wrapped, pointer: true };
  if (scalars.has(name)) return { of: name as Scalar, pointer };
  const type = drafts.get(name);
  if (type === undefined) throw new Error(`no type ${name} in the schema`);
  return { of: 'struct', type, pointer };
}

function enumOf(text: string): ReadonlyMap<string, number> {
  return new Map(
    text.split(',').map((pair) => {
      const [name = '', number = ''] = pair.split('=');
      return [name, Number(number)] as const;
    }),
  );
}

const metadata: Field = {
  name: 'metadata',
  goName: 'ObjectMeta',
  kind: { of: 'struct', type: podType('ObjectMeta'), pointer: false },
  always: true,
  strategies: [],
  mergeKey: undefined,
};
const spec: Field = {
  ...metadata,
  name: 'spec',
  goName: 'Spec',
  kind: { of: 'struct', type: podType('PodSpec'), pointer: false },
};
const whole: Type = {
  name: 'Pod',
  fields: new Map([
    ['metadata', metadata],
    ['spec', spec],
  ]),
  byGoName: new Map([
    ['ObjectMeta', metadata],
    ['Spec', spec],
  ]),
  required: [metadata, spec],
};
