// Time from the end of the last request to the exit of the agent, with exit on zero connections: the agent as one file and Istio's
// pilot-agent, each beside a real Envoy with the same bootstrap, in turn, so that a busy machine is busy for both.
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildAgent } from '../scripts/build-agent.ts';
import { answersReady } from '../test/envoy/measure.ts';
import { startScene } from '../test/envoy/scene.ts';
import { startApp } from '../test/envoy/servers.ts';
import { goTools } from '../test/rig/build.ts';
import type { Row } from './measure.ts';
import { agentPlace } from './parts/agent-place.ts';

export const title = 'drain';

const drains = 21;
const goalMs = 1000;
/** Istio's looks once a second: requests end at every part of that second. */
const shortestMs = 1200;
const spreadMs = 1000 / drains;

export async function run(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-drain-'));
  try {
    const agents = { ours: buildAgent('linux-x64', folder), "Istio's": join(goTools('istio'), 'pilot-agent') };
    const found: Record<keyof typeof agents, number[]> = { ours: [], "Istio's": [] };
    for (let i = 0; i < drains; i++) {
      const requestMs = Math.round(shortestMs + i * spreadMs);
      for (const who of ['ours', "Istio's"] as const) found[who].push(await lastRequestToExit(agents[who], requestMs));
    }
    return [...rowsOf('ours', found.ours, { goalMs }), ...rowsOf("Istio's", found["Istio's"])];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function rowsOf(who: string, all: readonly number[], goal: Pick<Row, 'goalMs'> = {}): Row[] {
  const sorted = all.toSorted((a, b) => a - b);
  const [coldMs = 0] = all;
  return [
    { name: `last request to exit: ${who}`, coldMs, medianMs: sorted[Math.floor(drains / 2)] ?? 0, ...goal },
    { name: `last request to exit, the longest of ${drains}: ${who}`, coldMs, medianMs: sorted.at(-1) ?? 0 },
  ];
}

/** One request is under way at SIGTERM; whatever else the agent does takes its time after it. */
async function lastRequestToExit(agent: string, requestMs: number): Promise<number> {
  const ends: (() => unknown)[] = [];
  const t = { after: (end: unknown) => void ends.unshift(end as () => unknown) };
  try {
    const env = { ...agentPlace.env, EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'true', MINIMUM_DRAIN_DURATION: '0s' };
    const scene = await startScene(t, { agent, config: agentPlace.config, env });
    await startApp(t, scene.ports.app);
    await answersReady(scene);
    const answered = lastAnswer(scene.ports.inbound, `/ms/${requestMs}`);
    await pause(100);
    scene.agent.process.kill('SIGTERM');
    const lastMs = await answered;
    return (await scene.agent.ended).atMs - lastMs;
  } finally {
    for (const end of ends) await end();
  }
}

/** When the whole answer is here. */
function lastAnswer(port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      response.resume();
      response.on('end', () => resolve(performance.now())).on('error', reject);
    }).on('error', reject);
  });
}
