// The types of another program as tables: which fields there are, of which kind, how lists merge, and what Go calls them. One type
// a line: NAME, then each field as JSONNAME[/GONAME]:KIND[!][~STRATEGY][@MERGEKEY].

import { InvariantError } from '../std/errors.ts';

/** `int64`: a number that protobuf's JSON writes as text. */
export type Scalar =
  | 'string'
  | 'int'
  | 'int64'
  | 'bool'
  | 'float'
  | 'quantity'
  | 'intOrString'
  | 'time'
  | 'duration'
  | 'any';

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

export type Types = ReadonlyMap<string, Type>;

interface Draft {
  readonly name: string;
  readonly fields: Map<string, Field>;
  readonly byGoName: Map<string, Field>;
  readonly required: Field[];
}

/** The types of a text, by name. */
export function parseTypes(text: string): Types {
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
  Int64Value: 'int64',
  UInt64Value: 'int64',
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
  if (type === undefined) throw new InvariantError(`no type ${name} in the schema`);
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

/** A type that the tables are known to have. */
export function knownType(types: Types, name: string): Type {
  const type = types.get(name);
  if (type === undefined) throw new InvariantError(`no type ${name} in the schema`);
  return type;
}
