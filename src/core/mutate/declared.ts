// A mutator that is declared in a file instead of written in code: one patch for the workloads of some kinds.
import type { Plain } from '../manifest/index.ts';
import type { Problem } from '../std/errors.ts';
import { applies, type Mutator, type PatchOperation, skips } from './mutator.ts';
import { valueAt } from './subject.ts';

const form = 'name: NAME, target: template|workload, kinds: [KIND…], patch: [{op, path, value}…]';

/** The mutator that a parsed file declares, or what is wrong with it. */
export function declaredMutator(value: Plain, file: string): Mutator | readonly Problem[] {
  const problems: Problem[] = [];
  const complain = (path: string, message: string) =>
    problems.push({ code: 'mutator-invalid', severity: 'error', file, path, message, hint: `expected ${form}` });
  const name = valueAt(value, ['name']);
  const target = valueAt(value, ['target']) ?? 'template';
  const kinds = valueAt(value, ['kinds']) ?? [];
  const patch = valueAt(value, ['patch']);
  if (typeof name !== 'string' || name === '') complain('name', 'a mutator has a name');
  if (target !== 'template' && target !== 'workload') complain('target', 'is template or workload');
  if (!isTexts(kinds)) complain('kinds', 'is a list of kinds');
  if (!Array.isArray(patch) || patch.length === 0) complain('patch', 'is a list of operations');
  const operations = Array.isArray(patch)
    ? patch.map((operation: Plain, i) => readOperation(operation, (message) => complain(`patch.${i}`, message)))
    : [];
  if (problems.length > 0 || typeof name !== 'string') return problems;
  const found = operations.filter((operation) => operation !== undefined);
  return build(name, target === 'workload' ? 'workload' : 'template', {
    kinds: kinds as readonly string[],
    operations: found,
    file,
  });
}

interface Declared {
  readonly kinds: readonly string[];
  readonly operations: readonly PatchOperation[];
  readonly file: string;
}

function build(name: string, target: Mutator['target'], { kinds, operations, file }: Declared): Mutator {
  return {
    name,
    target,
    origin: file,
    scope: operations.map(({ path }) => path),
    applies: (subject) => {
      if (kinds.length > 0 && !kinds.includes(subject.kind))
        return skips('other-kind', `${name} is for ${kinds.join(', ')}`);
      return target === 'template' && subject.stateAt('template', []) !== 'map'
        ? skips('no-template', 'no pod template here')
        : applies;
    },
    mutate: () => operations,
  };
}

function readOperation(value: Plain, complain: (message: string) => void): PatchOperation | undefined {
  const [op, path, operand] = ['op', 'path', 'value'].map((key) => valueAt(value, [key]));
  if (typeof path !== 'string' || !/^(?:\/(?:[^~/]|~[01])+)+$/.test(path)) complain('path is no JSON pointer');
  else if (op === 'remove') return { op, path };
  else if (op !== 'add' && op !== 'replace' && op !== 'test') complain('op is add, replace, remove or test');
  else if (operand === undefined) complain(`${op} needs a value`);
  else return { op, path, value: operand };
  return undefined;
}

function isTexts(value: Plain): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
