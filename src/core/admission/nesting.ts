// How deep a JSON text nests, found without parsing it: what is too deep would overflow the stack of whoever walks it later.

const quote = 0x22;
const backslash = 0x5c;

/** Whether `{` and `[` nest deeper than the limit anywhere outside of strings. Linear; takes UTF-8. */
export function nestsBeyond(bytes: Uint8Array, limit: number): boolean {
  let depth = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === quote) i = endOfString(bytes, i);
    else if (byte === 0x7b || byte === 0x5b) {
      depth++;
      if (depth > limit) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return false;
}

function endOfString(bytes: Uint8Array, start: number): number {
  let i = bytes.indexOf(quote, start + 1);
  while (i !== -1 && isEscaped(bytes, i)) i = bytes.indexOf(quote, i + 1);
  return i === -1 ? bytes.length : i;
}

function isEscaped(bytes: Uint8Array, at: number): boolean {
  let backslashes = 0;
  while (bytes[at - 1 - backslashes] === backslash) backslashes++;
  return backslashes % 2 === 1;
}
