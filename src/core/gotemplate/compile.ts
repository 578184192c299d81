// The interpreter: a syntax tree becomes a tree of closures once, and each run gives them a fresh state. A run is bounded in
// steps, in depth of templates and in output, so that no template can hold an admission request for long.

import { compareCodePoints } from '../std/order.ts';
import type { Branch, Command, NumberConstant, Operand, Pipe, Statement } from './ast.ts';
import { textOf } from './ast.ts';
import { CallError, GoTemplateError } from './error.ts';
import { sprintOne } from './format.ts';
import { goQuote } from './quote.ts';
import {
  byteLength,
  entryOf,
  GoFunction,
  type GoMap,
  GoStruct,
  kindOf,
  type ParameterKind,
  StringMap,
  truth,
  typeName,
  type Value,
} from './value.ts';

export interface Limits {
  /** Statements, calls and iterations of one run. */
  readonly steps: number;
  /** Templates within templates. */
  readonly depth: number;
  /** UTF-16 units of one run's output. */
  readonly output: number;
}

/** What a field of a map gives when its key is not there. */
export type MissingKey = 'invalid' | 'zero' | 'error';

export interface Source {
  readonly name: string;
  readonly text: string;
  readonly functions: Readonly<Record<string, GoFunction>>;
  readonly missingKey: MissingKey;
}

interface State {
  readonly out: string[];
  readonly limits: Limits;
  vars: Value[];
  steps: number;
  size: number;
  depth: number;
  /** Set by break and continue until the loop takes it. */
  jump: 'break' | 'continue' | undefined;
}

type Run = (state: State, dot: Value) => void;
type Evaluate = (state: State, dot: Value) => Value;
/** A command or operand that may get the value of the pipeline's stage before it. */
type Stage = (state: State, dot: Value, final: Value | typeof none) => Value;

const none = Symbol('no value from an earlier stage');

interface Body {
  readonly run: Run;
  readonly slots: number;
}

interface Compiler {
  readonly source: Source;
  readonly template: string;
  readonly bodies: Map<string, Body>;
  /** Variables in scope, each with its slot; `$` has slot 0. */
  scope: { readonly name: string; readonly slot: number }[];
  slots: number;
}

/** Compiles every template of a set. The result runs the one that is named. */
export function compile(
  source: Source,
  trees: ReadonlyMap<string, readonly Statement[]>,
): (name: string, data: Value, limits: Limits) => string {
  const bodies = new Map<string, Body>();
  for (const [template, statements] of trees) {
    const compiler: Compiler = { source, template, bodies, scope: [{ name: '$', slot: 0 }], slots: 1 };
    const run = list(compiler, statements);
    bodies.set(template, { run, slots: compiler.slots });
  }
  return (name, data, limits) => {
    const body = bodies.get(name);
    if (body === undefined) throw new GoTemplateError(`template: no template ${goQuote(name)}`);
    const state: State = { out: [], limits, vars: [data], steps: 0, size: 0, depth: 0, jump: undefined };
    body.run(state, data);
    return state.out.join('');
  };
}

function list(compiler: Compiler, statements: readonly Statement[]): Run {
  const runs = statements.map((each) => statement(compiler, each));
  if (runs.length === 1 && runs[0] !== undefined) return runs[0];
  return (state, dot) => {
    for (const run of runs) {
      run(state, dot);
      if (state.jump !== undefined) return;
    }
  };
}

/** A list whose variables are gone after it. */
function scoped(compiler: Compiler, statements: readonly Statement[]): Run {
  const outer = compiler.scope.length;
  const run = list(compiler, statements);
  compiler.scope.length = outer;
  return run;
}

function statement(compiler: Compiler, node: Statement): Run {
  switch (node.kind) {
    case 'text':
      return textStatement(compiler, node.text, node.at);
    case 'action':
      return action(compiler, node.pipe);
    case 'if':
    case 'with':
      return condition(compiler, node);
    case 'range':
      return range(compiler, node);
    case 'break':
    case 'continue': {
      const { kind } = node;
      return (state) => {
        state.jump = kind;
      };
    }
    case 'template':
      return invoke(compiler, node);
  }
}

function textStatement(compiler: Compiler, text: string, at: number): Run {
  const place = placeOf(compiler, at, text.slice(0, 20));
  return (state) => write(state, text, place);
}

function write(state: State, text: string, place: Place): void {
  step(state, place);
  state.size += text.length;
  if (state.size > state.limits.output) throw place(`output exceeds ${state.limits.output} characters`);
  state.out.push(text);
}

