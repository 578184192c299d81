// Go durations ("1h30m", "5s", "250ms"), as Kubernetes and Istio write them, in milliseconds.

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const whole = /^[-+]?(?:\d+(?:\.\d*)?(?:ns|us|µs|μs|ms|s|m|h)|\.\d+(?:ns|us|µs|μs|ms|s|m|h))+$/;
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const longest = 128;

/** Milliseconds of a Go duration, or undefined where Go's time.ParseDuration refuses the text. */
export function parseDurationMs(text: string): number | undefined {
  if (text === '0' || text === '+0' || text === '-0') return 0;
  if (text.length > longest || !whole.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(part)) total += Number(amount) * (unitMs[unit ?? ''] ?? 0);
  return text.startsWith('-') ? -total : total;
}

/** The shortest Go form of a duration: 90000 → "1m30s". Below a millisecond is cut off. */
export function formatDuration(ms: number): string {
  if (ms < 0) return `-${formatDuration(-ms)}`;
  const rest = Math.trunc(ms);
  if (rest === 0) return '0s';
  if (rest < 1000) return `${rest}ms`;
  const hours = Math.trunc(rest / 3_600_000);
  const minutes = Math.trunc(rest / 60_000) % 60;
  const seconds = (rest % 60_000) / 1000;
  return `${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${seconds}s`
    .replace(/m0s$/, 'm')
    .replace(/h0m$/, 'h');
}
