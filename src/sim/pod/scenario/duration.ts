// Durations of a scenario in milliseconds.
import { parseDurationMs } from '../../../core/std/duration.ts';

/** Milliseconds of a duration that the schema has accepted: text as Go writes it, a number of seconds, or `forever`. */
export function spanMs(value: string | number): number {
  if (value === 'forever') return Number.POSITIVE_INFINITY;
  return typeof value === 'number' ? value * 1000 : (parseDurationMs(value) ?? 0);
}
