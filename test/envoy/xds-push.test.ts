// A push that is far larger than what the agent may use, to an Envoy that reads slowly: the test plays that Envoy. The agent holds none of it,
// on Node and as the built file, and what it took meanwhile it gives back.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { buildAgent } from '../../scripts/build-agent.ts';
import { nodeGrpc } from '../../src/adapters/node/grpc/index.ts';
import { encode } from '../../src/core/wire/index.ts';
import type { GrpcPiece } from '../../src/ports/grpc.ts';
import { resource } from '../xds/resources.ts';
import { becomesReady, startScene, until } from './scene.ts';
import { newMesh, planeAt, rootFile, startPlane } from './xds-scene.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-push-'));
after(() => rmSync(folder, { recursive: true }));

const typeUrl = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
const pushBytes = 100 * 2 ** 20;
const bounded = { timeout: 180_000 };

/** What an agent may have more after a push than before. */
const keptAtMostMb = 10;
const withinMs = 60_000;

const grownAtMostMb = 40;

for (const [what, agent] of [
  ['on Node', () => undefined],
  ['as one file', () => buildAgent('linux-x64', folder)],
] as const) {
  test(`the agent ${what}: 100 MB pass to a slow reader, and the agent holds none of it`, bounded, async (t) => {
    const pushes = await startPushes(t, agent());
    const { pid, pushed } = pushes;
    await pushed(1000);
    const beforeMb = memory(pid, 'VmRSS');
    writeFileSync(`/proc/${pid}/clear_refs`, '5'); // the high-water mark begins anew
    assert.ok((await pushed(pushBytes)) > pushBytes);
    const found = { beforeMb, peakMb: memory(pid, 'VmHWM'), afterMb: memory(pid, 'VmRSS') };
    process.stderr.write(`${what}: ${JSON.stringify(found)}\n`);
    assert.ok(found.peakMb <= beforeMb + grownAtMostMb, JSON.stringify(found));
    await givesBack(pushes, beforeMb);
  });
}

async function givesBack({ pid }: Pushes, beforeMb: number): Promise<void> {
  const endedMs = performance.now();
  const isBack = (): boolean => memory(pid, 'VmRSS') <= beforeMb + keptAtMostMb;
  await until(`RSS is back at ${beforeMb} MB or little more`, isBack, withinMs);
  process.stderr.write(`back at ${memory(pid, 'VmRSS')} MB after ${Math.round(performance.now() - endedMs)} ms\n`);
}

interface Pushes {
  readonly pid: number;
  /** Pushes so much and reads it slowly; gives back what was read. */
  readonly pushed: (size: number) => Promise<number>;
}

async function startPushes(t: TestContext, agent: string | undefined): Promise<Pushes> {
  const mesh = await newMesh();
  const plane = await startPlane(t, mesh);
  const scene = await startScene(t, {
    ...(agent === undefined ? {} : { agent }),
    ...planeAt(plane.port),
    prepare: (prepared) => writeFileSync(join(prepared.folder, rootFile), mesh.authority.root),
  });
  await becomesReady(scene);
  const path = join(scene.folder, 'config', 'XDS');
  const channel = nodeGrpc.connect({ at: { kind: 'unix', path }, tls: undefined, connectTimeoutMs: 5000 });
  t.after(channel.close);
  const call = channel.open('/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources');
  await call.send(encode([2, encode([1, 'node'])], [4, typeUrl]));
  const pieces = call.pieces()[Symbol.asyncIterator]();
  await readMessage(pieces); // nothing is there yet
  const pushed = (size: number): Promise<number> => {
    plane.set(resource(typeUrl, 'big', new Uint8Array(size).fill(7)));
    return readMessage(pieces);
  };
  return { pid: scene.agent.process.pid ?? 0, pushed };
}

/** Reads one message with a rest after each MiB: two seconds in all. */
async function readMessage(pieces: AsyncIterator<GrpcPiece>): Promise<number> {
  let restedAt = 0;
  for (;;) {
    const { value, done } = await pieces.next();
    if (done === true) throw new Error('the stream ended');
    const end = value.offset + value.bytes.length;
    if (end === value.size) return value.size;
    if (end - restedAt < 2 ** 20) continue;
    restedAt = end;
    await pause(20);
  }
}

function memory(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1024);
}
