// The event queue of the simulators: what is due first comes first, and of what is due together, what was put in first.
// A 4-ary heap over typed arrays: the keys lie side by side, no object is made for an entry.

export interface EventQueue<T> {
  readonly size: number;
  /** Time of the next entry; Infinity when empty. */
  readonly nextMs: number;
  /** `last`: behind everything else that is due at that time, also what is put in later. */
  put(atMs: number, value: T, last?: boolean): void;
  /** Takes the next entry's value. Undefined when empty. */
  take(): T | undefined;
}

/** More than a queue ever counts; with it added, a sequence number is still exact. */
const behindAll = 2 ** 50;

interface Heap<T> {
  times: Float64Array;
  sequences: Float64Array;
  /** Index into `values` of each entry. */
  slots: Uint32Array;
  readonly values: (T | undefined)[];
  readonly free: number[];
  size: number;
  sequence: number;
}

/** An empty queue. */
export function eventQueue<T>(): EventQueue<T> {
  const heap: Heap<T> = {
    times: new Float64Array(64),
    sequences: new Float64Array(64),
    slots: new Uint32Array(64),
    values: [],
    free: [],
    size: 0,
    sequence: 0,
  };
  return {
    get size() {
      return heap.size;
    },
    get nextMs() {
      return heap.size === 0 ? Number.POSITIVE_INFINITY : (heap.times[0] ?? 0);
    },
    put: (atMs, value, last = false) => put(heap, atMs, value, last),
    take: () => take(heap),
  };
}

function put<T>(heap: Heap<T>, atMs: number, value: T, last: boolean): void {
  if (heap.size === heap.times.length) grow(heap);
  const slot = heap.free.pop() ?? heap.values.length;
  heap.values[slot] = value;
  let index = heap.size++;
  const sequence = heap.sequence++ + (last ? behindAll : 0);
  while (index > 0) {
    const parent = (index - 1) >> 2;
    if (!isBefore(heap, atMs, sequence, parent)) break;
    move(heap, parent, index);
    index = parent;
  }
  set(heap, index, atMs, sequence, slot);
}

function take<T>(heap: Heap<T>): T | undefined {
  if (heap.size === 0) return undefined;
  const slot = heap.slots[0] ?? 0;
  const value = heap.values[slot];
  heap.values[slot] = undefined;
  heap.free.push(slot);
  heap.size--;
  if (heap.size > 0) sink(heap);
  return value;
}

/** Puts the last entry at the top and lets it down. */
function sink<T>(heap: Heap<T>): void {
  const last = heap.size;
  const atMs = heap.times[last] ?? 0;
  const sequence = heap.sequences[last] ?? 0;
  const slot = heap.slots[last] ?? 0;
  let index = 0;
  for (;;) {
    const child = firstChild(heap, index);
    if (child === -1 || isBefore(heap, atMs, sequence, child)) break;
    move(heap, child, index);
    index = child;
  }
  set(heap, index, atMs, sequence, slot);
}

function firstChild<T>(heap: Heap<T>, parent: number): number {
  const from = parent * 4 + 1;
  if (from >= heap.size) return -1;
  const to = Math.min(from + 4, heap.size);
  let best = from;
  for (let index = from + 1; index < to; index++) {
    if (isBefore(heap, heap.times[index] ?? 0, heap.sequences[index] ?? 0, best)) best = index;
  }
  return best;
}

function isBefore<T>(heap: Heap<T>, atMs: number, sequence: number, index: number): boolean {
  const other = heap.times[index] ?? 0;
  return atMs < other || (atMs === other && sequence < (heap.sequences[index] ?? 0));
}

function move<T>(heap: Heap<T>, from: number, to: number): void {
  heap.times[to] = heap.times[from] ?? 0;
  heap.sequences[to] = heap.sequences[from] ?? 0;
  heap.slots[to] = heap.slots[from] ?? 0;
}

// oxlint-disable-next-line eslint/max-params -- the inner loop of every simulation: an options object would be made per entry
function set<T>(heap: Heap<T>, index: number, atMs: number, sequence: number, slot: number): void {
  heap.times[index] = atMs;
  heap.sequences[index] = sequence;
  heap.slots[index] = slot;
}

function grow<T>(heap: Heap<T>): void {
  const length = heap.times.length * 2;
  const times = new Float64Array(length);
  const sequences = new Float64Array(length);
  const slots = new Uint32Array(length);
  times.set(heap.times);
  sequences.set(heap.sequences);
  slots.set(heap.slots);
  heap.times = times;
  heap.sequences = sequences;
  heap.slots = slots;
}
