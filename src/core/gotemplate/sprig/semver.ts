// Semantic version constraints (`>=1.2 <2 || ~3.1`), as sprig's semverCompare takes them.
import { failCall } from '../error.ts';

interface Version {
  readonly numbers: readonly [number, number, number];
  readonly pre: string;
}

interface Partial3 extends Version {
  /** How many of the three numbers were given. */
  readonly given: number;
}

/** True if the version fits the constraint. */
export function semverCompare(constraint: string, version: string): boolean {
  const found = parseVersion(version);
  if (found === undefined || found.given === 0) return failCall('Invalid Semantic Version');
  return constraint.split('||').some((all) => termsOf(all, constraint).every((term) => fits(found, term)));
}

const pattern = /^v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

function parseVersion(text: string): Partial3 | undefined {
  const match = pattern.exec(text.trim());
  if (match === null) return undefined;
  const parts = [match[1], match[2], match[3]];
  const wild = parts.findIndex((part) => part === undefined || /^[xX*]$/.test(part));
  const number = (i: number) => (wild >= 0 && i >= wild ? 0 : Number(parts[i]));
  return { numbers: [number(0), number(1), number(2)], pre: match[4] ?? '', given: wild < 0 ? 3 : wild };
}

interface Term {
  readonly operator: string;
  readonly version: Partial3;
}

function termsOf(text: string, whole: string): readonly Term[] {
  const hyphen = /^\s*(\S+)\s+-\s+(\S+)\s*$/.exec(text);
  const plain = hyphen === null ? text : `>=${hyphen[1]} <=${hyphen[2]}`;
  const terms = [...plain.matchAll(/\s*(=|!=|>=|=>|<=|=<|>|<|~>|~|\^)?\s*([^\s,=!<>~^]+)[\s,]*/g)];
  if (terms.map((term) => term[0]).join('') !== plain || terms.length === 0) {
    return failCall(`improper constraint: ${whole}`);
  }
  return terms.map(([, operator = '', version = '']) => {
    return { operator, version: parseVersion(version) ?? failCall(`improper constraint: ${whole}`) };
  });
}

function fits(found: Version, { operator, version }: Term): boolean {
  // A pre-release fits only a constraint that names one.
  if (found.pre !== '' && version.pre === '') return operator === '!=';
  const order = compare(found, version);
  switch (operator) {
    case '!=':
      return version.given < 3 ? !within(found, version, version.given) : order !== 0;
    case '>':
      return version.given < 3 ? order > 0 && !within(found, version, version.given) : order > 0;
    case '<':
      return order < 0;
    case '>=':
    case '=>':
      return order >= 0;
    case '<=':
    case '=<':
      return order <= 0 || (version.given < 3 && within(found, version, version.given));
    case '~':
    case '~>':
      return order >= 0 && within(found, version, Math.min(version.given, 2));
    case '^':
      return order >= 0 && within(found, version, caretPlaces(version));
    default:
      return version.given < 3 ? within(found, version, version.given) : order === 0;
  }
}

/** How many numbers ^ holds fast: up to the first that is not zero. */
function caretPlaces({ numbers, given }: Partial3): number {
  const first = numbers.findIndex((number, i) => number > 0 || i === given - 1);
  return Math.min(first + 1, given);
}

function within(found: Version, version: Version, places: number): boolean {
  return found.numbers.slice(0, places).every((number, i) => number === version.numbers[i]);
}

function compare(a: Version, b: Version): number {
  for (const [i, number] of a.numbers.entries()) if (number !== b.numbers[i]) return number - (b.numbers[i] ?? 0);
  if (a.pre === b.pre) return 0;
  if (a.pre === '' || b.pre === '') return a.pre === '' ? 1 : -1;
  return comparePre(a.pre.split('.'), b.pre.split('.'));
}

function comparePre(a: readonly string[], b: readonly string[]): number {
  for (const [i, part] of a.entries()) {
    const other = b[i];
    if (other === undefined) return 1;
    if (part === other) continue;
    const [numeric, numericOther] = [/^\d+$/.test(part), /^\d+$/.test(other)];
    if (numeric && numericOther) return Number(part) - Number(other);
    if (numeric !== numericOther) return numeric ? -1 : 1;
    return part < other ? -1 : 1;
  }
  return a.length - b.length;
}
