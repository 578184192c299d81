// A compiled expression as a small machine over the signs of namespace names. re2js compiles; this reads its instructions
// (the same as Go's regexp/syntax: package version pinned, and a property test compares both on random names).
import type { RE2JS } from 're2js';

/** The signs of legal namespace names. A search for an example takes the first of equals, so letters come first. */
export const signs = 'abcdefghijklmnopqrstuvwxyz0123456789-';
/** The index of the dash: no name begins or ends with it, and it is no part of a word. */
export const dash = signs.length - 1;

export type Step =
  | { readonly kind: 'sign'; readonly accepts: readonly boolean[]; readonly to: number }
  | { readonly kind: 'fork'; readonly to: number; readonly or: number }
  | { readonly kind: 'assert'; readonly needs: number; readonly to: number }
  | { readonly kind: 'pass'; readonly to: number }
  | { readonly kind: 'match' }
  | { readonly kind: 'fail' };

export interface Program {
  readonly start: number;
  readonly steps: readonly Step[];
}

/** Bits of `needs`: what must hold between two signs. */
export const assertion = { beginLine: 1, endLine: 2, beginText: 4, endText: 8, boundary: 16, noBoundary: 32 } as const;

interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  matchRune(code: number): boolean;
}

/** The steps of an expression, or undefined where it holds an instruction that is not known here. */
export function programOf(expression: RE2JS): Program | undefined {
  const { inst, start } = expression.re2().prog as { readonly inst: readonly Instruction[]; readonly start: number };
  const steps = inst.map(stepOf);
  return steps.every((step) => step !== undefined) ? { start, steps } : undefined;
}

/** Opcodes of re2js: 1 ALT, 2 ALT_MATCH, 3 CAPTURE, 4 EMPTY_WIDTH, 5 FAIL, 6 MATCH, 7 NOP, 8 RUNE, 9 RUNE1, 10 and 11 any. */
function stepOf(instruction: Instruction): Step | undefined {
  const { op, out: to, arg } = instruction;
  if (op === 1 || op === 2) return { kind: 'fork', to, or: arg };
  if (op === 3 || op === 7) return { kind: 'pass', to };
  if (op === 4) return { kind: 'assert', needs: arg, to };
  if (op === 5) return { kind: 'fail' };
  if (op === 6) return { kind: 'match' };
  if (op === 10 || op === 11) return { kind: 'sign', accepts: everySign, to };
  if (op !== 8 && op !== 9) return undefined;
  return { kind: 'sign', accepts: Array.from(signs, (sign) => instruction.matchRune(sign.charCodeAt(0))), to };
}

const everySign: readonly boolean[] = Array.from(signs, () => true);

/** The text that every match begins with; may be shorter than it could be, never longer. */
export function requiredPrefix({ start, steps }: Program): string {
  let prefix = '';
  for (let at = start; prefix.length < 63; ) {
    const step = steps[at];
    if (step?.kind === 'sign') {
      const sign = onlySign(step.accepts);
      if (sign === undefined) return prefix;
      prefix += sign;
      at = step.to;
    } else if (step?.kind === 'pass' || step?.kind === 'assert') at = step.to;
    else return prefix;
  }
  return prefix;
}

/** The text that every match ends with, found by walking back from the match while there is one way only. */
export function requiredSuffix({ start, steps }: Program): string {
  const sources = sourcesOf(steps);
  let suffix = '';
  for (let at = steps.findIndex(({ kind }) => kind === 'match'); at !== start && suffix.length < 63; ) {
    const [source, second] = sources.get(at) ?? [];
    const step = source === undefined ? undefined : steps[source];
    if (source === undefined || second !== undefined || step === undefined) return suffix;
    if (step.kind === 'sign') {
      const sign = onlySign(step.accepts);
      if (sign === undefined) return suffix;
      suffix = sign + suffix;
    }
    at = source;
  }
  return suffix;
}

/** The signs that a match may end with: those after which no other sign need come. */
export function lastSigns({ steps }: Program): readonly boolean[] {
  const ending = steps.map(({ kind }) => kind === 'match');
  for (let grew = true; grew; ) {
    grew = false;
    for (const [at, step] of steps.entries()) {
      const leads = step.kind !== 'sign' && targetsOf(step).some((target) => ending[target] === true);
      if (!leads || ending[at] === true) continue;
      ending[at] = true;
      grew = true;
    }
  }
  const last = steps.filter((step) => step.kind === 'sign').filter(({ to }) => ending[to] === true);
  return Array.from(signs, (_, sign) => last.some(({ accepts }) => accepts[sign] === true));
}

function sourcesOf(steps: readonly Step[]): Map<number, number[]> {
  const edges = steps.flatMap((step, source) => targetsOf(step).map((target) => ({ source, target })));
  const grouped = Map.groupBy(edges, ({ target }) => target);
  return new Map(Array.from(grouped, ([target, list]) => [target, list.map(({ source }) => source)]));
}

function targetsOf(step: Step): number[] {
  if (step.kind === 'match' || step.kind === 'fail') return [];
  return step.kind === 'fork' ? [step.to, step.or] : [step.to];
}

function onlySign(accepts: readonly boolean[]): string | undefined {
  const first = accepts.indexOf(true);
  return first === -1 || accepts.indexOf(true, first + 1) !== -1 ? undefined : signs[first];
}