function step(state: State, place: Place): void {
  if (++state.steps > state.limits.steps) throw place(`exceeded ${state.limits.steps} steps`);
}

function action(compiler: Compiler, pipe: Pipe): Run {
  const evaluate = pipeline(compiler, pipe);
  const place = placeOf(compiler, pipe.at, textOf(pipe));
  if (pipe.declares.length > 0) {
    return (state, dot) => {
      step(state, place);
      evaluate(state, dot);
    };
  }
  return (state, dot) => write(state, printed(evaluate(state, dot), place), place);
}

function printed(value: Value, place: Place): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '<no value>';
  if (value instanceof GoFunction) throw place(`can't print function of type ${typeName(value)}`);
  return sprintOne(value);
}

function condition(compiler: Compiler, node: Branch): Run {
  const outer = compiler.scope.length;
  const evaluate = pipeline(compiler, node.pipe);
  const body = scoped(compiler, node.body);
  const otherwise = node.otherwise === undefined ? undefined : scoped(compiler, node.otherwise);
  compiler.scope.length = outer;
  const moves = node.kind === 'with';
  const place = placeOf(compiler, node.at, textOf(node.pipe));
  return (state, dot) => {
    step(state, place);
    const value = evaluate(state, dot);
    if (truth(value)) body(state, moves ? value : dot);
    else otherwise?.(state, dot);
  };
}

interface Loop {
  readonly body: Run;
  /** Slots of the index and the element; undefined where the loop names neither. */
  readonly index: number | undefined;
  readonly element: number | undefined;
  readonly place: Place;
}

function range(compiler: Compiler, node: Branch): Run {
  const outer = compiler.scope.length;
  const { pipe } = node;
  const evaluate = stages(compiler, pipe);
  const slots = pipe.declares.map((name) => (pipe.assigns ? slotOf(compiler, name) : declare(compiler, name)));
  const [first, second] = slots;
  const body = scoped(compiler, node.body);
  const otherwise = node.otherwise === undefined ? undefined : scoped(compiler, node.otherwise);
  compiler.scope.length = outer;
  const place = placeOf(compiler, node.at, textOf(pipe));
  const loop: Loop = { body, index: second === undefined ? undefined : first, element: second ?? first, place };
  return (state, dot) => {
    step(state, place);
    const value = evaluate(state, dot);
    for (const [i, slot] of slots.entries()) {
      if (slot < 0) throw place(`undefined variable: ${pipe.declares[i]}`);
      state.vars[slot] = value;
    }
    if (!iterate(state, value, loop)) otherwise?.(state, dot);
  };
}

/** Runs the body for each element; false if there was none. */
function iterate(state: State, value: Value, loop: Loop): boolean {
  switch (kindOf(value)) {
    case 'list':
      return iterateList(state, value as readonly Value[], loop);
    case 'map':
      return iterateMap(state, value as GoMap, loop);
    case 'strmap':
      return iterateMap(state, (value as StringMap).entries, loop);
    case 'int':
      return iterateInt(state, value as bigint, loop);
    case 'invalid':
      return false;
    default:
      throw loop.place(`range can't iterate over ${printed(value, loop.place)}`);
  }
}

function iterateList(state: State, items: readonly Value[], loop: Loop): boolean {
  for (let i = 0; i < items.length; i++) if (!iteration(state, loop, BigInt(i), items[i] ?? null)) break;
  return items.length > 0;
}

function iterateMap(state: State, map: GoMap, loop: Loop): boolean {
  const keys = Object.keys(map).sort(compareCodePoints);
  for (const key of keys) if (!iteration(state, loop, key, map[key] ?? null)) break;
  return keys.length > 0;
}

function iterateInt(state: State, count: bigint, loop: Loop): boolean {
  if (loop.index !== undefined) throw loop.place(`can't use ${count} to iterate over more than one variable`);
  for (let i = 0n; i < count; i++) if (!iteration(state, loop, undefined, i)) break;
  return count > 0n;
}

/** One turn of a loop; false after a break. */
function iteration(state: State, loop: Loop, index: Value, element: Value): boolean {
  step(state, loop.place);
  if (loop.index !== undefined) state.vars[loop.index] = index;
  if (loop.element !== undefined) state.vars[loop.element] = element;
  loop.body(state, element);
  const { jump } = state;
  state.jump = undefined;
  return jump !== 'break';
}

