// A module of WebAssembly that a proxy can load (proxy-wasm 0.2.1) and that does nothing, byte by byte.

const magicAndVersion = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const i32 = 0x7f;
const one = [0x41, 1];
const exportsOf = [
  ['memory', 2, 0],
  ['proxy_abi_version_0_2_1', 0, 0],
  ['proxy_on_memory_allocate', 0, 1],
  ['proxy_on_context_create', 0, 2],
  ['proxy_on_vm_start', 0, 3],
  ['proxy_on_configure', 0, 4],
] as const;

export function emptyFilter(): Uint8Array {
  const types = list(type([], []), type([i32], [i32]), type([i32, i32], []), type([i32, i32], [i32]));
  const bodies = list(body(), body(...one), body(), body(...one), body(...one));
  const exported = list(...exportsOf.map(([name, kind, index]) => [name.length, ...Buffer.from(name), kind, index]));
  return Uint8Array.from([
    ...magicAndVersion,
    ...section(1, types),
    ...section(3, list([0], [1], [2], [3], [3])),
    ...section(5, list([0, 1])),
    ...section(7, exported),
    ...section(10, bodies),
  ]);
}

function section(id: number, content: readonly number[]): number[] {
  const length = content.length < 128 ? [content.length] : [(content.length & 0x7f) | 0x80, content.length >> 7];
  return [id, ...length, ...content];
}

function list(...items: readonly (readonly number[])[]): number[] {
  return [items.length, ...items.flat()];
}

function type(parameters: readonly number[], results: readonly number[]): number[] {
  return [0x60, parameters.length, ...parameters, results.length, ...results];
}

/** A function without locals. */
function body(...code: readonly number[]): number[] {
  return [code.length + 2, 0, ...code, 0x0b];
}
