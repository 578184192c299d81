// Quantities in Kubernetes' canonical spelling: `2000m` is `2`, `1024Mi` is `1Gi`. What an API server would store.
import { parseQuantity } from '../../std/quantity.ts';

const decimal: readonly string[] = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binary: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const unit = 1_000_000_000n;

const cache = new Map<string, string>();
const remembered = 1000;

/** The canonical form, or undefined where the text is no quantity. */
export function canonicalQuantity(text: string): string | undefined {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const nano = parseQuantity(text);
  if (nano === undefined) return undefined;
  const canonical = spell(nano, text);
  if (cache.size >= remembered) cache.clear();
  cache.set(text, canonical);
  return canonical;
}

function spell(nano: bigint, text: string): string {
  if (nano === 0n) return '0';
  const magnitude = nano < 0n ? -nano : nano;
  if (text.endsWith('i') && magnitude >= 1024n * unit && nano % unit === 0n) return spellBinary(nano / unit);
  const { amount, steps } = reduce(nano, 1000n, decimal.length - 1);
  const exponent = /[eE][-+]?\d+$/.test(text);
  if (!exponent) return `${amount}${decimal[steps]}`;
  const power = 3 * steps - 9;
  return power === 0 ? String(amount) : `${amount}e${power}`;
}

function spellBinary(value: bigint): string {
  const { amount, steps } = reduce(value, 1024n, binary.length - 1);
  return `${amount}${binary[steps]}`;
}

/** Divides as often as it leaves nothing. */
function reduce(value: bigint, by: bigint, most: number): { readonly amount: bigint; readonly steps: number } {
  let [amount, steps] = [value, 0];
  while (steps < most && amount % by === 0n) {
    amount /= by;
    steps++;
  }
  return { amount, steps };
}
