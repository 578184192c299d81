// How soon policy mode follows, on a real API server (test/rig, no node): from a change of rollouts.yml, of a namespace's label or of the injectors to
// the table that says so, and to a pod that is labelled by it. First with few namespaces, then with 20,000, whose tables are several. Each change is
// made as soon as the last one has had its effect, so that the controller's rest between two writings counts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableResource } from '../src/core/install/index.ts';
import { install } from '../test/cluster/install.ts';
import { createPod, kubectl, newNamespace, revisionOf, until } from '../test/cluster/kube.ts';
import { startReplica, stopReplicas } from '../test/cluster/replica.ts';
import { stageUp } from '../test/cluster/stage.ts';
import type { Row } from './measure.ts';

export const title = 'policy';

type Connection = Awaited<ReturnType<typeof stageUp>>['connection'];

const goalMs = 5000;
const changes = 20;
const configurations = 'mutatingwebhookconfigurations';
const crowd = 20_000;
const folder = mkdtempSync(join(tmpdir(), 'fairway-bench-policy-'));
const rollouts = (revision: string): string => `production: {${revision}: 100}\nahead: {c-3: 100}\n`;

export async function run(): Promise<Row[]> {
  writeFileSync(join(folder, 'rollouts.yml'), rollouts('b-2'));
  writeFileSync(join(folder, 'fairway.yml'), 'revisions: {a-1: {}, b-2: {}, c-3: {}, gone: {retired: true}}\n');
  const { connection, end } = await stageUp('a-1', 'b-2', 'c-3');
  try {
    await Promise.all(['shop', 'ahead'].map((name) => newNamespace(name)));
    await install('--config', folder, '--mode', 'policy');
    const injector = takeAway('istio-sidecar-injector-c-3');
    const entries = followEntries(connection);
    try {
      return await measure({ connection, injector, entries });
    } finally {
      entries.stop();
    }
  } finally {
    await end();
    rmSync(folder, { recursive: true });
  }
}

interface Stage {
  readonly connection: Connection;
  /** A configuration that is not there, to be made. */
  readonly injector: object;
  readonly entries: Entries;
}

async function measure(stage: Stage): Promise<Row[]> {
  const { connection } = stage;
  await startWriter('--config', folder);
  const rows = await rowsOf({ 'rollouts.yml in a folder': inFolder }, 'few namespaces', stage);
  await stopReplicas();
  await startWriter('--config-map', 'fairway-config');
  rows.push(...(await rowsOf(followed, 'few namespaces', stage)));
  await makeCrowd(connection);
  await until('an entry each', () => stage.entries.size() >= crowd);
  rows.push(...(await rowsOf(followed, `${crowd} namespaces, ${stage.entries.tables()} tables`, stage)));
  return rows;
}

/** One that was killed keeps its Lease for a while. */
async function startWriter(...args: readonly string[]): Promise<void> {
  const replica = await startReplica('--mode', 'policy', ...args);
  await until('the election', async () => (await replica.metric('fairway_admission_policy_tables')) > 0);
}

function takeAway(name: string): object {
  const { metadata, ...rest } = JSON.parse(kubectl(['get', configurations, name, '-o', 'json'])) as {
    readonly metadata: { readonly labels: object };
  };
  kubectl(['delete', configurations, name]);
  return { ...rest, metadata: { name, labels: metadata.labels } };
}

interface Change {
  readonly namespace: string;
  /** The entry that it brings; undefined: none. */
  readonly entry: string | undefined;
  readonly make: () => unknown;
}

type Kind = (stage: Stage, i: number) => Change;

const [older, newer] = ['a-1', 'b-2'] as const;
const turn = <T>(i: number, first: T, second: T): T => (i % 2 === 0 ? first : second);

const inFolder: Kind = (_, i) => {
  const entry = turn(i, older, newer);
  return { namespace: 'shop', entry, make: () => writeFileSync(join(folder, 'rollouts.yml'), rollouts(entry)) };
};

