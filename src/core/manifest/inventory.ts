// A stream of manifests as an inventory: its workloads and namespaces as plain values with their places, for whoever plans.
import type { Problem } from '../std/errors.ts';
import { type ByteText, byteText, standsAt } from './bytes.ts';
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

/** Reads a stream of YAML or JSON without changing it; `kinds` are those of fairway.yml. */
export function readWorkloads(source: ByteText, kinds: readonly KindRule[] = []): Inventory {
  const table = kindTable(kinds);
  const workloads: Workload[] = [];
  const namespaces: NamespaceFacts[] = [];
  const { problems } = transformStream(source, (document) => {
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

/** The Namespace objects of a stream, without reading the documents that hold none, and without a word about broken ones. */
export function readNamespaces(source: ByteText): readonly NamespaceFacts[] {
  const found = kindsNamed(source);
  const namespaces: NamespaceFacts[] = [];
  for (const { start, end } of found.length === 0 ? [] : splitStream(source).chunks) {
    if (!found.some((at) => at >= start && at < end)) continue;
    namespaces.push(...readWorkloads(byteText(source.slice(start, end))).namespaces);
  }
  return namespaces;
}

/** Where the stream says `kind: Namespace`, in whatever style. */
function kindsNamed({ bytes, indexOf, slice }: ByteText): readonly number[] {
  const found: number[] = [];
  // A pattern of up to six characters is searched by its first one, which is several times as quick as what engines do for longer ones.
  for (let at = indexOf('Names', 0); at !== -1; at = indexOf('Names', at + 1)) {
    if (!standsAt(bytes, at + 5, 'pace')) continue;
    if (/kind["']?\s*:\s*["']?$/.test(slice(Math.max(0, at - 16), at))) found.push(at);
  }
  return found;
}

/** The value of a text that is one document; without a value the problems say why. */
export function readDocument(source: ByteText): {
  readonly value: Plain | undefined;
  readonly problems: readonly Problem[];
} {
  const values: (Plain | undefined)[] = [];
  const { problems } = transformStream(source, ({ tape }) => {
    values.push(readPlain(tape, 0));
    return [];
  });
  if (problems.length > 0 || values.length === 1) return { value: values[0], problems };
  const message = `one document is wanted, there are ${values.length}`;
  return { value: undefined, problems: [{ code: 'yaml-documents', severity: 'error', message }] };
}
