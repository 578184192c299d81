// Questions about all names at once: is there a legal namespace name that these patterns match and those do not? The answer
// is the shortest such name. Bounded, and then the answer is "unknown": nothing is claimed that was not seen.
import { type Automaton, automaton, maximumStates, type State } from './automaton.ts';
import { dash, type Program, signs } from './program.ts';

export type Example =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' };

const longestName = 63;
const maximumVisits = 20_000;

/** Work that many searches share: false once it is used up, and every search after that answers "unknown". */
export type Spend = (work: number) => boolean;

interface Search {
  /** Those that must accept, then those that must not. */
  readonly automata: readonly Automaton[];
  readonly inside: number;
  readonly seen: Set<string | number>;
  readonly spend: Spend;
  /** Of one visit: every automaton is asked for every sign, and a state that is new to it costs more the larger it is. */
  readonly visitWork: number;
}

/** The states after a name; the name is read back along `before`. */
interface Visit {
  readonly states: readonly State[];
  readonly sign: number;
  readonly before: Visit | undefined;
}

/** The shortest legal namespace name that every automaton of `inside` accepts and none of `outside`. */
export function shortestName(
  inside: readonly Automaton[],
  outside: readonly Automaton[] = [],
  spend: Spend = () => true,
): Example {
  const automata = [...inside, ...outside];
  const visitWork = signs.length * automata.reduce((sum, { size }) => sum + 1 + size / 8, 0);
  const search: Search = { automata, inside: inside.length, seen: new Set(), spend, visitWork };
  let level: Visit[] = [{ states: search.automata.map(({ start }) => start), sign: -1, before: undefined }];
  for (let length = 1; length <= longestName && level.length > 0; length++) {
    const next: Visit[] = [];
    for (const visit of level) {
      const found = expandVisit(search, visit, next);
      if (found !== undefined) return found;
    }
    if (search.seen.size > maximumVisits) return { kind: 'unknown' };
    level = next;
  }
  return { kind: 'none' };
}

/** Adds the visits one sign on that are new; ends the search with an example, or where a bound is reached. */
function expandVisit(search: Search, visit: Visit, next: Visit[]): Example | undefined {
  if (!search.spend(search.visitWork)) return { kind: 'unknown' };
  for (let sign = 0; sign < signs.length; sign++) {
    if (visit.before === undefined && sign === dash) continue;
    const states = stepAll(search, visit.states, sign);
    if (states === 'unknown') return { kind: 'unknown' };
    if (states === 'dead') continue;
    const key = keyOf(states, sign === dash);
    if (search.seen.has(key)) continue;
    search.seen.add(key);
    const reached = { states, sign, before: visit };
    if (sign !== dash && isExample(search, states)) return { kind: 'name', name: nameOf(reached) };
    next.push(reached);
  }
  return undefined;
}

function stepAll(
  { automata, inside }: Search,
  states: readonly State[],
  sign: number,
): readonly State[] | 'dead' | 'unknown' {
  const next: State[] = [];
  for (let index = 0; index < automata.length; index++) {
    const state = automata[index]?.step(states[index] ?? 0, sign);
    if (state === undefined) return 'unknown';
    if (state === 0 && index < inside) return 'dead';
    next.push(state);
  }
  return next;
}

/** A number where it stays exact. */
function keyOf(states: readonly State[], dashed: boolean): string | number {
  if (states.length > 4) return `${dashed} ${states.join(' ')}`;
  return states.reduce((key, state) => key * (maximumStates + 1) + state, dashed ? 1 : 0);
}

function isExample({ automata, inside }: Search, states: readonly State[]): boolean {
  return automata.every(({ accepts }, index) => accepts(states[index] ?? 0) === index < inside);
}

function nameOf(visit: Visit): string {
  let name = '';
  for (let at: Visit | undefined = visit; at?.before !== undefined; at = at.before)
    name = (signs[at.sign] ?? '') + name;
  return name;
}

/** The automaton of a plain name. */
export function literalAutomaton(name: string): Automaton {
  const steps: Program['steps'] = [
    ...Array.from(name, (char, index) => ({
      kind: 'sign' as const,
      accepts: Array.from(signs, (sign) => sign === char),
      to: index + 1,
    })),
    { kind: 'match' },
  ];
  return automaton({ start: 0, steps });
}
