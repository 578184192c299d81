// Node's collector of garbage, for moments that the program chooses.

type Collect = (options?: { readonly type: 'minor' }) => void;

let known: Collect | undefined;

/** Collects all of it, which stops everything for as long: some 100 ms for 100 MB. */
export function collectGarbage(): void {
  collector()();
}

const sweptBytes = 4 * 2 ** 20;
/** Bun frees buffers early by itself. */
const sweeps = process.versions['bun'] === undefined;
let passedBytes = 0;

/**
 * Tells that so many bytes came in buffers of their own and are on their way out. V8 lets 50 MB of such buffers become garbage before it collects any, and what they took
 * of the heap is never given back to the machine; a collection of the young ones takes half a millisecond.
 */
export function passed(bytes: number): void {
  passedBytes += bytes;
  if (passedBytes < sweptBytes) return;
  passedBytes = 0;
  if (sweeps) collector()({ type: 'minor' });
}

function collector(): Collect {
  known ??= exposed();
  return known;
}

/** Asked for late: few programs collect. */
function exposed(): Collect {
  process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc');
  return process.getBuiltinModule('node:vm').runInNewContext('gc') as Collect;
}
