// `fairway mutate --krm`: a KRM function, for kustomize and kpt. The functionConfig says the revision or holds a rollouts.yml; the list comes
// back with results, also when it cannot be mutated.
import {
  type FunctionResult,
  type MutateResult,
  mutatedText,
  resourceListConfig,
  withResults,
} from '../../core/mutate/index.ts';
import { formatProblem, ManifestError, SpecError, UsageError } from '../../core/std/errors.ts';
import type { Io } from '../io.ts';
import { type MutateFlags, mutateAll } from './all.ts';
import { loadRevisions } from './revisions.ts';
import { readSource } from './sources.ts';
import { print } from './write.ts';

/** Reads a ResourceList from stdin and writes it to stdout. Exit 2 with an error among the results if the function failed. */
export async function runFunction(flags: MutateFlags, io: Io): Promise<void> {
  const source = await readSource('-', io, flags.maxBytes);
  const { config, problems } = resourceListConfig(source);
  if (problems.length > 0) throw new ManifestError(problems.map((problem) => ({ ...problem, file: source.name })));
  if (config === undefined) throw new UsageError('standard input is not one ResourceList');
  try {
    const revisions = await loadRevisions(
      { ...flags, ...(config.revision === undefined ? {} : { revision: config.revision }) },
      io,
      config.rollouts,
    );
    const [mutated] = await mutateAll([source], { revisions, flags, io });
    const results = mutated === undefined ? [] : resultsOf(mutated.result);
    const failed = flags.strict === true && results.some(({ severity }) => severity === 'warning');
    const list = failed || mutated === undefined ? source.text : mutatedText(source, mutated.result);
    await print([withResults(list, results)], io.stdout);
    if (failed) io.exitCode = 1;
  } catch (error) {
    if (!(error instanceof ManifestError || error instanceof SpecError || error instanceof UsageError)) throw error;
    await print([withResults(source.text, failuresOf(error))], io.stdout);
    for (const { message } of failuresOf(error)) io.stderr.write(`${message}\n`);
    io.exitCode = 2;
  }
}

function resultsOf({ changed, remarks }: MutateResult): readonly FunctionResult[] {
  return [
    ...changed.map((about) => ({ message: 'labelled with its revision', severity: 'info' as const, about })),
    ...remarks.map((remark) => ({
      message: remark.message,
      severity: remark.severity === 'note' ? ('info' as const) : remark.severity,
      about: remark,
    })),
  ];
}

function failuresOf(error: ManifestError | SpecError | UsageError): readonly FunctionResult[] {
  const messages = error instanceof UsageError ? [error.message] : error.problems.map(formatProblem);
  return messages.map((message) => ({ message, severity: 'error', about: undefined }));
}
