// What the machine has to say, as values, and their wording: constant message plus fields. Core never logs; a shell prints.
import type { ExitStatus, Note } from './life.ts';

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, string | number | boolean | readonly (string | number)[]>>;
}

/** The log line of a note. Messages are constant, so that they can be searched and counted. */
export function logLine(note: Note): LogLine {
  switch (note.kind) {
    case 'ready':
      return info('proxy is ready', { afterMs: note.afterMs });
    case 'no-app-ports':
      return info('neither process nor TCP port of the application is known: the drain will not wait for it');
    case 'pre-drain':
      return info('drain asked for: discouraging new inbound work until SIGTERM');
    case 'draining':
      return draining(note);
    case 'drain-failed':
      return warn('drain request failed', { problem: note.problem });
    case 'active':
      return info('still active', { count: note.count });
    case 'lines-skipped':
      return warn('lines of the counters cannot be read', { count: note.lines.length, lines: excerpt(note.lines) });
    case 'counter-missing':
      return note.sure
        ? info('connection counter not available: nothing ever connected')
        : warn('connection counter not available: waiting for the drain duration instead');
    case 'count-failed':
      return warn('cannot read the connection counter', { problem: note.problem, errorsInARow: note.errors });
    case 'stopping':
      return stopping(note);
    case 'killed':
      return warn('proxy did not end when asked: killed');
    case 'stopped':
      return info('proxy has ended', { because: note.because });
    case 'died':
      return died(note);
  }
}

/** Whoever answers at Envoy's port may be none, and write megabytes. */
function excerpt(lines: readonly string[]): readonly string[] {
  return lines.slice(0, 3).map((line) => line.slice(0, 100));
}

/** One sentence for /dev/termination-log, where Envoy ended by itself. */
export function terminationMessage({ status, during }: Extract<Note, { kind: 'died' }>): string {
  return `Envoy ended by itself while ${during}: ${statusText(status)}`;
}

function draining(note: Extract<Note, { kind: 'draining' }>): LogLine {
  const { deadline, leftMs, waitsFor } = note;
  return info('draining', {
    exitOnZero: note.exitOnZero,
    atLeastMs: note.atLeastMs,
    waitsForPorts: waitsFor.kind === 'ports' ? waitsFor.ports : [],
    ...(waitsFor.kind === 'processes' ? { waitsForProcesses: waitsFor.files } : {}),
    ...(deadline === undefined ? {} : { deadlineMs: deadline.ms, deadlineIs: deadline.source, leftMs: leftMs ?? 0 }),
  });
}

/** Only what cuts connections is a warning. */
function stopping({ because, cut }: Extract<Note, { kind: 'stopping' }>): LogLine {
  const fields = { because, ...(cut === undefined || cut === 0 ? {} : { connectionsCut: cut }) };
  return because === 'deadline' || because === 'counting-failed'
    ? warn('stopping the proxy before its work has ended', fields)
    : info('stopping the proxy', fields);
}

function died({ status, during }: Extract<Note, { kind: 'died' }>): LogLine {
  const killed = status.kind === 'signal' && status.name === 'SIGKILL';
  return {
    level: 'error',
    message: 'proxy ended by itself',
    fields: { status: statusText(status), during, ...(killed ? { hint: 'often the memory limit' } : {}) },
  };
}

function statusText(status: ExitStatus): string {
  switch (status.kind) {
    case 'code':
      return `exit code ${status.code}`;
    case 'signal':
      return `signal ${status.name}`;
    case 'not-started':
      return `cannot be started: ${status.problem}`;
  }
}

function info(message: string, fields: LogLine['fields'] = {}): LogLine {
  return { level: 'info', message, fields };
}

function warn(message: string, fields: LogLine['fields'] = {}): LogLine {
  return { level: 'warn', message, fields };
}
