// Reads a scenario file: YAML to a checked Scenario, every problem with its line. Whether the containers that it
// names exist in the pod is the business of `behaviour`, which knows the pod.
import type { z } from 'zod';
import { gatesOf } from '../../../core/pod/index.ts';
import { type Parsed, parsed, problemAt, readSpecFile, type SpecNode } from '../../../core/spec-file/index.ts';
import { closest } from '../../../core/std/closest.ts';
import type { Problem } from '../../../core/std/errors.ts';
import { commandActs } from '../shell/command.ts';
import { type Scenario, scenarioSchema } from './format.ts';
import { nodeAt, plain } from './plain.ts';

/** The scenario of a YAML (or JSON) text, or everything that is wrong with it. `file` is the name that problems carry. */
export function readScenario(text: string, file: string): Parsed<Scenario> {
  const { root, problems } = readSpecFile(text, { file });
  if (root === undefined || problems.length > 0) return parsed<Scenario>(undefined, problems);
  const checked = scenarioSchema.safeParse(plain(root));
  return checked.success
    ? parsed(checked.data, [...scriptProblems(root, file), ...gateProblems(checked.data, { root, file })])
    : parsed<Scenario>(
        undefined,
        checked.error.issues.flatMap((issue) => issueProblems(issue, [], { root, file })),
      );
}

type Issue = z.core.$ZodIssue;

/** Lines of shell that are not understood, wherever they stand. */
function scriptProblems(node: SpecNode, file: string): readonly Problem[] {
  if (node.kind === 'list') return node.items.flatMap((item) => scriptProblems(item, file));
  if (node.kind === 'scalar') return [];
  return node.entries.flatMap(({ key, value }) => {
    if (key.text !== 'sh' || value.kind !== 'scalar') return scriptProblems(value, file);
    const read = commandActs(['sh', '-c', value.text]);
    if (read.kind === 'acts') return [];
    const hint = 'docs/reference/scenario.md lists the part of shell that is understood';
    return [
      problemAt(
        value,
        { code: 'scenario-invalid', message: read.because.replace('its command', 'the line'), hint },
        { file },
      ),
    ];
  });
}

function gateProblems(scenario: Scenario, source: Source): readonly Problem[] {
  const known = Object.keys(gatesOf('1.37'));
  return Object.keys(scenario.kubelet?.featureGates ?? {})
    .filter((gate) => !known.includes(gate))
    .map((gate) => {
      const meant = closest(gate, known);
      const hint = meant === undefined ? 'see docs/reference/pod-simulate.md for the gates' : `did you mean ${meant}?`;
      return problem(
        { message: `${gate} is no gate that changes a pod's life`, hint },
        ['kubelet', 'featureGates', gate],
        source,
      );
    });
}

interface Source {
  readonly root: SpecNode;
  readonly file: string;
}

function issueProblems(issue: Issue, above: readonly PropertyKey[], source: Source): readonly Problem[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const branch = bestBranch(issue.errors);
    if (branch !== undefined) return branch.flatMap((inner) => issueProblems(inner, path, source));
  }
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(key, path, source));
  return [problem({ message: issue.message, hint: 'see docs/reference/scenario.md' }, path, source)];
}

/** Of the forms that a value could have, the one that was meant: the one whose problems lie deepest, not at its root. */
function bestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const depth = (issues: readonly Issue[]) =>
    Math.min(...issues.map((issue) => (issue.code === 'unrecognized_keys' ? 1 : issue.path.length)));
  const deep = branches.filter((issues) => depth(issues) > 0);
  return deep.sort((a, b) => a.length - b.length)[0];
}

function unknownKey(key: string, path: readonly PropertyKey[], source: Source): Problem {
  const meant = closest(key, words);
  const hint = meant === undefined ? 'see docs/reference/scenario.md' : `did you mean ${meant}?`;
  return problem({ message: `unknown key ${JSON.stringify(key)}`, hint }, [...path, key], source);
}

function problem(
  told: { readonly message: string; readonly hint: string },
  path: readonly PropertyKey[],
  { root, file }: Source,
): Problem {
  const found = problemAt(nodeAt(root, path), { code: 'scenario-invalid', ...told }, { file });
  return path.length === 0 ? found : { ...found, path: dotted(path) };
}

function dotted(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`))
    .join('');
}

/** Every key of the format: a misspelt one is near to one of them, wherever it stands. */
const words: readonly string[] = [
  'kubelet version featureGates maxContainerRestartPeriod allocatable restartAllCondition images present takes fails message times',
  'volumes sandbox containers run runs steps probes hooks startup liveness readiness postStart preStop events at do grace force',
  'sleep busy touch rm trap exit repeat sh file from answer code reason type status container spec labels annotations gates down',
]
  .join(' ')
  .split(' ');
