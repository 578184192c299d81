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

/** The text of some bytes; what is no UTF-8 becomes U+FFFD, a byte at a time. */
export function textOfUtf8(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const [code, length] = codeAt(bytes, at);
    text += String.fromCodePoint(code);
    at += length;
  }
  return text;
}

const replacement = [0xfffd, 1] as const;

function codeAt(bytes: Uint8Array, at: number): readonly [code: number, length: number] {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return [first, 1];
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > bytes.length) return replacement;
  let code = first & (0xff >> (length + 1));
  for (let i = 1; i < length; i++) {
    const next = bytes[at + i] ?? 0;
    if ((next & 0xc0) !== 0x80) return replacement;
    code = (code << 6) | (next & 0x3f);
  }
  const isOverlong = code < (length === 4 ? 0x1_0000 : length === 3 ? 0x800 : 0x80);
  return isOverlong || code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff) ? replacement : [code, length];
}
