// Expressions compiled to closures: pipelines, commands, operands, fields and calls.
import { accept, checkCount, goName, guarded, nilOf } from './accept.ts';
import type { Command, NumberConstant, Operand, Pipe } from './ast.ts';
import { textOf } from './ast.ts';
import { goQuote } from './quote.ts';
import {
  type Compiler,
  declare,
  type Evaluate,
  type MissingKey,
  none,
  type Place,
  placeAgain,
  placeOf,
  type Stage,
  type State,
  slotOf,
  step,
} from './run.ts';
import {
  Enum,
  entryOf,
  type GoFunction,
  type GoMap,
  GoStruct,
  kindOf,
  type ParameterKind,
  StringMap,
  truth,
  typeName,
  type Value,
} from './value.ts';

export function pipeline(compiler: Compiler, pipe: Pipe): Evaluate {
  const evaluate = stages(compiler, pipe);
  const [name] = pipe.declares;
  if (name === undefined) return evaluate;
  const slot = pipe.assigns ? slotOf(compiler, name) : declare(compiler, name);
  const place = placeOf(compiler, pipe.at, textOf(pipe));
  return (state, dot) => {
    const value = evaluate(state, dot);
    if (slot < 0) throw place(`undefined variable: ${name}`);
    state.vars[slot] = value;
    return value;
  };
}

/** A pipeline without its declaration. A nil interface leaves it as an invalid value. */
export function stages(compiler: Compiler, pipe: Pipe): Evaluate {
  const [first, ...rest] = pipe.commands.map((each) => command(compiler, each));
  if (first === undefined) return () => undefined;
  if (rest.length === 0) return (state, dot) => first(state, dot, none) ?? undefined;
  return (state, dot) => {
    let value = first(state, dot, none) ?? undefined;
    for (const stage of rest) value = stage(state, dot, value) ?? undefined;
    return value;
  };
}

function command(compiler: Compiler, node: Command): Stage {
  const [head, ...args] = node.operands;
  if (head === undefined) return () => undefined;
  if (head.kind === 'function') return call(compiler, head, args);
  if (head.kind === 'field' || head.kind === 'chain' || (head.kind === 'variable' && head.path.length > 0)) {
    return path(compiler, head, args);
  }
  const place = placeOf(compiler, head.at, textOf(head));
  if (head.kind === 'nil') {
    return () => {
      throw place('nil is not a command');
    };
  }
  const evaluate = operand(compiler, head);
  return (state, dot, final) => {
    if (args.length > 0 || final !== none) throw place(`can't give argument to non-function ${textOf(head)}`);
    return evaluate(state, dot);
  };
}

/** An operand where its type is free. */
function operand(compiler: Compiler, node: Operand): Evaluate {
  switch (node.kind) {
    case 'dot':
      return (_state, dot) => dot;
    case 'nil':
      return () => null;
    case 'bool':
    case 'string': {
      const { value } = node;
      return () => value;
    }
    case 'number':
      return constant(compiler, node);
    case 'function': {
      const stage = call(compiler, node, []);
      return (state, dot) => stage(state, dot, none);
    }
    case 'pipe':
      return pipeline(compiler, node);
    case 'variable':
      if (node.path.length === 0) return variable(compiler, node);
      break;
    case 'field':
    case 'chain':
      break;
  }
  const stage = path(compiler, node, []);
  return (state, dot) => stage(state, dot, none);
}

function variable(compiler: Compiler, node: Operand & { readonly kind: 'variable' }): Evaluate {
  const slot = slotOf(compiler, node.name);
  if (slot >= 0) return (state) => state.vars[slot];
  const place = placeOf(compiler, node.at, node.name);
  return () => {
    throw place(`undefined variable: ${node.name}`);
  };
}

/** A constant takes its type from its form: a point or an exponent makes a float. */
function constant(compiler: Compiler, node: NumberConstant): Evaluate {
  const { text, float, int } = node;
  const floating = !text.startsWith("'") && (/^[+-]?0[xX]/.test(text) ? /[pP.]/.test(text) : /[.eEpP]/.test(text));
  if (floating) return () => float;
  if (int !== undefined) return () => int;
  const place = placeOf(compiler, node.at, text);
  return () => {
    throw place(`${text} overflows int`);
  };
}

