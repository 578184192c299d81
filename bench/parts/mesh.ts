// A real API server with a real istiod, from test/rig, beside a rig that somebody has up for other work.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Target } from './load.ts';

export interface Mesh {
  readonly kubeconfig: string;
  readonly istiodPid: number;
  readonly target: (path: string) => Target;
  readonly stop: () => void;
}

const rig = new URL('../../test/rig/main.ts', import.meta.url).pathname;
const run = join(tmpdir(), 'fairway-bench-rig');
const env = { ...process.env, RIG_RUN: run, RIG_API_PORT: '26743', RIG_ETCD_PORT: '24190', RIG_NUMBER: '61' };
const patienceMs = 300_000;

/** The cluster with one control plane of the revision. `npm run rig -- build --istio` has to have been run before. */
export function startMesh(revision: string): Mesh {
  rigDo('down');
  // Whoever ends the benchmark ends what it started.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      rigDo('down');
      process.exit(1);
    });
  try {
    rigDo('up');
    rigDo('istio', revision);
    const kubeconfig = rigDo('kubeconfig').trim();
    const host = rigDo('istiod', revision).trim();
    const ca = authorityOf(revision, { ...env, KUBECONFIG: kubeconfig, PATH: rigDo('path').trim() });
    const serverName = `istiod-${revision}.istio-system.svc`;
    return {
      kubeconfig,
      istiodPid: Number(readFileSync(join(run, 'pid', `istiod-${revision}`), 'utf8').split(' ')[0]),
      target: (path) => ({ host, port: 15017, path, ca, serverName }),
      stop: () => void rigDo('down'),
    };
  } catch (error) {
    rigDo('down');
    throw error;
  }
}

function rigDo(...args: readonly string[]): string {
  const done = spawnSync(process.execPath, [rig, ...args], { env, encoding: 'utf8', timeout: patienceMs });
  if (done.status !== 0) throw new Error(`rig ${args.join(' ')}: ${done.stderr}`);
  return done.stdout;
}

function authorityOf(revision: string, environment: NodeJS.ProcessEnv): string {
  const path = 'jsonpath={.items[0].webhooks[0].clientConfig.caBundle}';
  const args = ['get', 'mutatingwebhookconfigurations', '-l', `istio.io/rev=${revision}`, '-o', path];
  const done = spawnSync('kubectl', args, { env: environment, encoding: 'utf8', timeout: patienceMs });
  if (done.status !== 0) throw new Error(`kubectl ${args.join(' ')}: ${done.stderr}`);
  return Buffer.from(done.stdout, 'base64').toString('utf8');
}