function invoke(compiler: Compiler, node: Statement & { readonly kind: 'template' }): Run {
  const evaluate = node.pipe === undefined ? undefined : pipeline(compiler, node.pipe);
  const place = placeOf(compiler, node.at, `{{template ${goQuote(node.name)}}}`);
  const { bodies } = compiler;
  return (state, dot) => {
    step(state, place);
    const body = bodies.get(node.name);
    if (body === undefined) throw place(`template ${goQuote(node.name)} not defined`);
    if (state.depth >= state.limits.depth) throw place(`exceeded maximum template depth (${state.limits.depth})`);
    const data = evaluate?.(state, dot);
    const { vars } = state;
    state.vars = [data];
    state.depth++;
    body.run(state, data);
    state.depth--;
    state.vars = vars;
  };
}

function declare(compiler: Compiler, name: string): number {
  const slot = compiler.slots++;
  compiler.scope.push({ name, slot });
  return slot;
}

/** The slot of a variable; the parser has seen that it exists, save for one that an assignment makes. */
function slotOf(compiler: Compiler, name: string): number {
  return compiler.scope.findLast((variable) => variable.name === name)?.slot ?? -1;
}

function pipeline(compiler: Compiler, pipe: Pipe): Evaluate {
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
function stages(compiler: Compiler, pipe: Pipe): Evaluate {
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

function guarded(method: GoFunction, name: string, values: readonly Value[], place: Place): Value {
  try {
    return method.call(values);
  } catch (error) {
    if (error instanceof CallError) throw place(`error calling ${name}: ${error.message}`);
    throw error;
  }
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

interface Given {
  readonly args: number;
  readonly final: boolean;
}

function checkCount({ parameters, variadic }: GoFunction, name: string, given: Given, place: Place): void {
  const count = given.args + (given.final ? 1 : 0);
  const fixed = parameters.length;
  if (variadic !== undefined && count < fixed) {
    throw place(`wrong number of args for ${name}: want at least ${fixed} got ${given.args}`);
  }
  if (variadic === undefined && count !== fixed)
    throw place(`wrong number of args for ${name}: want ${fixed} got ${count}`);
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

const goName: Readonly<Record<ParameterKind, string>> = {
  value: 'reflect.Value',
  any: 'interface {}',
  string: 'string',
  int: 'int',
  float: 'float64',
  bool: 'bool',
  map: 'map[string]interface {}',
  strmap: 'map[string]string',
  list: '[]interface {}',
  strlist: '[]string',
  struct: 'struct',
};

/** What nil becomes for a parameter that can be nil. */
function nilOf(kind: ParameterKind): { readonly value: Value } | undefined {
  switch (kind) {
    case 'value':
    case 'any':
      return { value: null };
    case 'map':
      return { value: emptyMap };
    case 'strmap':
      return { value: new StringMap({}) };
    case 'list':
    case 'strlist':
      return { value: [] };
    default:
      return undefined;
  }
}

const emptyMap: GoMap = {};

/** A value for a parameter, or the error that Go gives when its type does not fit. */
function accept(value: Value, kind: ParameterKind, place: Place): Value {
  if (kind === 'value') return value;
  if (kind === 'any') return value ?? null;
  if (value === undefined || value === null) {
    const nil = value === undefined || kind !== 'string' ? nilOf(kind) : undefined;
    if (nil !== undefined && value === undefined) return nil.value;
    throw place(
      value === undefined
        ? `invalid value; expected ${goName[kind]}`
        : `wrong type for value; expected ${goName[kind]}; got interface {}`,
    );
  }
  const actual = kindOf(value);
  if (actual === kind || (kind === 'strlist' && actual === 'list')) return value;
  throw place(`wrong type for value; expected ${goName[kind]}; got ${typeName(value)}`);
}

/** Makes the error of a place in the template; a nested one takes its place with it. */
type Place = ((message: string) => GoTemplateError) & { readonly where: Where };

interface Where {
  readonly compiler: Compiler;
  readonly at: number;
}

function placeOf(compiler: Compiler, at: number, context: string): Place {
  const make = (message: string): GoTemplateError => {
    const { source, template } = compiler;
    const before = source.text.slice(0, at);
    const line = before.split('\n').length;
    const column = byteLength(before.slice(before.lastIndexOf('\n') + 1));
    return new GoTemplateError(
      `template: ${source.name}:${line}:${column}: executing ${goQuote(template)} at <${context}>: ${message}`,
      line,
    );
  };
  return Object.assign(make, { where: { compiler, at } });
}

function placeAgain({ where }: Place, context: string): Place {
  return placeOf(where.compiler, where.at, context);
}
