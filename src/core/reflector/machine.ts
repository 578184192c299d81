// The life of one list-and-watch against a Kubernetes API server, as a machine: what to ask next, when, and what changed. It holds keys
// and resource versions only; objects pass it by. It never asks twice at once, never asks faster than once a second after a
// failure, and never trusts a silent stream.
//
//             start                    last page
//    idle ───────────▶ listing ◀──┐  ───────────▶ watching ──┐
//                        │  ▲     └ page             │  ▲    │ closed, silent, past its time
//                 failed │  │ due, version gone      │  │    ▼
//                        ▼  │                        │  └─ waiting (the version is still good)
//                       waiting (the version is gone) ◀─ 410
//
//    stop: from anywhere to stopped, which takes nothing any more
import type { Prng } from '../std/prng.ts';

export interface Policy {
  readonly pageSize: number;
  /** What the server is asked to end a watch after: this, and up to as much again as the spread, drawn anew each time. */
  readonly watchSeconds: number;
  readonly watchSpreadSeconds: number;
  /** Our own end of a watch, after the server's. */
  readonly graceMs: number;
  /** Longest silence of a stream that has shown that it sends bookmarks. */
  readonly silenceMs: number;
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /** A watch that lasted this long has worked: the next failure starts from the first delay. */
  readonly healthyMs: number;
}

export const usualPolicy: Policy = {
  pageSize: 500,
  watchSeconds: 300,
  watchSpreadSeconds: 300,
  graceMs: 5000,
  // Bookmarks come each minute.
  silenceMs: 150_000,
  firstDelayMs: 1000,
  longestDelayMs: 30_000,
  healthyMs: 5000,
};

export type Input =
  | { readonly kind: 'start' }
  | { readonly kind: 'stop' }
  /** One page of a list; without `continue` the last. */
  | { readonly kind: 'page'; readonly items: readonly Item[]; readonly version: string; readonly continue?: string }
  /** A request failed, or an ERROR event came. `status` 410 tells that the version is gone. */
  | { readonly kind: 'failed'; readonly status?: number; readonly retryAfterMs?: number }
  | { readonly kind: 'changed'; readonly item: Item }
  | { readonly kind: 'deleted'; readonly item: Item }
  | { readonly kind: 'bookmark'; readonly version: string }
  /** The server ended the stream in good order. */
  | { readonly kind: 'closed' }
  /** The time of the last `timer` effect has come. */
  | { readonly kind: 'due' };

export interface Item {
  readonly key: string;
  readonly version: string;
}

export type Effect =
  | { readonly kind: 'list'; readonly limit: number; readonly continue?: string }
  | { readonly kind: 'watch'; readonly version: string; readonly seconds: number }
  /** Ends the request that runs; nothing of it may come any more. */
  | { readonly kind: 'abort' }
  /** Replaces the timer of before. */
  | { readonly kind: 'timer'; readonly atMs: number }
  | { readonly kind: 'put'; readonly key: string }
  | { readonly kind: 'remove'; readonly key: string }
  /** The first complete list is in. */
  | { readonly kind: 'synced' };

export interface State {
  readonly at: 'idle' | 'listing' | 'watching' | 'waiting' | 'stopped';
  /** What is known of the server's objects, by key. The machine's own; changed in place, since it may hold 150,000. */
  readonly known: Map<string, string>;
  /** Keys of the list that runs. */
  readonly listed: Set<string>;
  /** Where to watch from; undefined: list first. */
  readonly version: string | undefined;
  readonly synced: boolean;
  readonly failures: number;
  /** When the request that runs, or ran last, was sent. */
  readonly sentMs: number;
  /** When it has taken too long, whatever it says. */
  readonly untilMs: number;
  /** The last sign of life: a page, an event, a bookmark. */
  readonly heardMs: number;
  readonly bookmarks: boolean;
  /** A continue token was gone once: read it all in one answer. */
  readonly unpaged: boolean;
}

export interface Circumstances {
  readonly policy: Policy;
  readonly prng: Prng;
  readonly nowMs: number;
}

type Step = readonly [State, readonly Effect[]];

export function initialState(nowMs: number): State {
  return {
    at: 'idle',
    known: new Map(),
    listed: new Set(),
    version: undefined,
    synced: false,
    failures: 0,
    sentMs: nowMs,
    untilMs: nowMs,
    heardMs: nowMs,
    bookmarks: false,
    unpaged: false,
  };
}

/** Total: an input that does not fit the state changes nothing. */
export function transition(state: State, input: Input, now: Circumstances): Step {
  if (input.kind === 'stop')
    return state.at === 'stopped' ? [state, []] : [{ ...state, at: 'stopped' }, [{ kind: 'abort' }]];
  switch (state.at) {
    case 'idle':
      return input.kind === 'start' ? ask(state, now) : [state, []];
    case 'listing':
      return whileListing(state, input, now);
    case 'watching':
      return whileWatching(state, input, now);
    case 'waiting':
      return input.kind === 'due' ? ask(state, now) : [state, []];
    case 'stopped':
      return [state, []];
  }
}

function ask(state: State, now: Circumstances): Step {
  return state.version === undefined ? list({ ...state, listed: new Set() }, now) : watch(state, state.version, now);
}

