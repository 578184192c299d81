// Pods from manifest files: each pod, and each workload's pod template, with its place in the file, validated as the API server
// would. Shared by the commands of `fairway pod`.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { type Document, isCollection, isNode, LineCounter, parseAllDocuments } from 'yaml';
import { type Gates, gatesOf, type Manifest, specProblems } from '../core/pod/index.ts';
import { formatProblem, ManifestError, type Problem, SpecError, UsageError } from '../core/std/errors.ts';
import type { Io } from './io.ts';

export interface PodFile {
  readonly manifest: Manifest;
  /** Pod, Deployment, Job, …: what the manifest is; a pod made from a template has the workload's name. */
  readonly kind: string;
  readonly file: string;
  readonly document: number;
}

/** Every pod of the files (`-`: standard input), in order. All problems of all files are thrown at once; warnings go to stderr. */
export async function loadPods(
  paths: readonly string[],
  io: Io,
  gates: Gates = gatesOf('1.37'),
): Promise<readonly PodFile[]> {
  const texts = await Promise.all(paths.map(async (file) => ({ file, text: await readText(file, io) })));
  const sources = texts.flatMap(({ file, text }) => documentsOf(file, text));
  const problems = sources.flatMap((source) => problemsOf(source, gates));
  if (problems.some(({ severity }) => severity === 'error')) throw new SpecError(problems);
  for (const problem of problems) io.stderr.write(`${formatProblem(problem)}\n`);
  return sources.map(podOf);
}

/** The one pod that is meant; `name` chooses among several. */
export function onePod(pods: readonly PodFile[], name: string | undefined): PodFile {
  const found = name === undefined ? pods : pods.filter(({ manifest }) => manifest.metadata.name === name);
  const [first, second] = found;
  const names = pods.map(({ manifest }) => manifest.metadata.name).join(', ');
  if (first === undefined)
    throw new UsageError(
      pods.length === 0 ? 'the file holds neither a pod nor a workload with a pod template' : `there is no pod ${name}`,
      {
        hint:
          pods.length === 0 ? 'give a Pod, a Deployment, a StatefulSet, a DaemonSet, a Job, …' : `there are: ${names}`,
      },
    );
  if (second !== undefined)
    throw new UsageError(`the file holds several pods: ${names}`, { hint: 'choose one with --name' });
  return first;
}

interface Source {
  readonly file: string;
  readonly index: number;
  readonly document: Document;
  readonly lines: LineCounter;
  readonly object: Fields;
  readonly template: Template;
}

type Fields = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

interface Template {
  readonly path: Path;
  readonly metadata: Fields;
  readonly spec: unknown;
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

function documentsOf(file: string, text: string): readonly Source[] {
  const lines = new LineCounter();
  const documents = [
    ...parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, merge: true, logLevel: 'silent' }),
  ] as readonly Document[];
  const broken = documents.flatMap(({ errors }) => errors.map((error) => syntaxProblem(file, error, lines)));
  if (broken.length > 0) throw new ManifestError(broken);
  return documents.flatMap((document, index) => {
    const value: unknown = document.toJS({ maxAliasCount: 1000 });
    return objectsOf(value).flatMap(({ object, path }) => {
      const template = templateOf(object, path);
      return template === undefined ? [] : [{ file, index: index + 1, document, lines, object, template }];
    });
  });
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
function objectsOf(value: unknown): readonly { readonly object: Fields; readonly path: Path }[] {
  if (!isFields(value)) return [];
  const { items } = value;
  if (typeof value['kind'] !== 'string' || !value['kind'].endsWith('List') || !Array.isArray(items))
    return [{ object: value, path: [] }];
  return (items as readonly unknown[]).flatMap((object, index) =>
    isFields(object) ? [{ object, path: ['items', index] }] : [],
  );
}

/** Where the pod's spec stands: in the object, in its template, in its job's template. */
function templateOf(object: Fields, path: Path): Template | undefined {
  if (object['kind'] === 'Pod')
    return { path: [...path, 'spec'], metadata: fields(object['metadata']), spec: object['spec'] };
  for (const way of [
    ['spec', 'template'],
    ['spec', 'jobTemplate', 'spec', 'template'],
  ]) {
    const template = way.reduce<unknown>((value, key) => fields(value)[key], object);
    if (isFields(template) && isFields(template['spec']) && Array.isArray(template['spec']['containers']))
      return {
        path: [...path, ...way, 'spec'],
        metadata: {
          ...fields(template['metadata']),
          name: fields(object['metadata'])['name'],
          namespace: fields(object['metadata'])['namespace'],
        },
        spec: template['spec'],
      };
  }
  return undefined;
}

function problemsOf(source: Source, gates: Gates): readonly Problem[] {
  const { file, index, template } = source;
  const named = typeof template.metadata['name'] === 'string' || typeof template.metadata['generateName'] === 'string';
  const nameless: Problem = {
    code: 'pod-invalid',
    severity: 'error',
    path: 'metadata.name',
    message: 'Required value: name or generateName is required',
  };
  return [...(named ? [] : [nameless]), ...specProblems(dotted(template.path), template.spec, gates)].map(
    (problem) => ({
      ...problem,
      file,
      ...(index > 1 ? { document: index } : {}),
      ...placeOf(source, problem.path ?? ''),
    }),
  );
}

function dotted(path: Path): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`))
    .join('');
}

/** Line and column of a field, or of the nearest thing above it that stands in the file. */
function placeOf({ document, lines }: Source, path: string): { readonly line?: number; readonly column?: number } {
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

function podOf({ file, index, object, template }: Source): PodFile {
  const { metadata } = template;
  const name = typeof metadata['name'] === 'string' ? metadata['name'] : `${String(metadata['generateName'])}0`;
  const { creationTimestamp: _created, deletionTimestamp: _deleted, ...kept } = metadata;
  return {
    manifest: withoutNulls({ metadata: { ...kept, name }, spec: template.spec }) as Manifest,
    kind: String(object['kind']),
    file,
    document: index,
  };
}

/** To the API server a null is a field that is not there. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isFields(value)) return value;
  const present = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(present.map(([key, inner]) => [key, withoutNulls(inner)]));
}

function fields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
