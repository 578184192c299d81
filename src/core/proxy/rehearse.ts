// Runs the machine through a schedule in virtual time, with an Envoy, counters and an application that behave as told.
// For tests: what it gives back is a readable trace, `seconds effect`.
import type { ExitStatus, Note, ProxyEffect, ProxyInput, ProxyState } from './life.ts';
import { beginProxy, dueAtMs, transition } from './machine.ts';
import type { ProxyPolicy } from './policy.ts';
import type { Reading } from './stats.ts';

export interface World {
  /** Inputs from outside, by second. */
  readonly inputs: readonly (readonly [atSeconds: number, input: ProxyInput])[];
  /** The answer to the nth count (from 0), and how long it takes. */
  readonly count?: (nth: number, atSeconds: number) => { readonly reading: Reading; readonly afterMs?: number };
  /** When the last process of the application ends; undefined: never. */
  readonly appGoneSeconds?: number;
  /** Ports that do not refuse at that second. */
  readonly open?: (atSeconds: number) => readonly number[];
  /** How Envoy ends on SIGTERM: after so many milliseconds, or never; it ends 1 ms after SIGKILL. */
  readonly endsAfterMs?: number | 'never';
}

interface Rehearsal {
  readonly trace: readonly string[];
  readonly notes: readonly Note[];
  readonly final: ProxyState;
  /** Seconds at which the agent left; undefined: it had not within the limit. */
  readonly exitSeconds: number | undefined;
}

const killed: ExitStatus = { kind: 'signal', name: 'SIGKILL', number: 9 };
const ended: ExitStatus = { kind: 'code', code: 0 };

/** Runs until the agent leaves, or until nothing happens any more, or for `limitSeconds`. */
export function rehearse(policy: ProxyPolicy, world: World, limitSeconds = 3600): Rehearsal {
  const queue: Coming[] = world.inputs.map(([at, input]) => ({ atMs: at * 1000, input }));
  const trace: string[] = [];
  const notes: Note[] = [];
  const answer = answers(world);
  let [state, effects] = beginProxy(policy, 0);
  for (let nowMs = 0; nowMs <= limitSeconds * 1000; ) {
    for (const effect of effects) {
      if (effect.kind === 'note') notes.push(effect.note);
      else trace.push(`${nowMs / 1000} ${told(effect)}`);
      queue.push(...answer(effect, nowMs));
    }
    if (state.at === 'exited') return { trace, notes, final: state, exitSeconds: nowMs / 1000 };
    const next = nextInput(queue, dueAtMs(policy, state));
    if (next === undefined) break;
    nowMs = Math.max(nowMs, next.atMs);
    [state, effects] = transition(policy, state, next.input, nowMs);
  }
  return { trace, notes, final: state, exitSeconds: undefined };
}

interface Coming {
  readonly atMs: number;
  readonly input: ProxyInput;
}

/** The earliest of what comes; a tick only where nothing comes before it. */
function nextInput(queue: Coming[], dueMs: number | undefined): Coming | undefined {
  queue.sort((a, b) => a.atMs - b.atMs);
  const [first] = queue;
  if (dueMs !== undefined && (first === undefined || dueMs < first.atMs))
    return { atMs: dueMs, input: { kind: 'tick' } };
  return queue.shift();
}

/** What the world answers to an effect, and when. */
function answers(world: World): (effect: ProxyEffect, nowMs: number) => Coming[] {
  let counts = 0;
  return (effect, nowMs) => {
    switch (effect.kind) {
      case 'count': {
        const { reading, afterMs = 1 } = world.count?.(counts++, nowMs / 1000) ?? { reading: { kind: 'absent' } };
        return [{ atMs: nowMs + afterMs, input: { kind: 'counted', reading } }];
      }
      case 'dial':
        return [{ atMs: nowMs + 1, input: { kind: 'dialled', open: world.open?.(nowMs / 1000) ?? [] } }];
      case 'watch-app':
        return appEnds(world, nowMs);
      case 'signal':
        return envoyEnds(world, effect.signal).map(({ afterMs, status }) => ({
          atMs: nowMs + afterMs,
          input: { kind: 'exited', status },
        }));
      default:
        return [];
    }
  };
}

function appEnds({ appGoneSeconds }: World, nowMs: number): Coming[] {
  if (appGoneSeconds === undefined) return [];
  return [{ atMs: Math.max(nowMs, appGoneSeconds * 1000), input: { kind: 'app-gone' } }];
}

function envoyEnds(
  { endsAfterMs = 10 }: World,
  signal: 'SIGTERM' | 'SIGKILL',
): { readonly afterMs: number; readonly status: ExitStatus }[] {
  if (signal === 'SIGKILL') return [{ afterMs: 1, status: killed }];
  return endsAfterMs === 'never' ? [] : [{ afterMs: endsAfterMs, status: ended }];
}

function told(effect: ProxyEffect): string {
  switch (effect.kind) {
    case 'drain':
      return effect.path;
    case 'signal':
      return effect.signal;
    case 'exit':
      return `exit ${effect.code}`;
    case 'dial':
      return `dial ${effect.ports.join(',')}`;
    case 'count':
      return `count ${effect.unit}`;
    case 'watch-app':
      return `watch ${effect.files.join(',')}`;
    default:
      return effect.kind;
  }
}
