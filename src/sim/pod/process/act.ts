// What a simulated process does: the steps of a scenario and the lines of a shell script come down to these acts.
// A word is what shell makes of it when it is needed: text, variables, the output of acts, an arithmetic result.
import { spanMs } from '../scenario/duration.ts';
import type { ScenarioExit, Step } from '../scenario/format.ts';

export type Act =
  /** `holds`: a trap waits until it is over, as in a shell that waits for a command. */
  | { readonly act: 'sleep'; readonly ms: number; readonly holds: boolean }
  | { readonly act: 'write'; readonly path: Word; readonly text: Word; readonly append: boolean }
  | { readonly act: 'touch'; readonly path: Word }
  | { readonly act: 'remove'; readonly path: Word; readonly force: boolean }
  | { readonly act: 'print'; readonly text: Word }
  | { readonly act: 'cat'; readonly path: Word }
  | { readonly act: 'trap'; readonly signals: readonly string[]; readonly does: Trap }
  | {
      readonly act: 'exit';
      readonly code: Word | undefined;
      readonly reason?: string | undefined;
      readonly message?: string | undefined;
    }
  | { readonly act: 'status'; readonly code: number }
  | { readonly act: 'exists'; readonly path: Word; readonly negate: boolean }
  | { readonly act: 'compare'; readonly left: Word; readonly operator: Comparison; readonly right: Word }
  | { readonly act: 'assign'; readonly name: string; readonly value: Word }
  | { readonly act: 'group'; readonly acts: readonly Act[] }
  | { readonly act: 'either'; readonly first: Act; readonly when: 'success' | 'failure'; readonly second: Act }
  | { readonly act: 'not'; readonly inner: Act }
  | {
      readonly act: 'if';
      readonly test: readonly Act[];
      readonly yes: readonly Act[];
      readonly no: readonly Act[];
    }
  | { readonly act: 'loop'; readonly test: readonly Act[]; readonly until: boolean; readonly body: readonly Act[] };

export type Trap = 'ignore' | 'default' | readonly Act[];
export type Comparison = '-eq' | '-ne' | '-lt' | '-le' | '-gt' | '-ge' | '=' | '!=';
export type Word = readonly Piece[];
export type Piece =
  | { readonly piece: 'text'; readonly text: string }
  | { readonly piece: 'variable'; readonly name: string }
  | { readonly piece: 'output'; readonly acts: readonly Act[] }
  | { readonly piece: 'sum'; readonly terms: readonly { readonly sign: 1 | -1; readonly word: Word }[] };

/** A word that is only text. */
export function word(text: string): Word {
  return [{ piece: 'text', text }];
}

/** How a line of shell becomes acts; given from outside, so that steps do not depend on the shell. */
export type Shell = (script: string) => readonly Act[];

/** The acts of a scenario's steps. */
export function actsOf(steps: readonly Step[], shell: Shell): readonly Act[] {
  return steps.flatMap((step) => stepActs(step, shell));
}

/** Runs until its stop signal, then ends well: the default of a container of which nothing is known. */
export const serve: readonly Act[] = [
  { act: 'trap', signals: ['*'], does: [{ act: 'exit', code: word('0') }] },
  { act: 'sleep', ms: Number.POSITIVE_INFINITY, holds: false },
];

/** Runs for ever and hears nothing but KILL. */
export const deaf: readonly Act[] = [{ act: 'sleep', ms: Number.POSITIVE_INFINITY, holds: true }];

function stepActs(step: Step, shell: Shell): readonly Act[] {
  if (step.sleep !== undefined) return [{ act: 'sleep', ms: spanMs(step.sleep), holds: false }];
  if (step.busy !== undefined) return [{ act: 'sleep', ms: spanMs(step.busy), holds: true }];
  if (step.touch !== undefined) return [{ act: 'touch', path: word(step.touch) }];
  if (step.rm !== undefined) return [{ act: 'remove', path: word(step.rm), force: true }];
  if (step.trap !== undefined) return trapActs(step.trap, shell);
  if (step.exit !== undefined) return [exitAct(step.exit)];
  if (step.repeat !== undefined)
    return [{ act: 'loop', test: [{ act: 'status', code: 0 }], until: false, body: actsOf(step.repeat, shell) }];
  return shell(step.sh ?? '');
}

function trapActs(traps: NonNullable<Step['trap']>, shell: Shell): readonly Act[] {
  return Object.entries(traps).map(([signal, does]) => ({
    act: 'trap',
    signals: [signalName(signal)],
    does: typeof does === 'string' ? does : actsOf(does, shell),
  }));
}

function exitAct(exit: ScenarioExit): Act {
  if (typeof exit === 'number') return { act: 'exit', code: word(String(exit)) };
  return { act: 'exit', code: word(String(exit.code)), reason: exit.reason, message: exit.message };
}

const numbers: Readonly<Record<string, string>> = { 1: 'HUP', 2: 'INT', 3: 'QUIT', 10: 'USR1', 12: 'USR2', 15: 'TERM' };

/** TERM, SIGTERM and 15 are one signal. */
export function signalName(text: string): string {
  return numbers[text] ?? text.replace(/^SIG/, '');
}
