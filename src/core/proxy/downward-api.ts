// Files of the downward API (labels, annotations): lines of `key="value"`, the value quoted as Go quotes strings.

/** Keys and values; a line that is no such pair is left out. */
export function parseDownwardApi(text: string): Readonly<Record<string, string>> {
  const pairs: [string, string][] = [];
  for (const line of text.split('\n')) {
    const at = line.indexOf('=');
    const value = at < 1 ? undefined : unquoteGo(line.slice(at + 1));
    if (value !== undefined) pairs.push([line.slice(0, at), value]);
  }
  return Object.fromEntries(pairs);
}

/** What JSON does not know of Go's escapes: \a \v \xNN \UNNNNNNNN and octal; \xNN stands for a byte that is no UTF-8. */
function unquoteGo(quoted: string): string | undefined {
  const json = quoted.replace(
    /\\(?:(["\\bfnrt]|u[0-9a-fA-F]{4})|a|v|x([0-9a-fA-F]{2})|U([0-9a-fA-F]{8}))/g,
    (escape, plain: string | undefined, byte: string | undefined, point: string | undefined) => {
      if (plain !== undefined) return escape;
      if (byte !== undefined) return Number.parseInt(byte, 16) < 128 ? `\\u00${byte}` : '\ufffd';
      if (point !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(point, 16), 0x10ffff));
      return escape === '\\a' ? '\\u0007' : '\\u000b';
    },
  );
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
