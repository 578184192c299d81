// What compiling and running share: the compiler's scope, a run's state and bounds, and the places that errors name.
import { GoTemplateError } from './error.ts';
import { goQuote } from './quote.ts';
import { byteLength, type GoFunction, type Value } from './value.ts';

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

export interface State {
  readonly out: string[];
  readonly limits: Limits;
  vars: Value[];
  steps: number;
  size: number;
  depth: number;
  /** Set by break and continue until the loop takes it. */
  jump: 'break' | 'continue' | undefined;
}

export type Run = (state: State, dot: Value) => void;

export type Evaluate = (state: State, dot: Value) => Value;

/** A command or operand that may get the value of the pipeline's stage before it. */
export type Stage = (state: State, dot: Value, final: Value | typeof none) => Value;

export const none = Symbol('no value from an earlier stage');

export interface Body {
  readonly run: Run;
  readonly slots: number;
}

export interface Compiler {
  readonly source: Source;
  readonly template: string;
  readonly bodies: Map<string, Body>;
  /** Variables in scope, each with its slot; `$` has slot 0. */
  scope: { readonly name: string; readonly slot: number }[];
  slots: number;
}

export function step(state: State, place: Place): void {
  if (++state.steps > state.limits.steps) throw place(`exceeded ${state.limits.steps} steps`);
}

export function declare(compiler: Compiler, name: string): number {
  const slot = compiler.slots++;
  compiler.scope.push({ name, slot });
  return slot;
}

/** The slot of a variable; the parser has seen that it exists, save for one that an assignment makes. */
export function slotOf(compiler: Compiler, name: string): number {
  return compiler.scope.findLast((known) => known.name === name)?.slot ?? -1;
}

/** Makes the error of a place in the template; a nested one takes its place with it. */
export type Place = ((message: string) => GoTemplateError) & { readonly where: Where };

interface Where {
  readonly compiler: Compiler;
  readonly at: number;
}

export function placeOf(compiler: Compiler, at: number, context: string): Place {
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

export function placeAgain({ where }: Place, context: string): Place {
  return placeOf(where.compiler, where.at, context);
}
