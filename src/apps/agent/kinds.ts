// The kinds of values in the agent's settings, each with its parser. Numbers and truth as Go reads them.
import { parseDurationMs } from '../../core/std/duration.ts';
import type { Setting } from './table.ts';

type Row = Omit<Setting<unknown>, 'parse' | 'unit' | 'unset'>;

export function text(unset: string, row: Row): Setting<string> {
  return { ...row, unset, unit: 'text', parse: (given) => given };
}

/** Bounds of a number that has none of its own. */
export const anyNumber = [0, 2 ** 31] as const;

/** An integer within bounds. */
export function count(unset: string, row: Row, bounds: readonly [least: number, most: number]): Setting<number> {
  const [least, most] = bounds;
  return {
    ...row,
    unset,
    unit: `a number from ${least} to ${most}`,
    parse: (given) => {
      const value = Number(given);
      return /^\d+$/.test(given) && value >= least && value <= most ? value : undefined;
    },
  };
}

/** A part of a whole. */
export function share(unset: string, row: Row): Setting<number> {
  return {
    ...row,
    unset,
    unit: 'a number from 0 to 1',
    parse: (given) => {
      const value = Number(given);
      return /^\d*\.?\d+$/.test(given) && value <= 1 ? value : undefined;
    },
  };
}

export function port(unset: string, row: Row): Setting<number> {
  return { ...count(unset, row, [0, 65_535]), unit: 'a port' };
}

const durationUnit = 'a duration, as 500ms, 5s or 1m30s';

/** A Go duration, in milliseconds. */
export function duration(unset: string, row: Row): Setting<number> {
  return { ...row, unset, unit: durationUnit, parse: nonNegativeMs };
}

/** A duration that nobody need give; none is `none`. */
export function maybeDuration(row: Row): Setting<number | 'none'> {
  return { ...row, unset: '', unit: durationUnit, parse: (given) => (given === '' ? 'none' : nonNegativeMs(given)) };
}

export function truth(unset: 'true' | 'false', row: Row): Setting<boolean> {
  return {
    ...row,
    unset,
    unit: 'true or false',
    parse: (given) =>
      /^(?:1|t|T|true|TRUE|True)$/.test(given) ? true : /^(?:0|f|F|false|FALSE|False)$/.test(given) ? false : undefined,
  };
}

export function choice<const T extends string>(unset: T, row: Row, words: readonly T[]): Setting<T> {
  return {
    ...row,
    unset,
    unit: `one of ${words.filter((word) => word !== '').join(', ')}`,
    parse: (given) => words.find((word) => word === given),
  };
}

/** Words from a fixed set, separated by commas. */
export function choices<const T extends string>(row: Row, words: readonly T[]): Setting<readonly T[]> {
  return {
    ...row,
    unset: '',
    unit: `names, separated by commas, out of ${words.join(', ')}`,
    parse: (given) => {
      const wanted = given
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== '');
      const known = wanted.flatMap((word) => words.find((name) => name === word) ?? []);
      return known.length === wanted.length ? known : undefined;
    },
  };
}

function nonNegativeMs(given: string): number | undefined {
  const ms = parseDurationMs(given);
  return ms !== undefined && ms >= 0 ? ms : undefined;
}
