// Reviews over TLS with keep-alive, as API servers send them. First `/inject` side by side with the real istiod of the same API server, on
// the same templates: what a review costs each server in CPU time. Then a server that knows the owners of 150,000 pods: its memory,
// `/krispr`, and how long answers take at 500 a second. Each server is a process of its own; the load comes from this one.

import { memoryOptions } from '../src/core/install/index.ts';
import { chartTexts, istioSource } from '../test/istio/chart.ts';
import type { Row } from './measure.ts';
import { type Bodies, connect, type Load, type Target } from './parts/load.ts';
import { startMesh } from './parts/mesh.ts';
import { paced } from './parts/paced.ts';
import { cpuSeconds, memoryOf } from './parts/process-stat.ts';
import { reviewOf } from './parts/reviews.ts';
import { type Fairway, startFairway, waitUntil } from './parts/server.ts';

export const title = 'admission over TLS, HTTP/1.1 keep-alive';

const revision = 'b-2';
const rounds = 3;
const reviewsPerRound = 500;
const podsOfWorkload = 20;
const pace = { perSecond: 500, seconds: 60, connections: 8 };

export async function run(): Promise<Row[]> {
  const rows = await besideIstiod();
  const istiodMs = rows.find((row) => row.name.startsWith('istiod'))?.medianMs ?? 0;
  return [...rows, ...(await withOwners(istiodMs))];
}

interface Setting {
  readonly kilobytes: number;
  readonly connections: number;
  /** Of one workload, one after the other. */
  readonly pods: number;
}

const settings: readonly Setting[] = [
  { kilobytes: 10, connections: 8, pods: 1 },
  { kilobytes: 10, connections: 1, pods: 1 },
  { kilobytes: 50, connections: 8, pods: 1 },
  { kilobytes: 50, connections: 1, pods: 1 },
  { kilobytes: 10, connections: 8, pods: podsOfWorkload },
];

interface Side {
  readonly pid: number;
  readonly target: Target;
}

async function besideIstiod(): Promise<Row[]> {
  const mesh = startMesh(revision);
  try {
    const flags = ['--inject', revision, '--compat', 'istio'];
    const fairway = await startFairway({ kubeconfig: mesh.kubeconfig, flags });
    try {
      await waitUntil(fairway.isReady, 'readiness');
      const ours = { pid: fairway.pid, target: fairway.target(`/inject/${revision}`) };
      const theirs = { pid: mesh.istiodPid, target: mesh.target('/inject') };
      const rows: Row[] = [];
      // Both have compiled, and grown to, what they need.
      await compare({ kilobytes: 10, connections: 8, pods: 1 }, [ours, theirs]);
      for (const setting of settings) rows.push(...(await compare(setting, [ours, theirs])));
      for (const [who, { pid }] of [
        ['fairway', ours],
        ['istiod', theirs],
      ] as const)
        rows.push(memoryRow(`${who}, after it`, pid));
      return rows;
    } finally {
      await fairway.stop();
    }
  } finally {
    mesh.stop();
  }
}

/** Rounds of the two take turns, so that both see the same machine. */
async function compare(setting: Setting, sides: readonly [Side, Side]): Promise<Row[]> {
  const { kilobytes, connections, pods } = setting;
  const loads = sides.map(({ target }) => connect(target, connections));
  const times: [number[], number[]] = [[], []];
  let next = 0;
  try {
    for (let round = 0; round <= rounds; round++) {
      const bodies = bodiesFrom(setting, next);
      next += reviewsPerRound;
      for (const [i, side] of sides.entries()) times[i]?.push(await cpuPerThousand(side.pid, loads[i] as Load, bodies));
    }
  } finally {
    for (const load of loads) load.close();
  }
  const [ours, theirs] = times.map(summary) as [Times, Times];
  process.stderr.write(
    `${kilobytes} kB, ${connections} connections: ${times.map((each) => each.map(Math.round).join(' ')).join(' | ')}\n`,
  );
  const what = `CPU time of 1,000 reviews, ${kilobytes} kB, ${connections} connection${connections === 1 ? '' : 's'}${pods === 1 ? '' : `, ${pods} pods a workload`}`;
  return [
    { name: `/inject: ${what}`, ...ours },
    { name: `istiod: ${what}`, ...theirs, ratio: { times: theirs.medianMs / ours.medianMs, goal: 3 } },
  ];
}

function bodiesFrom({ kilobytes, pods }: Setting, first: number): readonly Buffer[] {
  return Array.from({ length: reviewsPerRound }, (_, i) =>
    reviewOf({ kilobytes, revision, workload: Math.floor((first + i) / pods), uid: first + i }),
  );
}

