// Pods from manifest files: each pod, and each workload's pod template, with its place in the file, validated as the API server
// would. Shared by the commands of `fairway pod`.
import { type Gates, gatesOf, type Manifest, specProblems } from '../core/pod/index.ts';
import { formatProblem, type Problem, SpecError, UsageError } from '../core/std/errors.ts';
import type { Io } from './io.ts';
import {
  dotted,
  type FieldPath,
  type Fields,
  fields,
  isFields,
  type ManifestSource,
  placed,
  readManifests,
} from './manifest-yaml.ts';

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
  const sources = (await readManifests(paths, io)).flatMap((source) => {
    const template = templateOf(source.object);
    return template === undefined ? [] : [{ ...source, template }];
  });
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

interface Source extends ManifestSource {
  readonly template: Template;
}

interface Template {
  readonly path: FieldPath;
  readonly metadata: Fields;
  readonly spec: unknown;
}

/** Where the pod's spec stands: in the object, in its template, in its job's template. */
function templateOf(object: Fields): Template | undefined {
  if (object['kind'] === 'Pod') return { path: ['spec'], metadata: fields(object['metadata']), spec: object['spec'] };
  for (const way of [
    ['spec', 'template'],
    ['spec', 'jobTemplate', 'spec', 'template'],
  ]) {
    const template = way.reduce<unknown>((value, key) => fields(value)[key], object);
    if (isFields(template) && isFields(template['spec']) && Array.isArray(template['spec']['containers']))
      return {
        path: [...way, 'spec'],
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
  const { template } = source;
  const named = typeof template.metadata['name'] === 'string' || typeof template.metadata['generateName'] === 'string';
  const nameless: Problem = {
    code: 'pod-invalid',
    severity: 'error',
    path: 'metadata.name',
    message: 'Required value: name or generateName is required',
  };
  return placed(source, [...(named ? [] : [nameless]), ...specProblems(dotted(template.path), template.spec, gates)]);
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
