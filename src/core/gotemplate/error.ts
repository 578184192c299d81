// The one error of this folder: a template that cannot be parsed or that fails while it runs. The message has the form of Go's
// own ("template: NAME:LINE:COLUMN: executing …"), so that people find it in Istio's and Helm's threads.

export class GoTemplateError extends Error {
  readonly code = 'template-invalid';
  /** 1-based line in the template, where known. */
  readonly line: number | undefined;
  constructor(message: string, line?: number) {
    super(message);
    this.name = 'GoTemplateError';
    this.line = line;
  }
}

/** Thrown by a function of a template; the interpreter adds where it was called. */
export class CallError extends Error {}

/** Ends a call with a message, as a function that returns an error does in Go. */
export function failCall(message: string): never {
  throw new CallError(message);
}
