// Questions about all names at once: is there a legal namespace name that these patterns match and those do not? The answer
// is the shortest such name. Bounded, and then the answer is "unknown": nothing is claimed that was not seen.
import { type Automaton, automaton, type State } from './automaton.ts';
import { dash, type Program, signs } from './program.ts';

export type Example =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' };

const longestName = 63;
const maximumVisits = 20_000;

interface Visit {
  readonly inside: readonly State[];
  readonly outside: readonly State[];
  readonly name: string;
}

/** The shortest legal namespace name that every automaton of `inside` accepts and none of `outside`. */
export function shortestName(inside: readonly Automaton[], outside: readonly Automaton[] = []): Example {
  const seen = new Set<string>();
  let level: Visit[] = [
    { inside: inside.map(({ start }) => start), outside: outside.map(({ start }) => start), name: '' },
  ];
  for (let length = 1; length <= longestName && level.length > 0; length++) {
    const next: Visit[] = [];
    for (const visit of level) {
      for (let sign = 0; sign < signs.length; sign++) {
        if (length === 1 && sign === dash) continue;
        const reached = advance(visit, sign, inside, outside);
        if (reached === 'unknown') return { kind: 'unknown' };
        if (reached === undefined) continue;
        if (sign !== dash && isExample(reached, inside, outside)) return { kind: 'name', name: reached.name };
        const key = `${sign === dash} ${reached.inside.join(' ')}/${reached.outside.join(' ')}`;
        if (seen.has(key)) continue;
        seen.add(key);
        next.push(reached);
      }
    }
    if (seen.size > maximumVisits) return { kind: 'unknown' };
    level = next;
  }
  return { kind: 'none' };
}

function isExample({ inside, outside }: Visit, within: readonly Automaton[], without: readonly Automaton[]): boolean {
  return (
    within.every(({ accepts }, index) => accepts(inside[index] ?? 0)) &&
    !without.some(({ accepts }, index) => accepts(outside[index] ?? 0))
  );
}

/** The states after a sign; undefined where one of `inside` is dead. */
function advance(
  { inside, outside, name }: Visit,
  sign: number,
  within: readonly Automaton[],
  without: readonly Automaton[],
): Visit | 'unknown' | undefined {
  const first = stepAll(within, inside, sign);
  if (first === undefined) return 'unknown';
  if (first.includes(0)) return undefined;
  const second = stepAll(without, outside, sign);
  return second === undefined ? 'unknown' : { inside: first, outside: second, name: name + (signs[sign] ?? '') };
}

function stepAll(automata: readonly Automaton[], states: readonly State[], sign: number): State[] | undefined {
  const next: State[] = [];
  for (const [index, { step }] of automata.entries()) {
    const state = step(states[index] ?? 0, sign);
    if (state === undefined) return undefined;
    next.push(state);
  }
  return next;
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
