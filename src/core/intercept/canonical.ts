// One form for rules that mean the same: ours, and those that the kinds of iptables-save print (implied matches, numbers in hex,
// default masks, order of options). Two rules are equal when their canonical forms are.

/** The canonical form of a rule's text (without `-A CHAIN`). */
export function canonicalRule(text: string): string {
  const options = optionsOf(text.trim().split(/\s+/));
  const kept = options.filter(({ name, value }) => !(name === '-m' && implied.has(value)) && !isDefault(name, value));
  return kept
    .map(({ not, name, value }) => `${not ? '! ' : ''}${longName.get(name) ?? name} ${valueOf(name, value)}`.trim())
    .sort()
    .join(' ');
}

interface Option {
  readonly not: boolean;
  readonly name: string;
  readonly value: string;
}

/** Matches that the protocol or their own options imply. */
const implied: ReadonlySet<string> = new Set(['tcp', 'udp', 'owner', 'mark', 'connmark', 'conntrack', 'multiport']);
const longName = new Map([
  ['--to-port', '--to-ports'],
  ['--set-mark', '--set-xmark'],
]);

function optionsOf(words: readonly string[]): Option[] {
  const options: Option[] = [];
  for (let i = 0; i < words.length; i++) {
    const not = words[i] === '!';
    if (not) i++;
    const name = words[i] ?? '';
    const next = words[i + 1];
    const hasValue = next !== undefined && next !== '!' && !next.startsWith('-');
    options.push({ not, name, value: hasValue ? next : '' });
    if (hasValue) i++;
  }
  return options;
}

function isDefault(name: string, value: string): boolean {
  if (name === '--on-ip') return value === '0.0.0.0' || value === '::';
  return (name === '--nfmask' || name === '--ctmask') && value === '0xffffffff';
}

function valueOf(name: string, value: string): string {
  switch (name) {
    case '--mark':
    case '--set-mark':
    case '--set-xmark':
    case '--tproxy-mark':
      return value.replace(/\/0xffffffff$/, '').replace(/^0x[0-9a-f]+$/i, (hex) => String(Number.parseInt(hex, 16)));
    case '-s':
    case '-d':
      return canonicalRange(value);
    case '--ctstate':
      return value.split(',').sort().join(',');
    default:
      return value;
  }
}

/** Host bits cleared, IPv6 written in full, the length always there. */
function canonicalRange(range: string): string {
  const [address = '', length] = range.split('/');
  const v6 = address.includes(':');
  const bits = v6
    ? groupsOf(address).map((group) => group.toString(2).padStart(16, '0'))
    : address.split('.').map((part) => Number(part).toString(2).padStart(8, '0'));
  const all = bits.join('');
  const keep = length === undefined ? all.length : Number(length);
  return `${all.slice(0, keep)}/${keep}/${v6 ? 6 : 4}`;
}

function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const read = (part: string): number[] =>
    part
      .split(':')
      .filter(Boolean)
      .flatMap((group) => (group.includes('.') ? dotted(group) : [Number.parseInt(group, 16)]));
  const [before, after] = [read(head), read(tail ?? '')];
  return [...before, ...Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => 0), ...after];
}

function dotted(address: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}
