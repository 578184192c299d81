// A list of namespaces: names, one a line (as `kubectl get namespaces -o name` prints them), or Namespace objects as YAML or
// JSON (as `-o yaml` prints them), which also say their labels.
import { parseAllDocuments } from 'yaml';
import type { Named, Parsed } from '../spec-file/index.ts';
import type { Problem } from '../std/errors.ts';

export interface Namespace {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
}

const noLabels: ReadonlyMap<string, string> = new Map();

/** The namespaces of a text, each once, in the order given. Blank lines and comments (`#`) are no names. */
export function parseNamespaces(text: string, named: Named = {}): Parsed<readonly Namespace[]> {
  const objects = /^\s*[[{]|^(?:apiVersion|kind|metadata):/m.test(text);
  return objects ? fromObjects(text, named) : fromLines(text, named);
}

function fromLines(text: string, named: Named): Parsed<readonly Namespace[]> {
  const names: string[] = [];
  const problems: Problem[] = [];
  for (const [index, content] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const name = content
      .replace(/(?:^|\s)#.*$/, '')
      .trim()
      .replace(/^namespaces?\//, '');
    if (/\s/.test(name))
      problems.push(problem(named, index + 1, `${JSON.stringify(name)} is no name`, 'write one name a line'));
    else if (name !== '') names.push(name);
  }
  return result(
    Array.from(new Set(names), (name) => ({ name, labels: noLabels })),
    problems,
  );
}

function fromObjects(text: string, named: Named): Parsed<readonly Namespace[]> {
  const documents = [...parseAllDocuments(text, { prettyErrors: true, logLevel: 'silent' })];
  const broken = documents.flatMap(({ errors }) => errors);
  const problems = broken.map(({ message, linePos }) =>
    problem(named, linePos?.[0].line ?? 1, message.split('\n')[0] ?? '', 'write YAML, JSON or one name a line'),
  );
  if (problems.length > 0) return { kind: 'invalid', problems };
  const found = documents.flatMap((document) => namespacesIn(document.toJS({ maxAliasCount: 100 })));
  const byName = new Map(found.map((namespace) => [namespace.name, namespace]));
  const none = problem(named, 1, 'no Namespace among the objects', 'kubectl get namespaces -o yaml prints them');
  return result([...byName.values()], found.length === 0 ? [none] : []);
}

function namespacesIn(value: unknown): Namespace[] {
  if (Array.isArray(value))
    return value.flatMap((item) =>
      typeof item === 'string' ? [{ name: item, labels: new Map() }] : namespacesIn(item),
    );
  if (typeof value !== 'object' || value === null) return [];
  const { kind, items, metadata } = value as {
    kind?: unknown;
    items?: unknown;
    metadata?: { name?: unknown; labels?: unknown };
  };
  if (Array.isArray(items)) return items.flatMap(namespacesIn);
  if (kind !== 'Namespace' || typeof metadata?.name !== 'string') return [];
  const labels = Object.entries(metadata.labels ?? {}).map(([key, label]) => [key, String(label)] as const);
  return [{ name: metadata.name, labels: new Map(labels) }];
}

function problem({ file }: Named, line: number, message: string, hint: string): Problem {
  return {
    code: 'namespaces-invalid',
    severity: 'error',
    message,
    hint,
    line,
    column: 1,
    ...(file === undefined ? {} : { file }),
  };
}

function result(value: readonly Namespace[], problems: readonly Problem[]): Parsed<readonly Namespace[]> {
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'valid', value, problems: [] };
}
