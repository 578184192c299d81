// Floats in decimal as Go's strconv writes them: shortest digits that read back, or a precision, rounded half to even on the
// exact binary value (JavaScript's toFixed and toPrecision round ties up).

/** Significant digits without leading zeros ("" for 0) and the place of the point: 0.DIGITS × 10^point. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

/** A float in Go's format e, f or g; precision -1 means as many digits as are needed. */
export function formatFloat(value: number, format: 'e' | 'E' | 'f' | 'g' | 'G', precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  if (!Number.isFinite(value)) return sign === '-' ? '-Inf' : '+Inf';
  const magnitude = Math.abs(value);
  switch (format) {
    case 'e':
    case 'E':
      return (
        sign +
        exponential(precision < 0 ? shortest(magnitude) : significant(magnitude, precision + 1), precision, format)
      );
    case 'f':
      return sign + fixed(precision < 0 ? shortest(magnitude) : fractional(magnitude, precision), precision);
    default:
      return sign + general(magnitude, precision, format);
  }
}

function general(magnitude: number, precision: number, format: 'g' | 'G'): string {
  const short = precision < 0;
  const wanted = short ? 6 : Math.max(precision, 1);
  const decimal = short ? shortest(magnitude) : significant(magnitude, wanted);
  const digits = trimZeros(decimal.digits);
  // The exponent is compared with 6 for the shortest form, else with the precision, or with the digits if they are fewer.
  const limit = short ? 6 : wanted > digits.length && digits.length >= decimal.point ? digits.length : wanted;
  const exponent = magnitude === 0 ? 0 : decimal.point - 1;
  if (exponent < -4 || exponent >= limit) {
    return exponential({ digits, point: decimal.point }, Math.max(digits.length - 1, 0), format === 'g' ? 'e' : 'E');
  }
  return fixed({ digits, point: decimal.point }, Math.max(digits.length - decimal.point, 0));
}

function trimZeros(digits: string): string {
  return digits.replace(/0+$/, '');
}

function exponential({ digits, point }: Decimal, precision: number, letter: string): string {
  const all = digits === '' ? '0' : digits;
  const rest = precision < 0 ? all.slice(1) : all.slice(1).padEnd(precision, '0');
  const exponent = digits === '' ? 0 : point - 1;
  const power = String(Math.abs(exponent)).padStart(2, '0');
  return `${all[0]}${rest === '' ? '' : `.${rest}`}${letter}${exponent < 0 ? '-' : '+'}${power}`;
}

function fixed({ digits, point }: Decimal, precision: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  const places = precision < 0 ? Math.max(digits.length - point, 0) : precision;
  if (places === 0) return whole;
  const fraction = (point < 0 ? '0'.repeat(-point) : '') + digits.slice(Math.max(point, 0));
  return `${whole}.${fraction.slice(0, places).padEnd(places, '0')}`;
}

/** The fewest digits that read back as the same float: what JavaScript prints. */
function shortest(magnitude: number): Decimal {
  if (magnitude === 0) return { digits: '', point: 0 };
  const [mantissa = '', exponent = '0'] = magnitude.toExponential().split('e');
  return { digits: mantissa.replace('.', ''), point: Number(exponent) + 1 };
}

/** Rounded to a count of significant digits. */
function significant(magnitude: number, count: number): Decimal {
  const exact = exactly(magnitude);
  return round(exact, count);
}

/** Rounded to a count of digits after the point. */
function fractional(magnitude: number, places: number): Decimal {
  const exact = exactly(magnitude);
  return round(exact, exact.point + places);
}

function round({ digits, point }: Decimal, count: number): Decimal {
  if (count < 0) return { digits: '', point: 0 };
  if (digits.length <= count) return { digits, point };
  const kept = digits.slice(0, count);
  const rest = digits.slice(count);
  const tie = /^50*$/.test(rest);
  const up = tie ? Number(kept.at(-1) ?? '0') % 2 === 1 : (rest[0] ?? '0') >= '5';
  if (!up) return kept === '' ? { digits: '', point: 0 } : { digits: kept, point };
  const next = String(BigInt(`0${kept}`) + 1n).padStart(count, '0');
  return { digits: trimZeros(next), point: point + next.length - count };
}

/** Every decimal digit of a float. */
function exactly(magnitude: number): Decimal {
  if (magnitude === 0) return { digits: '', point: 0 };
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, magnitude);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const mantissa = (bits & ((1n << 52n) - 1n)) | (biased === 0 ? 0n : 1n << 52n);
  const exponent = (biased === 0 ? 1 : biased) - 1075;
  if (exponent >= 0) {
    const digits = String(mantissa << BigInt(exponent));
    return { digits: trimZeros(digits), point: digits.length };
  }
  const digits = String(mantissa * 5n ** BigInt(-exponent));
  return { digits: trimZeros(digits), point: digits.length + exponent };
}
