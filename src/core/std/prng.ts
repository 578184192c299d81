// A seeded generator of pseudo-random numbers (sfc32), split by name so that one component's draws never shift another's.

export interface Prng {
  /** The next number in [0, 1). */
  next(): number;
  /** An independent generator for a component; the same name gives the same generator. */
  split(name: string): Prng;
}

/** A generator for a seed. Same seed: same numbers, on every machine. */
export function prng(seed: number | string): Prng {
  const state = mix(String(seed));
  return { next: () => draw(state), split: (name) => prng(`${seed}/${name}`) };
}

function draw(state: Uint32Array): number {
  const [a = 0, b = 0, c = 0, count = 0] = state;
  const sum = (a + b + count) >>> 0;
  state[3] = count + 1;
  state[0] = b ^ (b >>> 9);
  state[1] = c + (c << 3);
  state[2] = ((c << 21) | (c >>> 11)) + sum;
  return sum / 2 ** 32;
}

/** Four words from a text by FNV-1a with four offsets, then twelve rounds to spread them. */
function mix(text: string): Uint32Array {
  const state = new Uint32Array(4);
  for (let word = 0; word < 3; word++) {
    let hash = 0x811c9dc5 ^ Math.imul(word, 0x9e3779b9);
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    state[word] = hash;
  }
  state[3] = 1;
  for (let round = 0; round < 12; round++) draw(state);
  return state;
}
