// A specification tree as plain values, with a way back from a path to its place in the file.
import { isNull, type SpecNode } from '../../../core/spec-file/index.ts';

/** JSON values as YAML 1.2 reads them: only true, false, null and numbers are not text. */
export function plain(node: SpecNode): unknown {
  switch (node.kind) {
    case 'list':
      return node.items.map(plain);
    case 'map':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key.text, plain(value)]));
    default:
      return node.quoted ? node.text : scalar(node);
  }
}

/** The node at a path, or the nearest one above it. */
export function nodeAt(root: SpecNode, path: readonly PropertyKey[]): SpecNode {
  let node = root;
  for (const part of path) {
    const next =
      node.kind === 'map'
        ? node.entries.find(({ key }) => key.text === part)?.value
        : node.kind === 'list'
          ? node.items[Number(part)]
          : undefined;
    if (next === undefined) return node;
    node = next;
  }
  return node;
}

function scalar(node: SpecNode & { readonly kind: 'scalar' }): unknown {
  if (isNull(node)) return null;
  if (/^(?:true|false)$/i.test(node.text)) return node.text.toLowerCase() === 'true';
  return /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(node.text) ? Number(node.text) : node.text;
}
