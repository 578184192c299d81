// `npm run measure:drain`: how many requests a roll-out loses, with Istio as it comes and with Fairway, on a real node. Writes
// docs/reference/drain-measured.md; with words behind it only the rows that contain them all are measured, and nothing is written.
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { clusterDown, kubectl } from '../cluster/kube.ts';
import { stopReplicas } from '../cluster/replica.ts';
import { type Cell, type Loss, rollOutUnderLoad } from './support/drain.ts';
import { standIn } from './support/injectors.ts';
import { newRepository } from './support/shop.ts';
import { type Agent, envoys, revisions, stageUp, useAgent } from './support/stage.ts';

interface Row extends Cell {
  readonly injector: 'istiod' | 'fairway';
  readonly agent: Agent;
  /** Requests, at least. */
  readonly least: number;
}

interface Measured {
  readonly row: Row;
  readonly rounds: readonly Loss[];
}

const page = join(import.meta.dirname, '../../docs/reference/drain-measured.md');
/** Of the machine, after each round. */
const loads: number[] = [];
const short = { requestMs: 50, perSecond: 100, least: 4000 } as const;
const long = { requestMs: 8000, perSecond: 20, least: 800 } as const;
const [istio, guarded, ours] = [
  { injector: 'istiod', agent: 'istio', guard: false },
  { injector: 'fairway', agent: 'istio', guard: true },
  { injector: 'fairway', agent: 'fairway', guard: true },
] as const;

/** In this order: injectors are taken over once, and an agent is put into the images once. */
const rows: readonly Row[] = [istio, guarded, ours].flatMap((who) => [
  ...(['exit', 'close'] as const).flatMap((application) =>
    (['native', 'classic'] as const).map((sidecar): Row => ({ ...who, ...short, application, sidecar })),
  ),
  ...(who === istio ? [] : [{ ...who, ...long, application: 'close', sidecar: 'classic' } as const]),
]);

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '2' } },
});
const chosen = rows.filter((row) => wanted.every((word) => title(row).split(' ').includes(word)));
const connection = await stageUp();
const repository = newRepository([]);
try {
  const measured: Measured[] = [];
  for (const row of chosen) {
    await prepare(row, measured.at(-1)?.row ?? rows[0]);
    measured.push({ row, rounds: await roundsOf(row) });
  }
  if (wanted.length === 0) writeFileSync(page, report(measured));
} finally {
  await stopReplicas();
  clusterDown(connection);
  repository.remove();
}

/** Changes of the stage from the row before; it begins as the first row wants it. */
async function prepare(row: Row, last: Row | undefined): Promise<void> {
  if (row.injector !== last?.injector) {
    repository.write('rollouts.yml', `production: {${revisions[0]}: 100}\n`);
    await standIn(repository.folder);
  }
  if (row.agent !== last?.agent) useAgent(row.agent);
}

async function roundsOf(row: Row): Promise<readonly Loss[]> {
  const rounds: Loss[] = [];
  while (rounds.length < Number(values.rounds)) {
    const loss = await rollOutUnderLoad(row, row.least);
    rounds.push(loss);
    loads.push(Math.round(loadavg()[0] ?? 0));
    process.stderr.write(
      `${title(row)}: ${loss.lost.length} of ${loss.sent} lost, rolled out in ${loss.rollOutSeconds} s\n`,
    );
    for (const why of loss.lost.slice(0, 3)) process.stderr.write(`  ${why}\n`);
  }
  return rounds;
}

function title({ application, sidecar, injector, agent, guard, requestMs }: Row): string {
  return `${injector} ${agent}-agent${guard ? ' guard' : ''} ${sidecar} ${application} ${requestMs}ms`;
}

function report(measured: readonly Measured[]): string {
  const header =
    '| application at SIGTERM | sidecar | injector | agent | guard | requests | lost in each round | roll-out |';
  const lines = measured.map(({ row, rounds }) => {
    const each = (value: (loss: Loss) => number): string => rounds.map(value).join(', ');
    const end = row.application === 'exit' ? 'exits at once' : 'closes its listener, finishes what runs';
    const [lost, sent] = [each((loss) => loss.lost.length), each((loss) => loss.sent)];
    const request = `${row.requestMs} ms, ${row.perSecond}/s: ${sent}`;
    const injector = row.injector === 'fairway' ? 'Fairway' : 'Istio';
    const agent = row.agent === 'fairway' ? 'Fairway' : 'Istio';
    const guard = row.guard ? '5 s' : 'none';
    return `| ${end} | ${row.sidecar} | ${injector} | ${agent} | ${guard} | ${request} | ${lost} | ${each((loss) => loss.rollOutSeconds)} s |`;
  });
  return `${introduction()}\n${header}\n|---|---|---|---|---|---|---|---|\n${lines.join('\n')}\n\n${closing}`;
}

function introduction(): string {
  const { serverVersion } = JSON.parse(kubectl(['version', '-o', 'json'])) as { serverVersion: { gitVersion: string } };
  const mod = readFileSync(join(import.meta.dirname, '../rig/mod/istio/go.mod'), 'utf8');
  const version = /istio\.io\/istio (\S+)/.exec(mod)?.[1];
  const [date] = new Date().toISOString().split('T');
  const machine = `${cpus()[0]?.model}, ${availableParallelism()} cores`;
  return `# Requests lost in a roll-out

Three replicas are rolled out from one revision to the other on a real node, while a client in the mesh asks them over kept connections. A request is lost when its client
gets no complete answer 200; nothing is tried again beyond what Istio's proxies do by themselves. The guard is the mutator \`shutdown-guard\` ([inject](inject.md)).

Written by \`npm run measure:drain\` on ${date}: Kubernetes ${serverVersion.gitVersion}, Istio ${version}, Envoy ${envoys[revisions[0]]} to ${envoys[revisions[1]]}, Node ${process.version}, ${machine},
load average ${Math.min(...loads)} to ${Math.max(...loads)}.
`;
}

const closing = `Without the guard two things happen: requests that arrive after SIGTERM and before every client has heard that the endpoint is gone, and requests that were being answered. The guard keeps the
application whole for that time; what remains to be finished afterwards is the application's own affair ([how to drain](../how-to/drain.md)).
`;
