// The error classes, by who must act, and the problem: one finding about one place in one input.
// Edges (CLI, servers) translate them once to exit codes and answers; core itself throws only InvariantError, and
// SpecError or ManifestError where an input cannot be parsed into a type at all.

import { visible } from './visible.ts';

export type Severity = 'error' | 'warning';

/** One finding about an input: where it is (1-based line and column), what is wrong, and the way out. */
export interface Problem {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly hint?: string;
  readonly file?: string;
  /** 1-based number of the document in a stream. */
  readonly document?: number;
  readonly line?: number;
  readonly column?: number;
  /** JSON pointer or dotted path of the field. */
  readonly path?: string;
}

interface Details {
  readonly hint?: string;
  readonly cause?: unknown;
}

abstract class FairwayError extends Error {
  abstract readonly code: string;
  readonly hint: string | undefined;

  constructor(message: string, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.hint = details.hint;
  }
}

/** The caller's flags or arguments are wrong. */
export class UsageError extends FairwayError {
  readonly code = 'usage';
}

/** A specification (rollouts.yml, fairway.yml, a scenario, a pod) is invalid; holds every problem found in it. */
export class SpecError extends FairwayError {
  readonly code = 'spec-invalid';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], details: Details = {}) {
    super(problems.map(formatProblem).join('\n'), details);
    this.problems = problems;
  }
}

/** A manifest cannot be read or changed; nothing of the run is written. */
export class ManifestError extends FairwayError {
  readonly code = 'manifest-invalid';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], details: Details = {}) {
    super(problems.map(formatProblem).join('\n'), details);
    this.problems = problems;
  }
}

/** Something outside did not answer, or answered that it cannot now; the same may work later. */
export class TransientError extends FairwayError {
  readonly code = 'unavailable';
}

/** A bug of this program: something that cannot happen did. */
export class InvariantError extends FairwayError {
  readonly code = 'invariant';
}

/** `file:line:column: severity: message [code]`, the hint on a line of its own: the form that editors make clickable. */
export function formatProblem(problem: Problem): string {
  const place = [problem.file, problem.line, problem.line === undefined ? undefined : problem.column]
    .filter((part) => part !== undefined)
    .join(':');
  const document = problem.document === undefined ? '' : `document ${problem.document}: `;
  const path = problem.path === undefined ? '' : `${problem.path}: `;
  const head = `${place === '' ? '' : `${place}: `}${problem.severity}: ${document}${path}${problem.message} [${problem.code}]`;
  return problem.hint === undefined ? visible(head) : `${visible(head)}\n  hint: ${visible(problem.hint)}`;
}
