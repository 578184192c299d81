// Kubernetes quantities ("100m", "1.5Gi", "2e3") as exact integers of nano-units, so that two spellings of one amount compare equal.

const form = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d+)?$/;
const decimalExponent: Readonly<Record<string, number>> = {
  n: 0,
  u: 3,
  m: 6,
  '': 9,
  k: 12,
  M: 15,
  G: 18,
  T: 21,
  P: 24,
  E: 27,
};
const binaryPower: Readonly<Record<string, bigint>> = { Ki: 1n, Mi: 2n, Gi: 3n, Ti: 4n, Pi: 5n, Ei: 6n };
/** Beyond this an exponent is a mistake, and 10 to its power a denial of service. */
const largestExponent = 30;

/** Nano-units of a quantity, rounded up as Kubernetes does below a nano-unit; undefined where it is none. */
export function parseQuantity(text: string): bigint | undefined {
  const found = form.exec(text);
  if (found === null) return undefined;
  const [, sign = '', digits = '', suffix = ''] = found;
  const scale = scaleOf(suffix);
  if (scale === undefined) return undefined;
  const [whole = '', fraction = ''] = digits.split('.');
  const divisor = 10n ** BigInt(fraction.length + Math.max(0, -scale.exponent));
  const amount = BigInt(`${whole}${fraction}`) * scale.factor * 10n ** BigInt(Math.max(0, scale.exponent));
  const rounded = (amount + divisor - 1n) / divisor;
  return sign === '-' ? -rounded : rounded;
}

function scaleOf(suffix: string): { readonly factor: bigint; readonly exponent: number } | undefined {
  const power = binaryPower[suffix];
  if (power !== undefined) return { factor: 1024n ** power, exponent: 9 };
  const exponent = decimalExponent[suffix] ?? Number(suffix.slice(1)) + 9;
  return Math.abs(exponent) > largestExponent ? undefined : { factor: 1n, exponent };
}
