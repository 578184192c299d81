// The order of revision names, oldest first: the lists of their digit runs compared as integers of any length, a prefix
// being older and no digits being oldest; then the names by code point (docs/explanation/slots.md).
import { compareCodePoints } from '../std/order.ts';

/** Negative where a is older than b. Zero only for the same name. */
export function compareRevisions(a: string, b: string): number {
  const left = a.match(/\d+/g) ?? [];
  const right = b.match(/\d+/g) ?? [];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = compareDigits(left[i] ?? '', right[i] ?? '');
    if (order !== 0) return order;
  }
  return left.length - right.length || compareCodePoints(a, b);
}

/** Digits as integers of any length; leading zeros do not count. */
function compareDigits(a: string, b: string): number {
  const left = a.replace(/^0+/, '');
  const right = b.replace(/^0+/, '');
  return left.length - right.length || compareCodePoints(left, right);
}
