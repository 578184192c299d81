// Characters that no YAML may hold (1.2, c-printable, the part that is one byte): controls but tab and line ends, and DEL. The fast path
// refuses them while it reads; what it did not read is searched here.

/** Whether a byte is forbidden. */
export function isForbidden(code: number): boolean {
  return code === 0x7f || (code < 0x20 && code !== 9 && code !== 10 && code !== 13);
}

/** Offset of the first forbidden byte of [from, to), or -1. */
export function findForbidden(bytes: Uint8Array, from: number, to: number): number {
  for (let at = from; at < to; at++) if (isForbidden(bytes[at]!)) return at;
  return -1;
}
