// Reads the YAML of one specification file into a tree with places. Refuses what two readers could understand differently:
// several documents, duplicate keys, merge keys, unknown tags, keys that are no scalars. All problems at once.
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
} from 'yaml';
import type { Problem } from '../std/errors.ts';
import type { MapEntry, Place, ScalarNode, SpecNode } from './node.ts';
import type { Named } from './parsed.ts';
import { syntaxProblems } from './syntax.ts';

/** The one document of a YAML text. An empty file is a problem, never an empty specification. */
export function readSpecFile(text: string, { file }: Named = {}): SpecFile {
  try {
    return readDocuments(text, file);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const [message, hint] = texts['yaml-nesting'];
    const place = { line: 1, column: 1, ...(file === undefined ? {} : { file }) };
    return { root: undefined, problems: [{ code: 'yaml-nesting', severity: 'error', message, hint, ...place }] };
  }
}

function readDocuments(text: string, file: string | undefined): SpecFile {
  const lines = new LineCounter();
  const documents: readonly Document[] = [
    ...parseAllDocuments(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false, logLevel: 'silent' }),
  ];
  const broken = syntaxProblems(text, documents, lines, file);
  if (broken.length > 0) return { root: undefined, problems: broken };
  const [document, second] = documents;
  const root = document?.contents ?? undefined;
  const reading: Reading = { lines, file, problems: [], done: new Map(), open: new Set(), document };
  if (second !== undefined) report(reading, 'yaml-documents', second);
  if (root !== undefined && !(isScalar(root) && root.source === ''))
    return { root: turn(reading, root), problems: reading.problems };
  report(reading, 'yaml-empty', { range: [0] });
  return { root: undefined, problems: reading.problems };
}

/** The tree, also of a file with problems, so that its reader can add its own; absent where there is none to read. */
export interface SpecFile {
  readonly root: SpecNode | undefined;
  readonly problems: readonly Problem[];
}

/** What the functions of one reading share. */
interface Reading {
  readonly lines: LineCounter;
  readonly file: string | undefined;
  readonly document: Document | undefined;
  readonly problems: Problem[];
  /** Nodes that several aliases name are turned once, so that a small file stays small. */
  readonly done: Map<Node, SpecNode>;
  readonly open: Set<Node>;
}

interface Ranged {
  readonly range?: readonly number[] | null | undefined;
}

const texts = {
  'yaml-documents': ['a second document', 'keep one document in the file: remove the line "---"'],
  'yaml-empty': ['the file is empty', 'it is refused because it may be a truncated one'],
  'yaml-alias': ['an alias for nothing that ends before it', 'write the value out'],
  'yaml-merge-key': [
    'merge keys are not supported',
    'write the entries out, or use an alias for the whole value (`qa: *b`)',
  ],
  'yaml-nesting': ['lists or maps are nested too deeply', 'no specification needs so many levels'],
  'yaml-key': ['a key that is no text', 'quote the key'],
  'yaml-duplicate-key': ['stands here a second time', 'keep one of them'],
} as const;

function report(reading: Reading, code: keyof typeof texts, where: Ranged | null, about = ''): void {
  const [message, hint] = texts[code];
  reading.problems.push({
    code,
    severity: 'error',
    message: about === '' ? message : `${about} ${message}`,
    hint,
    ...placeOf(reading, where),
    ...(reading.file === undefined ? {} : { file: reading.file }),
  });
}

function placeOf({ lines }: Reading, node: Ranged | null): Place {
  const { line, col } = lines.linePos(node?.range?.[0] ?? 0);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** Specifications are flat; what is deeper than this is an attack or an accident. */
const deepest = 100;

function turn(reading: Reading, node: Node): SpecNode {
  const known = reading.done.get(node);
  if (known !== undefined) return known;
  if (reading.open.size >= deepest) {
    report(reading, 'yaml-nesting', node);
    return { kind: 'scalar', text: '', quoted: false, at: placeOf(reading, node) };
  }
  reading.open.add(node);
  const result = turnNew(reading, node);
  reading.open.delete(node);
  reading.done.set(node, result);
  return result;
}

function turnNew(reading: Reading, node: Node): SpecNode {
  const at = placeOf(reading, node);
  if (isAlias(node)) return turnAlias(reading, node);
  if (isMap(node)) return { kind: 'map', entries: turnEntries(reading, node.items as readonly EntryPair[]), at };
  if (isSeq(node)) return { kind: 'list', items: node.items.map((item) => turn(reading, item as Node)), at };
  return turnScalar(node, at);
}

function turnScalar(node: Node, at: Place): ScalarNode {
  if (!isScalar(node)) return { kind: 'scalar', text: '', quoted: false, at };
  const quoted = node.type !== undefined && node.type !== 'PLAIN';
  return { kind: 'scalar', text: quoted ? String(node.value) : (node.source ?? ''), quoted, at };
}

function turnAlias(reading: Reading, node: Alias): SpecNode {
  const at = placeOf(reading, node);
  const target = reading.document === undefined ? undefined : node.resolve(reading.document);
  if (target !== undefined && !reading.open.has(target)) return { ...turn(reading, target), at };
  report(reading, 'yaml-alias', node, `*${node.source}:`);
  return { kind: 'scalar', text: '', quoted: false, at };
}

type EntryPair = Pair<Node, Node | null>;

function turnEntries(reading: Reading, pairs: readonly EntryPair[]): MapEntry[] {
  const seen = new Map<string, Place>();
  return pairs.flatMap((pair) => {
    const key = turnKey(reading, pair.key);
    if (key === undefined) return [];
    const first = seen.get(key.text);
    if (first !== undefined)
      report(reading, 'yaml-duplicate-key', pair.key, `${JSON.stringify(key.text)} of line ${first.line}`);
    seen.set(key.text, first ?? key.at);
    const nothing: ScalarNode = { kind: 'scalar', text: '', quoted: false, at: key.at };
    return [{ key, value: pair.value === null ? nothing : turn(reading, pair.value) }];
  });
}

function turnKey(reading: Reading, node: Node): ScalarNode | undefined {
  if (isScalar(node) && node.source === '<<' && node.type === 'PLAIN') {
    report(reading, 'yaml-merge-key', node);
    return undefined;
  }
  const key = turn(reading, node);
  if (key.kind === 'scalar') return key;
  report(reading, 'yaml-key', node);
  return undefined;
}
