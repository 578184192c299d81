// One simulated process: acts carried out in virtual time, signals in between. It never waits itself: it says until when it wants
// to, and is woken by whoever owns the clock.
//
//   start ──▶ waiting ──wake──▶ waiting … ──▶ ended
//                └──signal with a trap──▶ the trap's acts, then on where it was
//
// As in a container, the process is number 1 of its PID namespace: a signal without a trap does nothing, except KILL.
import { type Act, signalName, type Trap, type Word } from './act.ts';
import type { FileView } from './files.ts';

export interface Exit {
  readonly code: number;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

export type Progress =
  | { readonly kind: 'waiting'; readonly untilMs: number }
  | { readonly kind: 'ended'; readonly exit: Exit };

export interface Process {
  /** Carries on at `nowMs`: at its start, and when what it waited for is over. */
  wake(nowMs: number): Progress;
  /** A signal by name, without SIG. */
  signal(name: string, nowMs: number): Progress;
}

/** A process that has not begun. */
export function createProcess(acts: readonly Act[], files: FileView): Process {
  const self: Self = {
    files,
    traps: new Map(),
    variables: new Map(),
    frames: [],
    pending: [],
    status: 0,
    output: '',
    spins: 0,
  };
  self.frames.push({ steps: sequence(self, acts), untilMs: Number.NEGATIVE_INFINITY, holds: false });
  return {
    wake: (nowMs) => advance(self, nowMs),
    signal: (name, nowMs) => receive(self, name, nowMs),
  };
}

/** The most turns of a loop without a pause before it counts as one that spins for ever. */
const mostSpins = 10_000;

interface Wait {
  readonly ms: number;
  readonly holds: boolean;
}

type Steps = Generator<Wait, Exit | undefined, void>;

interface Frame {
  readonly steps: Steps;
  untilMs: number;
  holds: boolean;
}

interface Self {
  readonly files: FileView;
  readonly traps: Map<string, Trap>;
  readonly variables: Map<string, string>;
  /** The body, and above it the traps that run now. */
  readonly frames: Frame[];
  /** Traps that wait for a command to end. */
  readonly pending: (readonly Act[])[];
  status: number;
  output: string;
  spins: number;
}

function receive(self: Self, name: string, nowMs: number): Progress {
  if (name === 'KILL') return { kind: 'ended', exit: { code: 137 } };
  const then = self.traps.get(name) ?? self.traps.get('*');
  if (then === undefined || typeof then === 'string') return waiting(self);
  if (self.frames.at(-1)?.holds === true) self.pending.push(then);
  else push(self, then);
  return self.frames.at(-1)?.untilMs === Number.NEGATIVE_INFINITY ? advance(self, nowMs) : waiting(self);
}

function push(self: Self, acts: readonly Act[]): void {
  self.frames.push({ steps: sequence(self, acts), untilMs: Number.NEGATIVE_INFINITY, holds: false });
}

function waiting(self: Self): Progress {
  return { kind: 'waiting', untilMs: self.frames.at(-1)?.untilMs ?? Number.POSITIVE_INFINITY };
}

/** Runs frames, the topmost first, until one has to wait or the body ends. */
function advance(self: Self, nowMs: number): Progress {
  for (;;) {
    const frame = self.frames.at(-1);
    if (frame === undefined) return { kind: 'ended', exit: { code: self.status } };
    if (frame.untilMs > nowMs) return waiting(self);
    if (frame.holds && self.pending.length > 0) {
      frame.holds = false;
      for (const acts of self.pending.splice(0).toReversed()) push(self, acts);
      continue;
    }
    const next = frame.steps.next();
    if (next.done !== true) {
      frame.untilMs = nowMs + next.value.ms;
      frame.holds = next.value.holds;
    } else if (next.value !== undefined) return { kind: 'ended', exit: next.value };
    else self.frames.pop();
  }
}

function* sequence(self: Self, acts: readonly Act[]): Steps {
  for (const act of acts) {
    const exit = yield* perform(self, act);
    if (exit !== undefined) return exit;
  }
  return undefined;
}

function* perform(self: Self, act: Act): Steps {
  switch (act.act) {
    case 'sleep':
      if (act.ms > 0) self.spins = 0;
      yield { ms: act.ms, holds: act.holds };
      return done(self, 0);
    case 'exit':
      return {
        code: act.code === undefined ? self.status : Number(expand(self, act.code)) & 255,
        reason: act.reason,
        message: act.message,
      };
    case 'group':
      return yield* sequence(self, act.acts);
    case 'either':
      return yield* either(self, act);
    case 'not': {
      const exit = yield* perform(self, act.inner);
      return exit ?? done(self, self.status === 0 ? 1 : 0);
    }
    case 'if':
      return yield* branch(self, act);
    case 'loop':
      return yield* loop(self, act);
    default:
      return simple(self, act);
  }
}

function done(self: Self, status: number): undefined {
  self.status = status;
  return undefined;
}

function* either(self: Self, act: Act & { readonly act: 'either' }): Steps {
  const exit = yield* perform(self, act.first);
  if (exit !== undefined) return exit;
  return (self.status === 0) === (act.when === 'success') ? yield* perform(self, act.second) : undefined;
}

function* branch(self: Self, act: Act & { readonly act: 'if' }): Steps {
  const exit = yield* sequence(self, act.test);
  if (exit !== undefined) return exit;
  if (self.status === 0) return yield* sequence(self, act.yes);
  self.status = 0;
  return yield* sequence(self, act.no);
}

function* loop(self: Self, act: Act & { readonly act: 'loop' }): Steps {
  for (;;) {
    const tested = yield* sequence(self, act.test);
    if (tested !== undefined) return tested;
    if ((self.status === 0) === act.until) return done(self, 0);
    const exit = yield* sequence(self, act.body);
    if (exit !== undefined) return exit;
    self.spins++;
    if (self.spins > mostSpins) yield { ms: Number.POSITIVE_INFINITY, holds: false };
  }
}

type Instant = Exclude<Act, { readonly act: 'sleep' | 'exit' | 'group' | 'either' | 'not' | 'if' | 'loop' }>;

function simple(self: Self, act: Instant): undefined {
  switch (act.act) {
    case 'touch':
    case 'write':
      return write(self, act);
    case 'remove':
      return remove(self, act);
    case 'print':
      self.output += `${expand(self, act.text)}\n`;
      return done(self, 0);
    case 'cat': {
      const text = self.files.read(expand(self, act.path));
      self.output += text ?? '';
      return done(self, text === undefined ? 1 : 0);
    }
    case 'trap':
      for (const signal of act.signals) self.traps.set(signalName(signal), act.does);
      return done(self, 0);
    case 'status':
      return done(self, act.code);
    case 'exists':
      return done(self, self.files.exists(expand(self, act.path)) === act.negate ? 1 : 0);
    case 'compare':
      return done(self, holds(act.operator, expand(self, act.left), expand(self, act.right)) ? 0 : 1);
    default:
      self.variables.set(act.name, expand(self, act.value));
      return undefined;
  }
}

function write(self: Self, act: Act & { readonly act: 'touch' | 'write' }): undefined {
  const path = expand(self, act.path);
  const before = self.files.read(path) ?? '';
  if (act.act === 'touch') self.files.write(path, before);
  else self.files.write(path, `${act.append ? before : ''}${expand(self, act.text)}\n`);
  return done(self, 0);
}

function remove(self: Self, act: Act & { readonly act: 'remove' }): undefined {
  const path = expand(self, act.path);
  const status = act.force || self.files.exists(path) ? 0 : 1;
  self.files.remove(path);
  return done(self, status);
}

function expand(self: Self, text: Word): string {
  return text
    .map((piece) => {
      switch (piece.piece) {
        case 'text':
          return piece.text;
        case 'variable':
          return self.variables.get(piece.name) ?? '';
        case 'output':
          return outputOf(self, piece.acts);
        default:
          return String(piece.terms.reduce((sum, { sign, word }) => sum + sign * Number(expand(self, word)), 0));
      }
    })
    .join('');
}

/** What acts print, as `$(…)` takes it. Acts that wait have no place there; they are cut short. */
function outputOf(self: Self, acts: readonly Act[]): string {
  const outer = self.output;
  self.output = '';
  sequence(self, acts).next();
  const inner = self.output;
  self.output = outer;
  return inner.replace(/\n+$/, '');
}

function holds(operator: (Act & { readonly act: 'compare' })['operator'], left: string, right: string): boolean {
  switch (operator) {
    case '=':
      return left === right;
    case '!=':
      return left !== right;
    case '-eq':
      return Number(left) === Number(right);
    case '-ne':
      return Number(left) !== Number(right);
    case '-lt':
      return Number(left) < Number(right);
    case '-le':
      return Number(left) <= Number(right);
    case '-gt':
      return Number(left) > Number(right);
    default:
      return Number(left) >= Number(right);
  }
}
