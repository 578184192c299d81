// SHA-256 (FIPS 180-4) in plain code, because core has no Node names and the browser must agree. A memo belongs to the caller.

const constants = Uint32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));
const initial = Uint32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));
const schedule = new Uint32Array(64);
const state = new Uint32Array(8);

/** The first four bytes of SHA-256 of the message as an unsigned big-endian number. */
export function sha256Prefix(message: Uint8Array): number {
  digest(message);
  return state[0] ?? 0;
}

/** SHA-256 of the message in lower-case hexadecimal. */
export function sha256Hex(message: Uint8Array): string {
  digest(message);
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}

function digest(message: Uint8Array): void {
  const view = message.length < 56 ? padShort(message) : pad(message);
  state.set(initial);
  for (let offset = 0; offset < view.byteLength; offset += 64) compress(view, offset);
}

/** Names are short, and there are many: their one block is kept. */
const block = new Uint8Array(64);
const blockView = new DataView(block.buffer);

function padShort(message: Uint8Array): DataView {
  block.set(message);
  block.fill(0, message.length);
  block[message.length] = 0x80;
  blockView.setUint32(60, message.length << 3);
  return blockView;
}

function pad(message: Uint8Array): DataView {
  const padded = new Uint8Array((((message.length + 8) >> 6) << 6) + 64);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 0x2000_0000));
  view.setUint32(padded.length - 4, message.length << 3);
  return view;
}

function compress(view: DataView, offset: number): void {
  const w = schedule;
  for (let i = 0; i < 16; i++) w[i] = view.getUint32(offset + 4 * i);
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15]!;
    const y = w[i - 2]!;
    const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
    const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
    w[i] = w[i - 16]! + s0 + w[i - 7]! + s1;
  }
  rounds(w);
}

function rounds(w: Uint32Array): void {
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + constants[i]! + w[i]!) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  add(0, a);
  add(1, b);
  add(2, c);
  add(3, d);
  add(4, e);
  add(5, f);
  add(6, g);
  add(7, h);
}

function add(index: number, value: number): void {
  state[index] = state[index]! + value;
}

function rotate(value: number, bits: number): number {
  return (value >>> bits) | (value << (32 - bits));
}

function fraction(root: number): number {
  return ((root - Math.floor(root)) * 2 ** 32) >>> 0;
}

function primes(count: number): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) if (found.every((prime) => n % prime !== 0)) found.push(n);
  return found;
}
