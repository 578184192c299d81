// A program made deterministic, state by state, as names ask for it: one table look-up a sign. Bounded: an expression that
// would need more states answers "unknown", and its caller asks the engine, which is slower and never wrong.
import { assertion, dash, type Program, type Step, signs } from './program.ts';

/** A state's number; 0 is dead: nothing that follows can match. */
export type State = number;

export interface Automaton {
  /** Steps of its program: what finding one new state costs at most. */
  readonly size: number;
  readonly start: State;
  /** The state after a sign (an index into `signs`), or undefined where the bound is reached. */
  readonly step: (state: State, sign: number) => State | undefined;
  readonly accepts: (state: State) => boolean;
  /** The state after a text; undefined for a text with other signs, and where the bound is reached. */
  readonly after: (text: string) => State | undefined;
}

export const maximumStates = 2000;
const width = signs.length;
const unexplored = -1;
const indexOfCode = Int8Array.from({ length: 128 }, (_, code) => signs.indexOf(String.fromCharCode(code)));

/** What stands before the next sign. */
type Before = 'begin' | 'word' | 'dash';

interface Known {
  /** Steps that wait for a sign, an assertion or the end. */
  readonly waiting: readonly number[];
  readonly before: Before;
}

export function automaton(program: Program): Automaton {
  const cells = { table: new Int16Array(8 * width).fill(unexplored), accepting: new Uint8Array(8) };
  const states: Known[] = [];
  const numbers = new Map<string, State>();
  const looks = program.steps.some(({ kind }) => kind === 'assert');

  const number = (waiting: readonly number[], before: Before): State | undefined => {
    const key = `${before} ${waiting.join(' ')}`;
    const known = numbers.get(key);
    if (known !== undefined || states.length >= maximumStates) return known;
    const state = states.length;
    if (state >= cells.accepting.length) grow(cells);
    const atEnd = expand(program, waiting, conditions(before, undefined));
    cells.accepting[state] = atEnd.some((at) => program.steps[at]?.kind === 'match') ? 1 : 0;
    states.push({ waiting, before });
    numbers.set(key, state);
    return state;
  };
  const explore = (state: State, sign: number): State | undefined => {
    const from = states[state];
    if (from === undefined) return undefined;
    const ready = looks ? expand(program, from.waiting, conditions(from.before, sign)) : from.waiting;
    const reached = ready.flatMap((at) => targetOf(program.steps[at], sign));
    const waiting = expand(program, reached, 0);
    const next = waiting.length === 0 ? 0 : number(waiting, looks ? beforeAfter(sign) : 'begin');
    if (next !== undefined) cells.table[state * width + sign] = next;
    return next;
  };
  const step = (state: State, sign: number): State | undefined => {
    const next = cells.table[state * width + sign] ?? unexplored;
    return next === unexplored ? explore(state, sign) : next;
  };
  number([], 'begin');
  const start = number(expand(program, [program.start], 0), 'begin') ?? 0;
  const accepts = (state: State): boolean => cells.accepting[state] === 1;
  /** The hot loop of every roll-out: one look-up a sign, and out as soon as nothing can match. */
  const after = (text: string): State | undefined => {
    let state = start;
    for (let i = 0; i < text.length; i++) {
      const sign = indexOfCode[text.charCodeAt(i)] ?? -1;
      if (sign === -1) return undefined;
      let next = cells.table[state * width + sign] ?? unexplored;
      if (next === unexplored) {
        const explored = explore(state, sign);
        if (explored === undefined) return undefined;
        next = explored;
      }
      if (next === 0) return 0;
      state = next;
    }
    return state;
  };
  return { size: program.steps.length, start, step, accepts, after };
}

interface Cells {
  table: Int16Array;
  accepting: Uint8Array;
}

function grow(cells: Cells): void {
  const table = new Int16Array(cells.table.length * 2).fill(unexplored);
  table.set(cells.table);
  const accepting = new Uint8Array(cells.accepting.length * 2);
  accepting.set(cells.accepting);
  cells.table = table;
  cells.accepting = accepting;
}

/** Which assertions hold between what stands before and the next sign (undefined: the end). */
function conditions(before: Before, sign: number | undefined): number {
  const begin = before === 'begin' ? assertion.beginText | assertion.beginLine : 0;
  const end = sign === undefined ? assertion.endText | assertion.endLine : 0;
  const nextIsWord = sign !== undefined && sign !== dash;
  return begin | end | ((before === 'word') === nextIsWord ? assertion.noBoundary : assertion.boundary);
}

function beforeAfter(sign: number): Before {
  return sign === dash ? 'dash' : 'word';
}

function targetOf(step: Step | undefined, sign: number): number[] {
  return step?.kind === 'sign' && step.accepts[sign] === true ? [step.to] : [];
}

/** Follows forks, and assertions that hold; gives the steps that wait, sorted. Assertions that do not hold yet wait too. */
function expand({ steps }: Program, from: readonly number[], holds: number): readonly number[] {
  const seen = new Set<number>();
  const waiting: number[] = [];
  const stack = [...from];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const step = steps[at];
    if (step === undefined || step.kind === 'fail' || seen.has(at)) continue;
    seen.add(at);
    if (step.kind === 'fork') stack.push(step.to, step.or);
    else if (step.kind === 'pass') stack.push(step.to);
    else if (step.kind === 'assert' && (step.needs & ~holds) === 0) stack.push(step.to);
    else waiting.push(at);
  }
  return waiting.sort((a, b) => a - b);
}
