// IP addresses as bytes. Reads what Go's netip.ParseAddr reads: no leading zeros, IPv4 inside of IPv6, a zone that is dropped.

/** 4 or 16 bytes; undefined: no address. */
export function addressBytes(text: string): Uint8Array | undefined {
  return text.includes(':') ? bytesOfV6(text) : bytesOfV4(text);
}

function bytesOfV4(text: string): Uint8Array | undefined {
  const fields = text.split('.');
  const bytes = fields.map(Number);
  const isGood = fields.length === 4 && fields.every((field) => /^(?:0|[1-9]\d{0,2})$/.test(field));
  return isGood && bytes.every((byte) => byte < 256) ? Uint8Array.from(bytes) : undefined;
}

function bytesOfV6(text: string): Uint8Array | undefined {
  const [address = '', zone, ...more] = text.split('%');
  if (zone === '' || more.length > 0) return undefined;
  const halves = address.split('::');
  const parts = halves.map((half, i) => groupBytes(half, i === halves.length - 1));
  const [head, tail] = parts;
  if (head === undefined || halves.length > 2 || parts.includes(undefined)) return undefined;
  if (halves.length === 1) return head.length === 16 && address !== '' ? Uint8Array.from(head) : undefined;
  const last = tail ?? [];
  if (head.length + last.length > 14) return undefined; // the colons stand for one group at least
  const bytes = new Uint8Array(16);
  bytes.set(head);
  bytes.set(last, 16 - last.length);
  return bytes;
}

/** Groups between colons, at the end of an address the last perhaps in IPv4's form; an empty text has none. */
function groupBytes(text: string, isEnd: boolean): readonly number[] | undefined {
  if (text === '') return [];
  const groups = text.split(':');
  const bytes: number[] = [];
  for (const [i, group] of groups.entries()) {
    const v4 = isEnd && i === groups.length - 1 ? bytesOfV4(group) : undefined;
    if (v4 !== undefined) bytes.push(...v4);
    else if (/^[0-9a-fA-F]{1,4}$/.test(group))
      bytes.push(Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff);
    else return undefined;
  }
  return bytes;
}
