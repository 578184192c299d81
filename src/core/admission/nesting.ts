// How deep a JSON text nests, found without parsing it: what is too deep would overflow the stack of whoever walks it later.

const quote = 0x22;
const backslash = 0x5c;

/** Whether `{` and `[` nest deeper than the limit anywhere outside of strings. Linear. */
export function nestsBeyond(text: string, limit: number): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) i = endOfString(text, i);
    else if (code === 0x7b || code === 0x5b) {
      depth++;
      if (depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

function endOfString(text: string, start: number): number {
  let i = text.indexOf('"', start + 1);
  while (i !== -1 && isEscaped(text, i)) i = text.indexOf('"', i + 1);
  return i === -1 ? text.length : i;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++;
  return backslashes % 2 === 1;
}
