// A specification file as a tree: every key and value with its place, and scalars with the text that stands in the file.
// Maps are lists of entries, never objects: a key such as `__proto__` or `125` is a text like any other.

/** 1-based, as editors count; columns count UTF-16 units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface ScalarNode {
  readonly kind: 'scalar';
  /** What stands in the file; of a quoted scalar, what it means. */
  readonly text: string;
  /** Quoted scalars and block scalars are texts, whatever they look like. */
  readonly quoted: boolean;
  readonly at: Place;
}

export interface MapEntry {
  readonly key: ScalarNode;
  readonly value: SpecNode;
}

export interface MapNode {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
  readonly at: Place;
}

export interface ListNode {
  readonly kind: 'list';
  readonly items: readonly SpecNode[];
  readonly at: Place;
}

export type SpecNode = ScalarNode | MapNode | ListNode;

/** A plain scalar that YAML reads as nothing: `key:` with no value, `~`, `null`. */
export function isNull(node: SpecNode): boolean {
  return node.kind === 'scalar' && !node.quoted && /^(?:|~|null|Null|NULL)$/.test(node.text);
}

/** A text as a message can hold it: a value may be as long as its file. */
export function shortened(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 60)}… (${text.length} characters)`;
}

/** How a message names a node's type. */
export function describe(node: SpecNode): string {
  if (node.kind !== 'scalar') return node.kind === 'map' ? 'a map' : 'a list';
  return isNull(node)
    ? 'nothing'
    : node.quoted
      ? `the text ${JSON.stringify(shortened(node.text))}`
      : shortened(node.text);
}