type Path = Operand & { readonly kind: 'field' | 'chain' | 'variable' };

/** `.A.B`, `$x.A`, `(pipeline).A`; only the last name may be a method with arguments. */
function path(compiler: Compiler, node: Path, args: readonly Operand[]): Stage {
  const place = placeOf(compiler, node.at, textOf(node));
  if (node.kind === 'chain' && node.of.kind === 'nil') {
    return () => {
      throw place(`indirection through explicit nil in ${textOf(node)}`);
    };
  }
  const start = startOf(compiler, node);
  const names = node.path.slice(0, -1);
  const last = node.path.at(-1) ?? '';
  const access = { compiler, place, missingKey: compiler.source.missingKey };
  const inner = names.map((name, i) => field({ ...access, nested: i > 0 }, name, []));
  const final = field({ ...access, nested: names.length > 0 }, last, args);
  return (state, dot, value) => {
    let receiver = start(state, dot);
    for (const get of inner) receiver = get(state, dot, { receiver, final: none });
    return final(state, dot, { receiver, final: value });
  };
}

function startOf(compiler: Compiler, node: Path): Evaluate {
  if (node.kind === 'field') return (_state, dot) => dot;
  if (node.kind === 'variable') return variable(compiler, node);
  return operand(compiler, node.of);
}

interface Access {
  readonly compiler: Compiler;
  readonly place: Place;
  readonly missingKey: MissingKey;
  /** After another field: Go knows the value as an interface{} then. */
  readonly nested: boolean;
}

interface Target {
  readonly receiver: Value;
  readonly final: Value | typeof none;
}

type Field = (state: State, dot: Value, target: Target) => Value;

function field(access: Access, name: string, args: readonly Operand[]): Field {
  const { place, missingKey, compiler } = access;
  const bare = args.length === 0;
  const evaluates = args.map((arg) => argument(compiler, arg, 'value'));
  return (state, dot, { receiver, final }) => {
    if (receiver === undefined) {
      if (missingKey === 'error') throw place(`nil data; no entry for key ${goQuote(name)}`);
      return undefined;
    }
    if (receiver === null) throw place(`nil pointer evaluating interface {}.${name}`);
    if (receiver instanceof Enum && name === 'String' && bare && final === none) return receiver.text;
    if (!(receiver instanceof GoStruct)) return mapField(access, receiver, name, bare && final === none);
    const method = receiver.type.method?.(receiver.data, name);
    if (method === undefined) return structField(access, receiver, name, bare && final === none);
    const given = evaluates.map((evaluate) => evaluate(state, dot));
    return callMethod(method, name, final === none ? given : [...given, final], place);
  };
}

function callMethod(method: GoFunction, name: string, given: readonly Value[], place: Place): Value {
  checkCount(method, name, { args: given.length, final: false }, place);
  const values = given.map((value, i) => accept(value, method.parameters[i] ?? method.variadic ?? 'value', place));
  return guarded(method, name, values, place);
}

function structField({ place }: Access, receiver: GoStruct, name: string, bare: boolean): Value {
  const { type, data } = receiver;
  if (data === null) throw place(`nil pointer evaluating ${type.name}.${name}`);
  const found = type.field(data, name);
  if (found === undefined) throw place(`can't evaluate field ${name} in type ${type.name}`);
  if (!bare) throw place(`${name} has arguments but cannot be invoked as function`);
  return found.value;
}

function mapField({ place, missingKey, nested }: Access, receiver: Value, name: string, bare: boolean): Value {
  const kind = kindOf(receiver);
  if (kind !== 'map' && kind !== 'strmap') {
    throw place(`can't evaluate field ${name} in type ${nested ? 'interface {}' : typeName(receiver)}`);
  }
  if (!bare) throw place(`${name} is not a method but has arguments`);
  const entries = receiver instanceof StringMap ? receiver.entries : (receiver as GoMap);
  const value = entryOf(entries, name);
  if (value !== undefined) return value;
  if (missingKey === 'invalid') return undefined;
  if (missingKey === 'zero') return kind === 'strmap' ? '' : null;
  throw place(`map has no entry for key ${goQuote(name)}`);
}

