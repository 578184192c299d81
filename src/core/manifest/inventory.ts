// A stream of manifests as an inventory: its workloads and namespaces as plain values with their places, for whoever plans.
import type { Problem } from '../std/errors.ts';
import type { Bytes } from './bytes.ts';
import { locate, readPlain } from './node.ts';
import type { Plain } from './scalar.ts';
import { splitStream } from './split.ts';
import { transformStream } from './stream.ts';
import {
  type KindRule,
  kindTable,
  objectsOf,
  readWorkload,
  ruleFor,
  type StringMap,
  stringMap,
  textAt,
  type Workload,
} from './workload.ts';

/** A Namespace object. */
export interface NamespaceFacts {
  readonly name: string;
  readonly labels: StringMap;
  readonly annotations: StringMap;
}

export interface Inventory {
  readonly workloads: readonly Workload[];
  readonly namespaces: readonly NamespaceFacts[];
  /** With an error among them the rest is not complete. */
  readonly problems: readonly Problem[];
}

/** Reads a stream of YAML or JSON (a byte string) without changing it; `kinds` are those of fairway.yml. */
export function readWorkloads(text: Bytes, kinds: readonly KindRule[] = []): Inventory {
  const table = kindTable(kinds);
  const workloads: Workload[] = [];
  const namespaces: NamespaceFacts[] = [];
  const { problems } = transformStream(text, (document) => {
    for (const object of objectsOf(document)) {
      const rule = ruleFor(table, object);
      if (rule !== undefined) workloads.push(readWorkload(document, object, rule));
      else if (object.kind === 'Namespace' && object.apiVersion === 'v1') {
        const metadata = locate(document.tape, object.root, ['metadata']);
        const part = (key: string) => stringMap(document.tape, locate(document.tape, object.root, ['metadata', key]));
        const name = textAt(document.tape, metadata, 'name');
        if (name !== undefined) namespaces.push({ name, labels: part('labels'), annotations: part('annotations') });
      }
    }
    return [];
  });
  return { workloads, namespaces, problems };
}

/** The Namespace objects of a stream, without reading the documents that hold none. */
export function readNamespaces(text: Bytes): Pick<Inventory, 'namespaces' | 'problems'> {
  const { chunks } = splitStream(text);
  const namespaces: NamespaceFacts[] = [];
  const problems: Problem[] = [];
  let at = text.indexOf('Namespace');
  for (const { start, end } of chunks) {
    let holds = false;
    for (; at !== -1 && at < end; at = text.indexOf('Namespace', at + 1)) {
      holds ||= at >= start && /kind["']?\s*:\s*["']?$/.test(text.slice(Math.max(start, at - 16), at));
    }
    if (!holds) continue;
    const found = readWorkloads(text.slice(start, end));
    namespaces.push(...found.namespaces);
    problems.push(...found.problems);
  }
  return { namespaces, problems };
}

/** The value of a text that is one document; without a value the problems say why. */
export function readDocument(text: Bytes): {
  readonly value: Plain | undefined;
  readonly problems: readonly Problem[];
} {
  const values: (Plain | undefined)[] = [];
  const { problems } = transformStream(text, ({ tape }) => {
    values.push(readPlain(tape, 0));
    return [];
  });
  if (problems.length > 0 || values.length === 1) return { value: values[0], problems };
  const message = `one document is wanted, there are ${values.length}`;
  return { value: undefined, problems: [{ code: 'yaml-documents', severity: 'error', message }] };
}