const followed: Readonly<Record<string, Kind>> = {
  'rollouts.yml in the ConfigMap': ({ connection }, i) => {
    const entry = turn(i, older, newer);
    const path = '/api/v1/namespaces/fairway-system/configmaps/fairway-config';
    return {
      namespace: 'shop',
      entry,
      make: () => merge(connection, path, { data: { 'rollouts.yml': rollouts(entry) } }),
    };
  },
  "a namespace's label": ({ connection }, i) => {
    const labels = { 'istio.io/dataplane-mode': turn(i, 'ambient', null) };
    const make = (): Promise<void> => merge(connection, '/api/v1/namespaces/shop', { metadata: { labels } });
    return { namespace: 'shop', entry: turn(i, undefined, newer), make };
  },
  'an injector': ({ connection: { send }, injector }, i) => {
    const path = `/apis/admissionregistration.k8s.io/v1/${configurations}`;
    const [put, take] = [
      { method: 'POST', path, body: injector },
      { method: 'DELETE', path: `${path}/istio-sidecar-injector-c-3` },
    ] as const;
    return {
      namespace: 'ahead',
      entry: turn(i, 'c-3', undefined),
      make: () => send(turn<typeof put | typeof take>(i, put, take)),
    };
  },
};

async function merge({ send }: Connection, path: string, body: object): Promise<void> {
  const { status } = await send({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
  if (status !== 200) throw new Error(`PATCH ${path}: HTTP ${status}`);
}

async function rowsOf(kinds: Readonly<Record<string, Kind>>, where: string, stage: Stage): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, kind] of Object.entries(kinds)) {
    const taken: { readonly tableMs: number; readonly podMs: number }[] = [];
    for (let i = 0; i < changes; i++) taken.push(await time(kind(stage, i), stage));
    rows.push(
      row(
        `${name}, ${where}: to the table`,
        taken.map(({ tableMs }) => tableMs),
      ),
    );
    rows.push(
      row(
        `${name}, ${where}: to a pod's label`,
        taken.map(({ podMs }) => podMs),
      ),
    );
  }
  return rows;
}

/** The columns are the median and the slowest. */
function row(name: string, times: readonly number[]): Row {
  const sorted = times.toSorted((a, b) => a - b);
  return { name, coldMs: sorted[Math.floor(sorted.length / 2)] ?? 0, medianMs: sorted.at(-1) ?? 0, goalMs };
}

async function time({ namespace, entry, make }: Change, { connection, entries }: Stage) {
  const beganMs = performance.now();
  await make();
  await entries.reached(namespace, entry);
  const tableMs = performance.now() - beganMs;
  const labels = { 'istio.io/rev': 'gone' };
  await until(`the label in ${namespace}`, async () => {
    const pod = await createPod(connection, namespace, { generateName: 'x-', labels }, true);
    return revisionOf(pod) === (entry ?? 'gone');
  });
  return { tableMs, podMs: performance.now() - beganMs };
}

interface Entries {
  readonly size: () => number;
  readonly tables: () => number;
  /** Resolves with the event that shows it. */
  readonly reached: (namespace: string, entry: string | undefined) => Promise<void>;
  readonly stop: () => void;
}

function followEntries(connection: Connection): Entries {
  const byTable = new Map<string, Readonly<Record<string, string>>>();
  let told = (): void => {};
  const { stop } = connection.follow(tableResource, 'objects', {
    put: (object) => {
      const { metadata, spec } = object as { metadata: { uid: string }; spec: { revisions: Record<string, string> } };
      byTable.set(metadata.uid, spec.revisions);
      told();
    },
    remove: (uid) => {
      byTable.delete(uid);
      told();
    },
  });
  const entryOf = (namespace: string): string | undefined =>
    [...byTable.values()].map((revisions) => revisions[namespace]).find((each) => each !== undefined);
  return {
    size: () => [...byTable.values()].reduce((sum, revisions) => sum + Object.keys(revisions).length, 0),
    tables: () => byTable.size,
    reached: async (namespace, entry) => {
      while (entryOf(namespace) !== entry) await new Promise<void>((resolve) => (told = resolve));
    },
    stop,
  };
}

/** As long as names may be. */
async function makeCrowd({ send }: Connection): Promise<void> {
  const names = Array.from({ length: crowd }, (_, i) => `crowd-${String(i).padStart(57, '0')}`).values();
  const work = async (): Promise<void> => {
    for (const name of names) {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      const { status } = await send({ method: 'POST', path: '/api/v1/namespaces', body });
      if (status !== 201) throw new Error(`namespace ${name}: HTTP ${status}`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
}
