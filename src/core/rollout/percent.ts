// A percent of rollouts.yml: a number from 0 to 100 with at most two decimals, kept as an integer of hundredths (slots).
// Read from the text that stands in the file, because `075` and `1_0` are other numbers for other YAML readers.
import { isNull, type ScalarNode, shortened } from '../spec-file/index.ts';

/** Hundredths of a percent, or why it is none. */
export type Percent = number | { readonly message: string; readonly hint: string };

const wanted = 'write a number from 0 to 100 with at most two decimals';
const number = /^([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d{1,2}))?$/;

export function parsePercent({ text, quoted, ...node }: ScalarNode): Percent {
  if (isNull({ ...node, text, quoted })) return { message: 'the share is missing', hint: wanted };
  if (quoted) return { message: `${JSON.stringify(shortened(text))} is a text, not a number`, hint: quotedHint(text) };
  const [, sign = '', whole = '', decimals = '', power = '0'] = number.exec(text) ?? [];
  if (whole === '' && decimals === '') return { message: `${shortened(text)} is not a number`, hint: wanted };
  if (sign === '-' && /[1-9]/.test(whole + decimals)) return { message: `${text} is negative`, hint: wanted };
  if (/^0\d/.test(whole))
    return { message: `${text} has a leading zero: some YAML readers take it as octal`, hint: `write ${Number(text)}` };
  return hundredths(text, whole + decimals, Number(power) - decimals.length + 2);
}

/** digits × 10^shift, exactly. */
function hundredths(text: string, digits: string, shift: number): Percent {
  const significant = digits.replace(/^0+/, '');
  const padded = shift >= 0 ? significant + '0'.repeat(significant === '' ? 0 : shift) : significant;
  const cut = shift < 0 ? padded.slice(0, shift) : padded;
  const rest = shift < 0 ? padded.slice(shift) : '';
  if (/[1-9]/.test(rest)) return { message: `${text} has more than two decimals`, hint: wanted };
  const value = cut.length > 6 ? Number.POSITIVE_INFINITY : Number(cut);
  return value > 10_000 ? { message: `${text} is more than 100`, hint: wanted } : value;
}

function quotedHint(text: string): string {
  const bare = text.replace(/\s*%$/, '');
  return /^\d+(?:\.\d+)?$/.test(bare)
    ? `write ${bare}, without quotes${bare === text ? '' : ' and percent sign'}`
    : wanted;
}

/** 7550 → "75.5". */
export function percentText(share: number): string {
  return String(share / 100);
}