type Times = Pick<Row, 'coldMs' | 'medianMs'>;

function summary(times: readonly number[]): Times {
  const warm = times.slice(1).sort((a, b) => a - b);
  return { coldMs: times[0] ?? 0, medianMs: warm[Math.floor(warm.length / 2)] ?? 0 };
}

/** Milliseconds of a server's CPU time. */
async function cpuPerThousand(pid: number, load: Load, bodies: readonly Buffer[]): Promise<number> {
  const before = cpuSeconds(pid);
  await load.run((i) => bodies[i] ?? Buffer.alloc(0), bodies.length);
  return ((cpuSeconds(pid) - before) * 1e6) / bodies.length;
}

const [deployments, replicaSetsEach] = [15_000, 10];

async function withOwners(istiodMs: number): Promise<Row[]> {
  const goMod = new URL('../test/agree/istio-inject/go.mod', import.meta.url).pathname;
  const { config, values, mesh } = chartTexts(istioSource(goMod), { revision });
  const configMaps = { [`istio-sidecar-injector-${revision}`]: { config, values }, [`istio-${revision}`]: { mesh } };
  const fairway = await startFairway({
    cluster: { deployments, replicaSetsEach, configMaps },
    flags: ['--inject', revision],
    // As the Deployment of `fairway admission manifests` has them.
    nodeFlags: memoryOptions.split(' '),
  });
  try {
    const owners = deployments * (replicaSetsEach + 1);
    await waitUntil(async () => (await fairway.metric('fairway_admission_owners')) === owners, 'all owners');
    await waitUntil(fairway.isReady, 'readiness');
    const synced = memoryRow(`fairway, ${owners.toLocaleString('en')} owners known`, fairway.pid);
    const krispr = await krisprRows(fairway, istiodMs);
    const inject = { path: `/inject/${revision}`, goalMs: 10 };
    const latencies = [
      await pacedRow(fairway, { path: '/krispr', goalMs: 5, pods: 1 }),
      await pacedRow(fairway, { ...inject, pods: podsOfWorkload }),
      await pacedRow(fairway, { ...inject, pods: 1 }),
    ];
    return [...krispr, ...latencies, synced, { ...memoryRow('the same, after it', fairway.pid), goalMs: 512 }];
  } finally {
    await fairway.stop();
  }
}

async function krisprRows(fairway: Fairway, istiodMs: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const kilobytes of [10, 50]) {
    const load = connect(fairway.target('/krispr'), 8);
    const bodyOf = krisprBody({ kilobytes });
    const bodies = Array.from({ length: reviewsPerRound }, (_, i) => bodyOf(i));
    const times: number[] = [];
    for (let round = 0; round <= rounds; round++) times.push(await cpuPerThousand(fairway.pid, load, bodies));
    load.close();
    const row = { name: `/krispr: CPU time of 1,000 reviews, ${kilobytes} kB, 8 connections`, ...summary(times) };
    rows.push(kilobytes === 10 ? { ...row, goalMs: istiodMs / 8 } : row);
  }
  return rows;
}

/** One label in ten is not today's and so costs a patch and a line of log. */
function krisprBody({ first = 0, kilobytes = 10, pods = 1 }): Bodies {
  return (i) => {
    const workload = Math.floor((first + i) / pods);
    return reviewOf({ kilobytes, revision: workload % 10 === 0 ? 'a-1' : revision, workload, uid: first + i });
  };
}

interface Paced {
  readonly path: string;
  readonly goalMs: number;
  /** Of one workload, one after the other. */
  readonly pods: number;
}

/** No two reviews are the same. A server that has just started has not compiled yet: the first go uncounted, and their answers are read. */
async function pacedRow(fairway: Fairway, { path, goalMs, pods }: Paced): Promise<Row> {
  const early = 2 * reviewsPerRound;
  const load = connect(fairway.target(path), pace.connections);
  await load.run(krisprBody({ pods }), early);
  load.close();
  const { p50, p99, longest } = await paced(fairway.target(path), krisprBody({ first: early, pods }), pace);
  const what = `${path}: p50 and p99 of ${pace.seconds} s at ${pace.perSecond}/s, 10 kB, ${pods} pod${pods === 1 ? '' : 's'} a workload`;
  process.stderr.write(`${what}: ${p50.toFixed(1)}, ${p99.toFixed(1)}, longest ${longest.toFixed(1)} ms\n`);
  return { name: what, coldMs: p50, medianMs: p99, goalMs };
}

function memoryRow(what: string, pid: number): Row {
  const { residentMb, peakMb } = memoryOf(pid);
  return { name: `${what}: peak and resident memory`, coldMs: peakMb, medianMs: residentMb, unit: 'MB' };
}
