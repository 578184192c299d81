// Go's quoted strings (strconv.Quote) as %q and sprig's quote write them.

const named: Readonly<Record<number, string>> = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  92: '\\\\',
};
// What Go's IsPrint accepts: letters, marks, numbers, punctuation, symbols and the ASCII space.
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** A string in double quotes; `ascii` escapes everything beyond ASCII. */
export function goQuote(text: string, ascii = false): string {
  if (!ascii && /^[ !#-[\]-~]*$/.test(text)) return `"${text}"`;
  let quoted = '"';
  for (const point of text) quoted += point === '"' ? '\\"' : escapeRune(point, ascii);
  return `${quoted}"`;
}

/** A rune in single quotes. */
export function goQuoteRune(code: number, ascii = false): string {
  const point =
    code < 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? '\ufffd' : String.fromCodePoint(code);
  return `'${point === "'" ? "\\'" : escapeRune(point, ascii)}'`;
}

function escapeRune(point: string, ascii: boolean): string {
  const code = point.codePointAt(0) ?? 0;
  const name = named[code];
  if (name !== undefined) return name;
  if (code < 0x7f ? code >= 0x20 : !ascii && isPrintable(point)) return point;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
}

export function isPrintable(point: string): boolean {
  return printable.test(point);
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
