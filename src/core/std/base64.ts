// Bytes as base64 (RFC 4648, with padding), because core has neither Buffer nor btoa.

export const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The text of some bytes, on one line. */
export function base64(bytes: Uint8Array | readonly number[]): string {
  let encoded = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const [a = 0, b, c] = bytes.slice(i, i + 3);
    const group = (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
    encoded += base64Alphabet.charAt(group >> 18) + base64Alphabet.charAt((group >> 12) & 63);
    encoded += b === undefined ? '=' : base64Alphabet.charAt((group >> 6) & 63);
    encoded += c === undefined ? '=' : base64Alphabet.charAt(group & 63);
  }
  return encoded;
}
