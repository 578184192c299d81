// KRM functions (the ResourceList of config.kubernetes.io/v1): what the functionConfig asks for, and the results that a function leaves
// in the list. The list's bytes are kept like any manifest's.
import {
  addChange,
  type Bytes,
  type ByteText,
  byteText,
  editedText,
  locate,
  noChange,
  none,
  type Plain,
  readPlain,
  transformStream,
} from '../manifest/index.ts';
import type { Problem } from '../std/errors.ts';
import { type Named } from './stream.ts';
import { valueAt } from './subject.ts';

/** What a functionConfig may say, in `spec` or, as a ConfigMap, in `data`. */
export interface FunctionConfig {
  readonly revision: string | undefined;
  /** Text of a rollouts.yml. */
  readonly rollouts: string | undefined;
}

/** One entry of `results`. */
export interface FunctionResult {
  readonly message: string;
  readonly severity: 'info' | 'warning' | 'error';
  readonly about: Named | undefined;
}

/** Reads the functionConfig; undefined for a text that is not one ResourceList. */
export function resourceListConfig(source: ByteText): {
  readonly config: FunctionConfig | undefined;
  readonly problems: readonly Problem[];
} {
  const lists: (Plain | undefined)[] = [];
  let documents = 0;
  const { problems } = transformStream(source, ({ tape }) => {
    documents++;
    const kind = locate(tape, 0, ['kind']);
    if (kind !== none && readPlain(tape, kind) === 'ResourceList') {
      const config = locate(tape, 0, ['functionConfig']);
      lists.push(config === none ? null : readPlain(tape, config));
    }
    return [];
  });
  const config = documents === 1 && lists.length === 1 ? readConfig(lists[0]) : undefined;
  return { config, problems };
}

function readConfig(config: Plain | undefined): FunctionConfig {
  const text = (...paths: readonly (readonly string[])[]) =>
    paths.map((path) => valueAt(config, path)).find((value) => typeof value === 'string');
  return {
    revision: text(['spec', 'revision'], ['data', 'revision']),
    rollouts: text(['spec', 'rollouts'], ['data', 'rollouts.yml'], ['data', 'rollouts']),
  };
}

/** The list with results appended to those that are there. */
export function withResults(text: Bytes, results: readonly FunctionResult[]): Bytes {
  if (results.length === 0) return text;
  const source = byteText(text);
  const change = noChange();
  addChange(change, ['results'], { kind: 'append', items: results.map(plainResult) });
  const { edits } = transformStream(source, () => [{ root: 0, change }]);
  return editedText(source, edits);
}

function plainResult({ message, severity, about }: FunctionResult): Plain {
  if (about === undefined) return { message, severity };
  const { apiVersion, kind, name, namespace } = about;
  return {
    message,
    severity,
    resourceRef: { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) },
  };
}
