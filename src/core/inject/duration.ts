// Durations of protobuf's JSON ("1.5s") as Go prints a time.Duration ("1m0.5s").

/** Go's form of a protobuf duration. */
export function formatGoDuration(text: string): string {
  const nanos = nanosOf(text);
  if (nanos === 0n) return '0s';
  const sign = nanos < 0n ? '-' : '';
  const magnitude = nanos < 0n ? -nanos : nanos;
  return sign + (magnitude < 1_000_000_000n ? small(magnitude) : large(magnitude));
}

function nanosOf(text: string): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,9}))?s$/.exec(text) ?? [];
  const nanos = BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0') || '0');
  return sign === '-' ? -nanos : nanos;
}

function small(nanos: bigint): string {
  if (nanos < 1000n) return `${nanos}ns`;
  return nanos < 1_000_000n ? `${decimal(nanos, 1000n)}µs` : `${decimal(nanos, 1_000_000n)}ms`;
}

function large(nanos: bigint): string {
  const seconds = nanos / 1_000_000_000n;
  const [hours, minutes] = [seconds / 3600n, (seconds / 60n) % 60n];
  const rest = decimal(nanos - (seconds - (seconds % 60n)) * 1_000_000_000n, 1_000_000_000n);
  return `${hours > 0n ? `${hours}h` : ''}${hours > 0n || minutes > 0n ? `${minutes}m` : ''}${rest}s`;
}

function decimal(nanos: bigint, unit: bigint): string {
  const fraction = (nanos % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/, '');
  return `${nanos / unit}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Protobuf's form of a duration. */
export function formatProtoDuration(ms: number): string {
  return `${ms / 1000}s`;
}
