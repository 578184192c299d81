// From a tree to plain values and back: a schema checks the values, and each of its issues is a problem with a place.
import { closest } from '../std/closest.ts';
import type { Problem } from '../std/errors.ts';
import { isNull, type ListNode, type MapNode, type Place, type SpecNode, shortened } from './node.ts';
import { type Named, problemAt } from './parsed.ts';

/** What a schema library says: the part of zod's issues that is needed here. */
export interface Issue {
  readonly code?: string | undefined;
  /** The type, where that is what does not fit. */
  readonly expected?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
  readonly values?: readonly unknown[];
  readonly errors?: readonly (readonly Issue[])[];
}

export interface Located extends Named {
  readonly code: string;
  /** The keys that may stand at a path, for "did you mean". */
  readonly keysAt: (path: readonly PropertyKey[]) => readonly string[];
}

/**
 * Plain values as YAML's core schema reads them; objects have no prototype, so that no key is special. What several aliases
 * name is one value, so that a small file cannot become a large one.
 */
export function plainValue(node: SpecNode, known = new Map<unknown, unknown>()): unknown {
  if (node.kind === 'scalar') return scalarValue(node.text, node.quoted, isNull(node));
  const content = node.kind === 'list' ? node.items : node.entries;
  const value = known.get(content) ?? (node.kind === 'list' ? plainList(node, known) : plainObject(node, known));
  known.set(content, value);
  return value;
}

function plainList({ items }: ListNode, known: Map<unknown, unknown>): unknown[] {
  return items.map((item) => plainValue(item, known));
}

function plainObject({ entries }: MapNode, known: Map<unknown, unknown>): object {
  const object = Object.create(null) as Record<string, unknown>;
  for (const { key, value } of entries) object[key.text] = plainValue(value, known);
  return object;
}

function scalarValue(text: string, quoted: boolean, nothing: boolean): unknown {
  if (quoted) return text;
  if (nothing) return null;
  if (/^(?:true|True|TRUE|false|False|FALSE)$/.test(text)) return text.toLowerCase() === 'true';
  return /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(text) ? Number(text) : text;
}

/** Each issue where it stands in the file: a wrong value at the value, an unknown key at the key. */
export function issueProblems(root: SpecNode, issues: readonly Issue[], located: Located): Problem[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return unknownKeys(root, issue, located);
    const node = find(root, issue.path);
    if (node === undefined) return [missing(root, issue, located)];
    const message = `${before(issue.path)}${wording(issue, node)}`;
    return [problemAt({ at: node.at }, { code: located.code, message, hint: hintOf(issue, node) }, located)];
  });
}

/** Where a message is about, unless it is about the whole. */
function before(path: readonly PropertyKey[]): string {
  return path.length === 0 ? '' : `${path.map(String).join('.')}: `;
}

function missing(root: SpecNode, { path }: Issue, located: Located): Problem {
  const parent = find(root, path.slice(0, -1)) ?? root;
  const message = `${before(path.slice(0, -1))}${String(path.at(-1))} is missing`;
  return problemAt(parent, { code: located.code, message, hint: 'add it' }, located);
}

function unknownKeys(root: SpecNode, { path, keys = [] }: Issue, located: Located): Problem[] {
  const map = find(root, path);
  const legal = located.keysAt(path);
  return keys.map((key) => {
    const place: Place =
      (map?.kind === 'map' ? map.entries.find((entry) => entry.key.text === key)?.key.at : undefined) ?? root.at;
    const near = closest(key, legal);
    const hint = near === undefined ? `known here: ${legal.join(', ')}` : `did you mean ${near}?`;
    return problemAt(
      { at: place },
      { code: located.code, message: `unknown key ${JSON.stringify(key)}`, hint },
      located,
    );
  });
}

function find(root: SpecNode, path: readonly PropertyKey[]): SpecNode | undefined {
  let node: SpecNode | undefined = root;
  for (const part of path) {
    if (node?.kind === 'map') node = node.entries.find(({ key }) => key.text === String(part))?.value;
    else node = node?.kind === 'list' ? node.items[Number(part)] : undefined;
  }
  return node;
}

function wording({ message }: Issue, node: SpecNode): string {
  if (node.kind !== 'scalar') return message;
  return isNull(node) ? 'a value is missing' : `${JSON.stringify(shortened(node.text))} does not fit: ${message}`;
}

function hintOf({ values, code, expected, errors }: Issue, node: SpecNode): string {
  const options = values ?? errors?.flat().flatMap((issue) => issue.values ?? []) ?? [];
  if (options.length > 0 && node.kind === 'scalar') {
    const near = closest(node.text, options.map(String));
    return near === undefined ? `one of: ${options.join(', ')}` : `did you mean ${near}?`;
  }
  if (expected === 'boolean') return 'write true or false, without quotes';
  return code === 'invalid_type' && expected === 'string' && node.kind === 'scalar' && !node.quoted && !isNull(node)
    ? 'quote a text that looks like something else'
    : 'see docs/reference/fleet-file.md for what may stand here';
}
