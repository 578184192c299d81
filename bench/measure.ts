// How benchmarks measure: cold (the first run in a new process) and warm (the median of some), because a command runs once.

export interface Row {
  readonly name: string;
  readonly coldMs: number;
  readonly medianMs: number;
  readonly goalMs?: number;
  /** Milliseconds unless told; memory is MB. */
  readonly unit?: 'ms' | 'MB';
  /** How many times as long as our own row, and how many it should be at least. */
  readonly ratio?: { readonly times: number; readonly goal: number };
}

/** Runs work once, then some times more; its result must not change. */
export function stopwatch(work: () => number, runs = 7): Pick<Row, 'coldMs' | 'medianMs'> {
  const expected = { result: 0 };
  const times = Array.from({ length: runs + 1 }, (_, index) => {
    const began = performance.now();
    const result = work();
    const elapsed = performance.now() - began;
    if (index === 0) expected.result = result;
    if (result !== expected.result) throw new Error(`the work gave ${result}, before ${expected.result}`);
    return elapsed;
  });
  const warm = times.slice(1).sort((a, b) => a - b);
  return { coldMs: times[0] ?? 0, medianMs: warm[Math.floor(warm.length / 2)] ?? 0 };
}