function list(state: State, { policy, nowMs }: Circumstances, more?: string): Step {
  const untilMs = nowMs + policy.longestDelayMs + policy.graceMs;
  const limit = state.unpaged ? 0 : policy.pageSize;
  const effect: Effect = more === undefined ? { kind: 'list', limit } : { kind: 'list', limit, continue: more };
  return [{ ...state, at: 'listing', sentMs: nowMs, untilMs }, [effect, { kind: 'timer', atMs: untilMs }]];
}

function watch(state: State, version: string, { policy, prng, nowMs }: Circumstances): Step {
  const seconds = policy.watchSeconds + Math.floor(prng.next() * policy.watchSpreadSeconds);
  const untilMs = nowMs + seconds * 1000 + policy.graceMs;
  const next: State = { ...state, at: 'watching', version, sentMs: nowMs, untilMs, bookmarks: false };
  return [
    next,
    [
      { kind: 'watch', version, seconds },
      { kind: 'timer', atMs: untilMs },
    ],
  ];
}

function whileListing(state: State, input: Input, now: Circumstances): Step {
  if (input.kind === 'page') return takePage(state, input, now);
  if (input.kind === 'failed') return fail({ ...state, unpaged: input.status === 410 }, input, now);
  if (input.kind === 'due') return giveUp(fail(state, { kind: 'failed' }, now));
  return [state, []];
}

function takePage(state: State, page: Extract<Input, { kind: 'page' }>, now: Circumstances): Step {
  const changed = page.items.filter(({ key, version }) => {
    state.listed.add(key);
    if (state.known.get(key) === version) return false;
    state.known.set(key, version);
    return true;
  });
  const puts = changed.map(({ key }): Effect => ({ kind: 'put', key }));
  const heard: State = { ...state, heardMs: now.nowMs };
  const more = page.continue ?? '';
  const [next, effects] = more === '' ? finishList(heard, page.version, now) : list(heard, now, more);
  return [next, [...puts, ...effects]];
}

function finishList(state: State, version: string, now: Circumstances): Step {
  const gone = [...state.known.keys()].filter((key) => !state.listed.has(key));
  for (const key of gone) state.known.delete(key);
  const removals = gone.map((key): Effect => ({ kind: 'remove', key }));
  const synced: readonly Effect[] = state.synced ? [] : [{ kind: 'synced' }];
  const [next, effects] = watch({ ...state, listed: new Set(), synced: true, unpaged: false }, version, now);
  return [next, [...removals, ...synced, ...effects]];
}

function whileWatching(state: State, input: Input, now: Circumstances): Step {
  switch (input.kind) {
    case 'changed':
      state.known.set(input.item.key, input.item.version);
      return hear(state, input.item.version, now, { kind: 'put', key: input.item.key });
    case 'deleted':
      state.known.delete(input.item.key);
      return hear(state, input.item.version, now, { kind: 'remove', key: input.item.key });
    case 'bookmark':
      return takeBookmark(state, input.version, now);
    case 'closed':
    case 'failed':
      return endWatch(state, input, now);
    case 'due':
      return overdue(state, now);
    default:
      return [state, []];
  }
}

function hear(state: State, version: string, { nowMs }: Circumstances, ...effects: readonly Effect[]): Step {
  return [{ ...state, version, heardMs: nowMs }, effects];
}

/** From the first bookmark of a stream on, silence says something. */
function takeBookmark(state: State, version: string, now: Circumstances): Step {
  const [next, effects] = hear({ ...state, bookmarks: true }, version, now);
  return [next, state.bookmarks ? effects : [{ kind: 'timer', atMs: watchEndMs(next, now.policy) }]];
}

/** What came since the timer was set may have moved the end. */
function overdue(state: State, now: Circumstances): Step {
  const endMs = watchEndMs(state, now.policy);
  if (now.nowMs < endMs) return [state, [{ kind: 'timer', atMs: endMs }]];
  return giveUp(endWatch(state, { kind: 'closed' }, now));
}

function watchEndMs({ untilMs, heardMs, bookmarks }: State, { silenceMs }: Policy): number {
  return bookmarks ? Math.min(untilMs, heardMs + silenceMs) : untilMs;
}

function giveUp([state, effects]: Step): Step {
  return [state, [{ kind: 'abort' }, ...effects]];
}

function endWatch(state: State, input: Extract<Input, { kind: 'closed' | 'failed' }>, now: Circumstances): Step {
  const healthy = now.nowMs - state.sentMs >= now.policy.healthyMs;
  const rested: State = healthy ? { ...state, failures: 0 } : state;
  if (input.kind === 'failed')
    return fail(input.status === 410 ? { ...rested, version: undefined } : rested, input, now);
  return healthy ? ask(rested, now) : fail(rested, { kind: 'failed' }, now);
}

/** Full jitter over the upper half: replicas that lost one server together do not come back together. */
function fail(
  state: State,
  { retryAfterMs = 0 }: Extract<Input, { kind: 'failed' }>,
  { policy, prng, nowMs }: Circumstances,
): Step {
  const full = Math.min(policy.longestDelayMs, policy.firstDelayMs * 2 ** state.failures);
  const delay = Math.max(full * (0.5 + prng.next() / 2), retryAfterMs, state.sentMs + policy.firstDelayMs - nowMs);
  const next: State = { ...state, at: 'waiting', failures: Math.min(state.failures + 1, 16) };
  return [next, [{ kind: 'timer', atMs: nowMs + Math.round(delay) }]];
}