function call(compiler: Compiler, node: Operand & { readonly kind: 'function' }, args: readonly Operand[]): Stage {
  const { name } = node;
  const method = compiler.source.functions[name];
  const place = placeOf(compiler, node.at, name);
  if (method === undefined) {
    return () => {
      throw place(`${goQuote(name)} is not a defined function`);
    };
  }
  if (name === 'and' || name === 'or') return shortCircuit(compiler, name, args, place);
  return callFunction({ compiler, method, name, args, place });
}

function shortCircuit(compiler: Compiler, name: 'and' | 'or', args: readonly Operand[], place: Place): Stage {
  const evaluates = args.map((arg) => argument(compiler, arg, 'value'));
  return (state, dot, final) => {
    step(state, place);
    if (args.length === 0 && final === none) throw place(`wrong number of args for ${name}: want at least 1 got 0`);
    let value: Value;
    for (const evaluate of evaluates) {
      value = evaluate(state, dot);
      if (truth(value) === (name === 'or')) return value;
    }
    return final === none ? value : final;
  };
}

interface Call {
  readonly compiler: Compiler;
  readonly method: GoFunction;
  readonly name: string;
  readonly args: readonly Operand[];
  readonly place: Place;
}

function callFunction({ compiler, method, name, args, place }: Call): Stage {
  const { parameters, variadic } = method;
  const kinds = args.map((_arg, i) => parameters[i] ?? variadic ?? 'value');
  const evaluates = args.map((arg, i) => argument(compiler, arg, kinds[i] ?? 'value'));
  const finalKind = parameters[args.length] ?? variadic ?? 'value';
  const text = args.length === 0 ? name : `${name} ${args.map((arg) => textOf(arg)).join(' ')}`;
  const whole = placeAgain(place, text);
  return (state, dot, final) => {
    step(state, place);
    checkCount(method, name, { args: args.length, final: final !== none }, place);
    const values: Value[] = [];
    for (const evaluate of evaluates) values.push(evaluate(state, dot));
    if (final !== none) values.push(accept(final, finalKind, place));
    return guarded(method, name, values, whole);
  };
}

/** An operand where a parameter says its type: constants take it, everything else must have it. */
function argument(compiler: Compiler, node: Operand, kind: ParameterKind): Evaluate {
  const place = placeOf(compiler, node.at, textOf(node));
  if (node.kind === 'nil') return nilArgument(kind, place);
  if (node.kind === 'bool' || node.kind === 'string' || node.kind === 'number') {
    return constantArgument(compiler, node, kind, place);
  }
  const evaluate = operand(compiler, node);
  if (kind === 'value') return evaluate;
  return (state, dot) => accept(evaluate(state, dot), kind, place);
}

function nilArgument(kind: ParameterKind, place: Place): Evaluate {
  const nil = nilOf(kind);
  if (nil !== undefined) return () => nil.value;
  return () => {
    throw place(`cannot assign nil to ${goName[kind]}`);
  };
}

type Constant = Operand & { readonly kind: 'bool' | 'string' | 'number' };

function constantArgument(compiler: Compiler, node: Constant, kind: ParameterKind, place: Place): Evaluate {
  if (kind === 'value' || kind === 'any') return operand(compiler, node);
  if (node.kind === 'number') {
    const { int, float } = node;
    if (kind === 'int' && int !== undefined) return () => int;
    if (kind === 'float' && float !== undefined) return () => float;
  } else if (kind === node.kind) return operand(compiler, node);
  const expected: Partial<Record<ParameterKind, string>> = {
    bool: 'bool',
    string: 'string',
    int: 'integer',
    float: 'float',
  };
  const word = expected[kind];
  const text = textOf(node);
  return () => {
    throw place(
      word === undefined ? `can't handle ${text} for arg of type ${goName[kind]}` : `expected ${word}; found ${text}`,
    );
  };
}
