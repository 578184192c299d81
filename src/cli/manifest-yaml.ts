// Kubernetes manifests as YAML, for the commands of `fairway pod`: text, documents, the objects in them (a List's items too), and where a
// field stands. Knows nothing of kinds; what an object must be is the reader's business.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { type Document, isCollection, isNode, LineCounter, parseAllDocuments } from 'yaml';
import { ManifestError, type Problem, UsageError } from '../core/std/errors.ts';
import type { Io } from './io.ts';

export type Fields = Readonly<Record<string, unknown>>;
export type FieldPath = readonly (string | number)[];

/** An object of a file, and where in its document it stands. */
export interface ManifestSource {
  readonly file: string;
  /** From 1. */
  readonly index: number;
  readonly document: Document;
  readonly lines: LineCounter;
  readonly object: Fields;
  readonly path: FieldPath;
}

/** The objects of all files (`-`: standard input), in order. Throws UsageError for a file that cannot be read, ManifestError for broken YAML. */
export async function readManifests(files: readonly string[], io: Io): Promise<readonly ManifestSource[]> {
  const texts = await Promise.all(files.map(async (file) => ({ file, text: await readText(file, io) })));
  return texts.flatMap(({ file, text }) => sourcesOf(file, text));
}

async function readText(file: string, io: Io): Promise<string> {
  if (file === '-') return readAll(io.stdin);
  try {
    return await readFile(resolve(io.cwd, file), 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function sourcesOf(file: string, text: string): readonly ManifestSource[] {
  const lines = new LineCounter();
  const documents = [
    ...parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, merge: true, logLevel: 'silent' }),
  ] as readonly Document[];
  const broken = documents.flatMap(({ errors }) => errors.map((error) => syntaxProblem(file, error, lines)));
  if (broken.length > 0) throw new ManifestError(broken);
  return documents.flatMap((document, index) =>
    objectsOf(document.toJS({ maxAliasCount: 1000 })).map((found) => ({
      file,
      index: index + 1,
      document,
      lines,
      ...found,
    })),
  );
}

function syntaxProblem(
  file: string,
  error: { readonly message: string; readonly pos: readonly [number, number] },
  lines: LineCounter,
): Problem {
  const { line, col } = lines.linePos(error.pos[0]);
  return {
    code: 'yaml-syntax',
    severity: 'error',
    message: error.message.replace(/\s+/g, ' '),
    file,
    line,
    column: col,
  };
}

/** The object itself, or the items of a list. */
function objectsOf(value: unknown): readonly { readonly object: Fields; readonly path: FieldPath }[] {
  if (!isFields(value)) return [];
  const { items } = value;
  if (typeof value['kind'] !== 'string' || !value['kind'].endsWith('List') || !Array.isArray(items))
    return [{ object: value, path: [] }];
  return (items as readonly unknown[]).flatMap((object, index) =>
    isFields(object) ? [{ object, path: ['items', index] }] : [],
  );
}

/** Problems whose paths begin at the object: with file, document, the path from the document's root, and the place of that field or of what is above it. */
export function placed(source: ManifestSource, problems: readonly Problem[]): readonly Problem[] {
  const { file, index } = source;
  const above = dotted(source.path);
  const whole = (path = '') => [above, path].filter((part) => part !== '').join('.');
  return problems.map((problem) => ({
    ...problem,
    file,
    ...(index > 1 ? { document: index } : {}),
    ...placeOf(source, whole(problem.path)),
    ...(problem.path === undefined ? {} : { path: whole(problem.path) }),
  }));
}

function placeOf(
  { document, lines }: ManifestSource,
  path: string,
): { readonly line?: number; readonly column?: number } {
  const parts = path.split(/[.[\]]/).filter((part) => part !== '');
  for (let length = parts.length; length >= 0; length--) {
    const keys = parts.slice(0, length).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
    const node = length === 0 ? document.contents : document.getIn(keys, true);
    if (!isNode(node) || node.range === undefined || node.range === null) continue;
    const { line, col } = lines.linePos(node.range[0]);
    return isCollection(node) && length === 0 ? { line, column: 1 } : { line, column: col };
  }
  return {};
}

export function dotted(path: FieldPath): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`))
    .join('');
}

export function fields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
