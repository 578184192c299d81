// Manifest files for `fairway pod run` and `pod apply`: pods, Deployments, and the config maps and secrets that they use. Everything is checked
// before anything starts, and all problems are told at once.
import type { Manifests } from '../apps/pod-runner/index.ts';
import { checkSetup, type KeyedFiles } from '../core/container/index.ts';
import { parseDeployment } from '../core/deployment/index.ts';
import { type Gates, type Manifest, specProblems } from '../core/pod/index.ts';
import { formatProblem, type Problem, SpecError, UsageError } from '../core/std/errors.ts';
import { isNamespaceName, isObjectName, namespaceRule, objectRule } from '../core/std/object-name.ts';
import type { Io } from './io.ts';
import { type Fields, fields, isFields, type ManifestSource, placed, readManifests } from './manifest-yaml.ts';

export interface ManifestOptions {
  readonly gates: Gates;
  /** Those that this machine has: a container of another must say what to run. `pulled`: every container has one; `unknown`: whoever runs it knows. */
  readonly images: ReadonlySet<string> | 'pulled' | 'unknown';
}

const ownFiles = 'machine';
const runnable: readonly unknown[] = ['Pod', 'Deployment', 'ConfigMap', 'Secret'];

/** Reads the files (`-`: standard input); warnings go to stderr, errors are thrown together, and so is finding nothing to run. */
export async function loadManifests(paths: readonly string[], io: Io, options: ManifestOptions): Promise<Manifests> {
  const found = (await readManifests(paths, io)).map((source) => ({
    ...source,
    object: options.images === 'pulled' ? source.object : (withImages(source.object) as Fields),
  }));
  const problems = found.flatMap((one) => placed(one, ownProblems(one.object, options)));
  if (problems.some(({ severity }) => severity === 'error')) throw new SpecError(problems);
  for (const problem of problems) io.stderr.write(`${formatProblem(problem)}\n`);
  const kinds = found.map(({ object }) => object['kind']);
  if (!kinds.some((kind) => runnable.includes(kind)))
    throw new UsageError('there is nothing to run', {
      hint: 'give a Pod, a Deployment, or what these use: a ConfigMap, a Secret',
    });
  return {
    pods: ofKind(found, 'Pod').map(podOf),
    deployments: ofKind(found, 'Deployment').flatMap((object) => {
      const parsed = parseDeployment(object['spec']);
      return parsed.kind === 'valid' ? [{ metadata: podOf(object).metadata, spec: parsed.spec }] : [];
    }),
    objects: [...ofKind(found, 'ConfigMap'), ...ofKind(found, 'Secret')].map(keyedFiles),
  };
}

/** Here a container needs no image, elsewhere always: one without gets a name that means this machine's own files. */
function withImages(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const containers = key === 'containers' || key === 'initContainers';
    return value.map((item: unknown) =>
      containers && isFields(item) ? { image: ownFiles, imagePullPolicy: 'Never', ...item } : item,
    );
  }
  if (!isFields(value)) return value;
  const descends = ['', 'spec', 'template'].includes(key);
  return descends
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withImages(inner, name)]))
    : value;
}

function ownProblems(object: Fields, options: ManifestOptions): readonly Problem[] {
  if (typeof object['kind'] !== 'string') return [invalid('kind', 'Required value')];
  const nameless = nameProblems(fields(object['metadata']));
  switch (object['kind']) {
    case 'Pod':
      return [...nameless, ...podProblems('spec', object['spec'], options)];
    case 'Deployment': {
      const parsed = parseDeployment(object['spec']);
      if (parsed.kind === 'invalid') return [...nameless, ...parsed.problems];
      return [...nameless, ...podProblems('spec.template.spec', parsed.spec.template.spec, options)];
    }
    case 'ConfigMap':
    case 'Secret':
      return nameless;
    default:
      return [
        {
          ...invalid('kind', `${object['kind']} is left out: pods, Deployments, ConfigMaps and Secrets run here`),
          severity: 'warning',
        },
      ];
  }
}

/** As an API server would say it (apimachinery). Names become folders of logs: none may lead out of them. */
function nameProblems({ name, namespace }: Fields): readonly Problem[] {
  const wrong = (path: string, value: unknown, hint: string) => ({
    ...invalid(path, `Invalid value: ${JSON.stringify(value)}`),
    hint,
  });
  return [
    ...(typeof name !== 'string' ? [invalid('metadata.name', 'Required value')] : []),
    ...(typeof name === 'string' && !isObjectName(name) ? [wrong('metadata.name', name, objectRule)] : []),
    ...(namespace === undefined || (typeof namespace === 'string' && isNamespaceName(namespace))
      ? []
      : [wrong('metadata.namespace', namespace, namespaceRule)]),
  ];
}

function podProblems(path: string, spec: unknown, options: ManifestOptions): readonly Problem[] {
  const lifecycle = specProblems(path, spec, options.gates);
  if (!isFields(spec) || lifecycle.some(({ severity }) => severity === 'error')) return lifecycle;
  const setup = checkSetup(spec).map((one) => ({ ...one, path: `${path}${(one.path ?? '').slice('spec'.length)}` }));
  return [...lifecycle, ...setup, ...commandProblems(path, spec, options.images)];
}

/** This machine has no registry: what runs is a command, on its own files or on a folder that stands for the image. */
function commandProblems(path: string, spec: Fields, images: ManifestOptions['images']): readonly Problem[] {
  if (images === 'pulled' || images === 'unknown') return [];
  return ['initContainers', 'containers'].flatMap((group) =>
    list(spec[group]).flatMap((container, index) => {
      const said = list(container['command']).length + list(container['args']).length > 0;
      if (list(container['command']).length > 0 || (said && images.has(String(container['image'])))) return [];
      const hint = `give it a command${images.has(String(container['image'])) ? '' : `, and --image ${container['image']}=FOLDER if it needs other files than this machine's`}`;
      return [
        {
          ...invalid(`${path}.${group}[${index}].command`, 'Required value: an image alone cannot run on this machine'),
          hint,
        },
      ];
    }),
  );
}

function ofKind(found: readonly ManifestSource[], kind: string): readonly Fields[] {
  return found.map(({ object }) => object).filter((object) => object['kind'] === kind);
}

function podOf(object: Fields): Manifest {
  const {
    creationTimestamp: _created,
    deletionTimestamp: _deleted,
    uid: _uid,
    ...metadata
  } = fields(object['metadata']);
  return { metadata: metadata as unknown as Manifest['metadata'], spec: object['spec'] as Manifest['spec'] };
}

function keyedFiles(object: Fields): KeyedFiles {
  const metadata = fields(object['metadata']);
  const secret = object['kind'] === 'Secret';
  const encoded = Object.entries(fields(secret ? object['data'] : object['binaryData']));
  const plain = Object.entries(fields(secret ? object['stringData'] : object['data']));
  return {
    kind: secret ? 'Secret' : 'ConfigMap',
    namespace: typeof metadata['namespace'] === 'string' ? metadata['namespace'] : 'default',
    name: String(metadata['name']),
    data: Object.fromEntries([
      ...encoded.map(([key, value]) => [key, decoded(String(value))]),
      ...plain.map(([key, value]) => [key, String(value)]),
    ]),
  };
}

/** Base64 as text where it is text. */
function decoded(base64: string): string | Uint8Array {
  const bytes = Buffer.from(base64, 'base64');
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : new Uint8Array(bytes);
}

function invalid(path: string, message: string): Problem {
  return { code: 'pod-invalid', severity: 'error', path, message };
}

function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly Fields[]) : [];
}
