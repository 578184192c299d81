// The interpreter: a syntax tree becomes a tree of closures once, and each run gives them a fresh state. A run is bounded in
// steps, in depth of templates and in output, so that no template can hold an admission request for long.
import { compareCodePoints } from '../std/order.ts';
import type { Branch, Pipe, Statement } from './ast.ts';
import { textOf } from './ast.ts';
import { GoTemplateError } from './error.ts';
import { pipeline, stages } from './expression.ts';
import { sprintOne } from './format.ts';
import { goQuote } from './quote.ts';
import {
  type Body,
  type Compiler,
  declare,
  type Limits,
  type Place,
  placeOf,
  type Run,
  type Source,
  type State,
  slotOf,
  step,
} from './run.ts';
import { GoFunction, type GoMap, kindOf, type StringMap, truth, typeName, type Value } from './value.ts';

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
