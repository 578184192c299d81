// sprig's functions on numbers.
import { failCall } from '../error.ts';
import { sprintOne } from '../format.ts';
import type { GoFunction, Value } from '../value.ts';
import { count, define, toFloat, toInt } from './convert.ts';

export const numberFunctions: Readonly<Record<string, GoFunction>> = {
  int: define(['any'], toInt),
  int64: define(['any'], toInt),
  float64: define(['any'], toFloat),
  atoi: define(['string'], (s: string) => (/^[+-]?\d+$/.test(s) ? toInt(s) : 0n)),
  toDecimal: define(['any'], toDecimal),
  add1: define(['any'], (a: Value) => wrap(toInt(a) + 1n)),
  add: define(['...any'], (...values: Value[]) => values.reduce<bigint>((sum, value) => wrap(sum + toInt(value)), 0n)),
  sub: define(['any', 'any'], (a: Value, b: Value) => wrap(toInt(a) - toInt(b))),
  mul: define(['any', '...any'], (...values: Value[]) =>
    values.reduce<bigint>((all, value) => wrap(all * toInt(value)), 1n),
  ),
  div: define(['any', 'any'], (a: Value, b: Value) => wrap(toInt(a) / divisor(b))),
  mod: define(['any', 'any'], (a: Value, b: Value) => toInt(a) % divisor(b)),
  max: define(['any', '...any'], (...values: Value[]) => values.map(toInt).reduce((a, b) => (b > a ? b : a))),
  biggest: define(['any', '...any'], (...values: Value[]) => values.map(toInt).reduce((a, b) => (b > a ? b : a))),
  min: define(['any', '...any'], (...values: Value[]) => values.map(toInt).reduce((a, b) => (b < a ? b : a))),
  maxf: define(['any', '...any'], (...values: Value[]) => Math.max(...values.map(toFloat))),
  minf: define(['any', '...any'], (...values: Value[]) => Math.min(...values.map(toFloat))),
  ceil: define(['any'], (value: Value) => Math.ceil(toFloat(value))),
  floor: define(['any'], (value: Value) => Math.floor(toFloat(value))),
  round: define(['any', 'int', '...float'], round),
  until: define(['int'], (end: bigint) => steps(0n, end, end < 0n ? -1n : 1n)),
  untilStep: define(['int', 'int', 'int'], steps),
  seq: define(['...int'], seq),
};

function wrap(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

function divisor(value: Value): bigint {
  const number = toInt(value);
  return number === 0n ? failCall('runtime error: integer divide by zero') : number;
}

function toDecimal(value: Value): bigint {
  const digits = sprintOne(value);
  return /^[0-7]+$/.test(digits) ? BigInt(`0o${digits}`) : 0n;
}

function round(value: Value, places: bigint, on = 0.5): number {
  const power = 10 ** count(places);
  const digit = power * toFloat(value);
  const fraction = digit - Math.trunc(digit);
  return (fraction >= on ? Math.ceil(digit) : Math.floor(digit)) / power;
}

const most = 1_000_000;

function steps(from: bigint, to: bigint, by: bigint): bigint[] {
  if (by === 0n || (to < from ? by > 0n : by < 0n)) return [];
  if ((to - from) / by > BigInt(most)) return failCall(`more than ${most} numbers`);
  const list: bigint[] = [];
  for (let i = from; to < from ? i > to : i < to; i += by) list.push(i);
  return list;
}

function seq(...params: bigint[]): string {
  const [first = 0n, second = 0n, third = 0n] = params;
  const sign = (a: bigint, b: bigint) => (b < a ? -1n : 1n);
  switch (params.length) {
    case 1:
      return steps(1n, first + sign(1n, first), sign(1n, first)).join(' ');
    case 2:
      return steps(first, second + sign(first, second), sign(first, second)).join(' ');
    case 3:
      if ((third < first && second > 0n) || (third > first && second < 0n)) return '';
      return steps(first, third + sign(first, third), second).join(' ');
    default:
      return '';
  }
}
