// A snapshot of a fleet as JSON (schemas/snapshot.json): namespaces, workloads, replicas, owners, current revisions.
// Made by whoever can see the clusters, read by `plan` where nobody can.
import * as z from 'zod';
import { unreached } from '../reach/index.ts';
import { issueProblems, type Named, type Parsed, plainValue, readSpecFile } from '../spec-file/index.ts';
import { type Inventory, joinInventories } from './inventory.ts';

const name = z.string().min(1);

const snapshotSchema = z
  .strictObject({
    $schema: z.string().optional(),
    version: z.literal(1),
    namespaces: z
      .array(
        z.strictObject({
          name,
          labels: z
            .record(z.string(), z.string())
            .optional()
            .describe('A revision or injection label here shadows the pods’.'),
        }),
      )
      .optional(),
    workloads: z
      .array(
        z.strictObject({
          namespace: name,
          kind: name,
          name,
          replicas: z.int().min(0).optional().describe('Pods that it wants. Default: 1.'),
          owner: name.optional().describe('Who is asked when it fails.'),
          revision: name.optional().describe('The istio.io/rev label of its pods now.'),
          stuck: z
            .enum(unreached)
            .optional()
            .describe(
              'Why it does not move by itself; of Pods, Jobs and kinds that nobody watches it is known without.',
            ),
          outsideMesh: z
            .boolean()
            .optional()
            .describe('Its pods get no sidecar: hostNetwork, or injection switched off.'),
          graceSeconds: z.int().min(0).optional().describe('terminationGracePeriodSeconds of its pods.'),
        }),
      )
      .optional(),
  })
  .meta({ title: 'Fairway snapshot', description: 'What runs where. See docs/reference/plan.md.' });

/** An inventory from a snapshot's text. */
export function parseSnapshot(text: string, named: Named = {}): Parsed<Inventory> {
  const { value, problems } = readJson(text, named);
  const checked = problems.length > 0 ? undefined : snapshotSchema.safeParse(value);
  if (checked?.success !== true) {
    if (problems.length > 0) return { kind: 'invalid', problems };
    return { kind: 'invalid', problems: locate(text, checked?.error.issues ?? [], named) };
  }
  const { namespaces = [], workloads = [] } = checked.data;
  const inventory = joinInventories([
    {
      namespaces: namespaces.map(({ name: own, labels }) => ({
        name: own,
        labels: new Map(Object.entries(labels ?? {})),
      })),
      workloads: workloads.map(({ replicas = 1, outsideMesh = false, ...rest }) => ({
        ...defined(rest),
        pods: replicas,
        outsideMesh,
      })),
    },
  ]);
  return { kind: 'valid', value: inventory, problems: [] };
}

/** JSON is fast; where it fails, or an issue needs its place, the same text is read as YAML, which it also is. */
function readJson(
  text: string,
  named: Named,
): { readonly value?: unknown; readonly problems: readonly ReturnType<typeof readSpecFile>['problems'][number][] } {
  try {
    return { value: JSON.parse(text), problems: [] };
  } catch {
    const { root, problems } = readSpecFile(text, named);
    return root === undefined ? { problems } : { value: plainValue(root), problems };
  }
}

function locate(
  text: string,
  issues: Parameters<typeof issueProblems>[1],
  named: Named,
): ReturnType<typeof issueProblems> {
  const { root } = readSpecFile(text, named);
  const keysAt = (path: readonly PropertyKey[]): readonly string[] =>
    path.length === 0
      ? ['version', 'namespaces', 'workloads']
      : path[0] === 'namespaces'
        ? ['name', 'labels']
        : ['namespace', 'kind', 'name', 'replicas', 'owner', 'revision', 'stuck', 'outsideMesh', 'graceSeconds'];
  return root === undefined ? [] : issueProblems(root, issues, { code: 'snapshot-invalid', keysAt, ...named });
}

/** Without the keys that are undefined: what is absent is absent. */
function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

/** The format as JSON Schema (2020-12): what stands in schemas/snapshot.json. */
export function snapshotJsonSchema(): object {
  return { $id: 'snapshot.json', ...z.toJSONSchema(snapshotSchema, { io: 'input', reused: 'inline' }) };
}
