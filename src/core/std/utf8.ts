// UTF-8 in plain code, because core has no TextEncoder: what is hashed and what is measured in bytes.

/** The bytes of a text. A lone surrogate becomes U+FFFD, as everywhere else. */
export function utf8(text: string): Uint8Array {
  if (isAscii(text)) return ascii(text);
  const bytes = new Uint8Array(text.length * 3);
  let at = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    at = write(bytes, at, code >= 0xd800 && code <= 0xdfff ? 0xfffd : code);
  }
  return bytes.subarray(0, at);
}

function ascii(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

function write(bytes: Uint8Array, start: number, code: number): number {
  let at = start;
  if (code < 0x80) bytes[at++] = code;
  else if (code < 0x800) bytes[at++] = 0xc0 | (code >> 6);
  else if (code < 0x1_0000) bytes[at++] = 0xe0 | (code >> 12);
  else bytes[at++] = 0xf0 | (code >> 18);
  if (code >= 0x1_0000) bytes[at++] = 0x80 | ((code >> 12) & 0x3f);
  if (code >= 0x800) bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
  if (code >= 0x80) bytes[at++] = 0x80 | (code & 0x3f);
  return at;
}
