// The shared corpus of public manifests: a mutated file gains lines and loses none, reads (as kubectl reads) as the same values plus the
// label, and a second run changes nothing. Files that kubectl refuses are named here.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { capture } from '../../src/cli/capture.ts';
import { sharedPath } from './shared.ts';

const kubectl = '/usr/bin/kubectl';
const corpus = sharedPath('corpus');
const files = readdirSync(corpus, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.ya?ml$/.test(name))
  .sort();
const refused: readonly string[] = [
  'argo-rollouts/examples/helm-blue-green/Chart.yaml',
  'argo-rollouts/examples/helm-blue-green/templates/rollout.yaml',
  'argo-rollouts/examples/helm-blue-green/templates/services.yaml',
  'argo-rollouts/examples/helm-blue-green/values.yaml',
  'argo-rollouts/examples/traffic-management/rollout-linkerd.yaml',
  'istio-samples/samples/ambient-argo/tag-chart/Chart.yaml',
  'istio-samples/samples/ambient-argo/tag-chart/templates/mutatingwebhooks.yaml',
  'istio-samples/samples/ambient-argo/tag-chart/templates/shimservice.yaml',
  'istio-samples/samples/ambient-argo/tag-chart/templates/validatingwebhook.yaml',
  'istio-samples/samples/ambient-argo/tag-chart/values.yaml',
  'istio-samples/samples/bookinfo/swagger.yaml',
  'istio-samples/samples/security/spire-trust-domain-federation/spire-base.yaml',
  'istio-samples/samples/security/spire-trust-domain-federation/spire-east.yaml',
  'istio-samples/samples/security/spire-trust-domain-federation/spire-west.yaml',
];

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What kubectl reads from a file, each object without the label that kubectl itself added; undefined where it refuses. */
async function readByKubectl(file: string): Promise<readonly Json[] | undefined> {
  try {
    const { stdout } = await promisify(execFile)(kubectl, ['label', '--local', '-f', file, 'x=y', '-o', 'json'], {
      maxBuffer: 1 << 28,
    });
    return values(stdout);
  } catch {
    return undefined;
  }
}

/** The JSON values of a text, one behind the other. */
function values(text: string): readonly Json[] {
  return text
    .split(/^(?=\{$)/m)
    .filter((part) => part.trim() !== '')
    .map((part) => JSON.parse(part) as Json);
}

/** The value without revision labels, and without the maps that hold nothing else. */
function withoutLabel(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutLabel);
  const members = Object.entries(value)
    .filter(([key]) => key !== 'istio.io/rev')
    .map(([key, inner]) => [key, withoutLabel(inner)] as const);
  return Object.fromEntries(members.filter(([, inner]) => inner !== null && !isEmpty(inner)));
}

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Whether every line of `before` is in `after`, in order. */
function keepsLines(before: string, after: string): boolean {
  const lines = before.split('\n');
  let next = 0;
  for (const line of after.split('\n')) if (line === lines[next]) next++;
  return next === lines.length;
}

const folder = mkdtempSync(join(tmpdir(), 'fairway-corpus-'));
const queue = [...files.entries()];
const verdicts = new Map<string, string>();

async function judge(name: string, index: number): Promise<string> {
  const before = readFileSync(join(corpus, name), 'utf8');
  const { code, stdout } = await capture(['mutate', '--revision', '1-24-5', join(corpus, name)]);
  const original = await readByKubectl(join(corpus, name));
  if (original === undefined)
    return stdout === '' || stdout === before ? 'refused' : 'changed, though kubectl refuses it';
  if (code !== 0) return 'refused by us only';
  if (stdout === before) return 'unchanged';
  const again = await capture(['mutate', '--revision', '1-24-5', '-'], { stdin: stdout });
  if (again.stdout !== stdout) return 'a second run changes it';
  const copy = join(folder, `${index}.yaml`);
  writeFileSync(copy, stdout);
  const mutated = await readByKubectl(copy);
  try {
    assert.deepEqual(mutated?.map(withoutLabel), original.map(withoutLabel));
  } catch {
    return 'kubectl reads something else';
  }
  return keepsLines(before, stdout) ? 'lines added' : 'changed in place';
}

async function work(): Promise<void> {
  for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) {
    verdicts.set(entry[1], await judge(entry[1], entry[0]));
  }
}

test('every file of the corpus is kept but for the label', async () => {
  try {
    await Promise.all(Array.from({ length: availableParallelism() }, work));
  } finally {
    rmSync(folder, { recursive: true });
  }
  const by = Object.groupBy(files, (name) => verdicts.get(name) ?? 'not judged');
  assert.deepEqual(by['refused'], refused);
  assert.deepEqual(Object.keys(by).sort(), ['lines added', 'refused', 'unchanged'], JSON.stringify(by));
  assert.ok((by['lines added']?.length ?? 0) > 90);
});
