// Domain names on the wire. A name in this program is a text of labels, each followed by a dot ("a.b.", the root is "."); a dot or a
// backslash inside a label is escaped by a backslash, every other byte is the character of that number. Owns both directions and their
// bounds (RFC 1035, 3.1 and 4.1.4). Refuses to look anything up.

const labelAtMost = 63;
/** With the length byte of each label and the root's. */
const nameAtMost = 255;
/** More of them than labels fit into a name lead nowhere; a message of nothing else would cost a long walk for each name. */
const pointersAtMost = 126;
/** A compression pointer has 14 bits. */
const pointable = 1 << 14;

export interface ReadName {
  readonly name: string;
  /** Offset of the first byte after it, where it stands. */
  readonly end: number;
}

/** Reads the name at an offset. A pointer must point before the name that holds it, so that no message can make a loop. */
export function readName(bytes: Uint8Array, offset: number): ReadName | undefined {
  let name = '';
  let length = 1;
  let end: number | undefined;
  let before = offset;
  let pointers = 0;
  for (let at = offset; ; ) {
    const head = bytes[at];
    if (head === undefined) return undefined;
    if (head === 0) return { name: name === '' ? '.' : name, end: end ?? at + 1 };
    if (head >= 0xc0) {
      const target = ((head & 0x3f) << 8) | (bytes[at + 1] ?? pointable);
      if (target >= before || ++pointers > pointersAtMost) return undefined;
      end ??= at + 2;
      at = before = target;
      continue;
    }
    const next = at + 1 + head;
    length += 1 + head;
    if (head > labelAtMost || next > bytes.length || length > nameAtMost) return undefined;
    name += `${labelText(bytes.subarray(at + 1, next))}.`;
    at = next;
  }
}

function labelText(label: Uint8Array): string {
  return String.fromCharCode(...label).replace(/[.\\]/g, '\\$&');
}

/** Whether a name has a form on the wire. */
export function isName(name: string): boolean {
  if (name === '.') return true;
  const labels = rawLabels(name);
  const isWhole = labels.join('.').length + 1 === name.length;
  const sizes = labels.map((label) => plainLabel(label).length);
  const length = sizes.reduce((sum, size) => sum + size + 1, 1);
  return isWhole && length <= nameAtMost && sizes.every((size) => size <= labelAtMost) && !/[^\0-\xff]/.test(name);
}

/** Labels as they stand in the text, escapes and all. */
export function rawLabels(name: string): readonly string[] {
  return name.match(/(?:\\[\s\S]|[^\\.])+(?=\.)/g) ?? [];
}

function plainLabel(label: string): string {
  return label.replace(/\\([\s\S])/g, '$1');
}

/** Where names already stand in a message that is being written, by their text from each label on. */
export type Pointers = Map<string, number>;

/** Appends a name (`isName`), ending in a pointer where its tail is in the message already. */
export function writeName(out: number[], name: string, pointers: Pointers): void {
  const labels = rawLabels(name);
  for (const [i, label] of labels.entries()) {
    const tail = labels.slice(i).join('.');
    const known = pointers.get(tail);
    if (known !== undefined) {
      out.push(0xc0 | (known >> 8), known & 0xff);
      return;
    }
    if (out.length < pointable) pointers.set(tail, out.length);
    const plain = plainLabel(label);
    out.push(plain.length);
    for (let j = 0; j < plain.length; j++) out.push(plain.charCodeAt(j));
  }
  out.push(0);
}

/** Names are equal whatever the case of their ASCII letters, and of these only. */
export function lowerName(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
