// What reading a specification gives: a value with warnings, or every problem that keeps it from being one.
import type { Problem, Severity } from '../std/errors.ts';
import type { Place } from './node.ts';

export type Parsed<T> =
  | { readonly kind: 'valid'; readonly value: T; readonly problems: readonly Problem[] }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

/** `file` is the name that problems carry. */
export interface Named {
  readonly file?: string | undefined;
}

/** What is wrong with one entry, and the way out; an error unless it says otherwise. */
export interface Trouble {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly severity?: Severity;
}

/** The finished value, unless there is none or a problem is an error. Problems come in the order of the file. */
export function parsed<T>(value: T | undefined, problems: readonly Problem[]): Parsed<T> {
  const sorted = [...problems].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  const invalid = sorted.some(({ severity }) => severity === 'error');
  return invalid || value === undefined
    ? { kind: 'invalid', problems: sorted }
    : { kind: 'valid', value, problems: sorted };
}

/** A trouble with its place. */
export function problemAt({ at }: { readonly at: Place }, trouble: Trouble, { file }: Named): Problem {
  return { severity: 'error', ...trouble, ...at, ...(file === undefined ? {} : { file }) };
}
