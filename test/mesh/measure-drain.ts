// `npm run measure:drain`: how many calls a roll-out loses, with Istio as it comes and with Fairway, on a real node; every cell once, the worst often. After each wave it
// writes docs/reference/drain-measured.md, and what it knows into dist/drain-measured.json; `--resume` goes on from there. It ends with 1 where Fairway lost anything.
// With words behind it (`fairway long classic`; `worst`) only the cells that have them all are measured, and nothing is written unless there is `--resume` too.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Connection } from '../../src/adapters/kube/connect.ts';
import { clusterDown, kubectl } from '../cluster/kube.ts';
import { stopReplicas } from '../cluster/replica.ts';
import {
  type Application,
  type Cell,
  cellName,
  type EquipmentName,
  equipments,
  sidecars,
  worstCells,
} from './support/cells.ts';
import { type Loss, type RollOuts, rollOutUnderLoad } from './support/drain.ts';
import { drainPage, measuredAs, type Results, type Tally } from './support/drain-page.ts';
import { knownRevisions, obeys, standIn } from './support/injectors.ts';
import { newRepository } from './support/shop.ts';
import { envoys, revisions, stageUp, startClient, useAgent } from './support/stage.ts';

const root = join(import.meta.dirname, '../..');
const page = join(root, 'docs/reference/drain-measured.md');
const kept = join(root, 'dist/drain-measured.json');
/** Rolled out together: as many as two cores bear. */
const together: readonly (readonly Application[])[] = [
  ['exit', 'close'],
  ['long', 'http2', 'call-out'],
  ['stream', 'websocket'],
];

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '20' }, resume: { type: 'boolean', default: false } },
});
const rounds = Number(values.rounds);
const results: Results =
  values.resume && existsSync(kept)
    ? (JSON.parse(readFileSync(kept, 'utf8')) as Results)
    : { once: {}, often: {}, loads: [] };
const once: Record<string, readonly Tally[]> = { ...results.once };
const often: Record<string, readonly Tally[]> = { ...results.often };
const loads: number[] = [...results.loads];

const repository = newRepository([]);
repository.write('rollouts.yml', `production: {${revisions[0]}: 100}\n`);
repository.write('fairway.yml', knownRevisions);
let stage = equipments.istio as (typeof equipments)[EquipmentName];
const beganMs = performance.now();
let connection: Connection | undefined;
try {
  connection = await stageUp();
  for (const name of Object.keys(equipments) as EquipmentName[]) await measure(name);
  if (words.every((word) => word === 'worst')) await measureWorst();
} finally {
  await stopReplicas();
  clusterDown(connection);
  repository.remove();
}
if (lostByFairway() > 0) process.exitCode = 1;
say(`Fairway lost ${lostByFairway()}; ${Math.round((performance.now() - beganMs) / 60_000)} minutes`);

/** All that is asked for and not there yet of an equipment, in waves. */
async function measure(equipment: EquipmentName): Promise<void> {
  const chosen = together
    .map((applications) => applications.flatMap((application) => sidecars.map((sidecar) => ({ application, sidecar }))))
    .map((cells) => cells.filter((cell) => isWanted(cell, equipment)))
    .filter((cells) => cells.length > 0);
  if (chosen.length > 0) await prepare(equipment);
  for (const cells of chosen) {
    const [losses = []] = await run(equipment, { cells, rounds: 1 });
    for (const [i, cell] of cells.entries()) once[measuredAs(cell, equipment)] = [tallyOf(losses[i])];
    keep();
  }
}

function isWanted(cell: Cell, equipment: EquipmentName): boolean {
  const names: readonly string[] = [equipment, cell.application, cell.sidecar];
  return words.every((word) => names.includes(word)) && once[measuredAs(cell, equipment)] === undefined;
}

async function measureWorst(): Promise<void> {
  const done = Math.min(...worstCells.map((cell) => often[cellName(cell)]?.length ?? 0));
  if (done >= rounds) return;
  await prepare('fairway');
  await run('fairway', { cells: worstCells, rounds: rounds - done, share: { least: 0.25, pace: 1 } }, (losses) => {
    for (const [i, cell] of worstCells.entries())
      often[cellName(cell)] = [...(often[cellName(cell)] ?? []), tallyOf(losses[i])];
    keep();
  });
}

/** Changes the stage from what it is; it begins as Istio comes. */
async function prepare(equipment: EquipmentName): Promise<void> {
  const { injector, agent, exitOnZero } = equipments[equipment];
  if (injector !== stage.injector) await standIn(repository.folder);
  if (exitOnZero !== stage.exitOnZero) await obeys(repository, { exitOnZero });
  if (agent !== stage.agent) useAgent(agent);
  stage = equipments[equipment];
  await startClient(revisions[0]);
}

type Chosen = Pick<RollOuts, 'cells' | 'rounds' | 'share'>;

async function run(
  equipment: EquipmentName,
  chosen: Chosen,
  onRound: (losses: readonly Loss[]) => void = () => undefined,
): Promise<readonly (readonly Loss[])[]> {
  return await rollOutUnderLoad({
    ...chosen,
    guardSeconds: equipments[equipment].guard ? 5 : undefined,
    onRound: (losses) => {
      loads.push(Math.round(loadavg()[0] ?? 0));
      for (const [i, cell] of chosen.cells.entries()) report(measuredAs(cell, equipment), losses[i]);
      onRound(losses);
    },
  });
}

function report(what: string, loss: Loss | undefined): void {
  const { lost, sent, rollOutSeconds } = tallyOf(loss);
  say(`${what}: ${lost} of ${sent} lost, rolled out in ${rollOutSeconds} s`);
  for (const why of loss?.lost.slice(0, 5) ?? []) say(`  ${why}`);
}

function tallyOf(loss: Loss | undefined): Tally {
  if (loss === undefined) throw new Error('a cell was not measured');
  return { sent: loss.sent, lost: loss.lost.length, rollOutSeconds: loss.rollOutSeconds };
}

function say(line: string): void {
  const minutes = (performance.now() - beganMs) / 60_000;
  process.stderr.write(`${minutes.toFixed(1).padStart(5)} min  ${line}\n`);
}

function keep(): void {
  if (words.length > 0 && !values.resume) return;
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(kept, JSON.stringify({ once, often, loads }));
  const [date = ''] = new Date().toISOString().split('T');
  writeFileSync(page, drainPage({ once, often, loads }, { date, versions: versions() }));
}

function versions(): string {
  const { serverVersion } = JSON.parse(kubectl(['version', '-o', 'json'])) as { serverVersion: { gitVersion: string } };
  const mod = readFileSync(join(root, 'test/rig/mod/istio/go.mod'), 'utf8');
  const istio = /istio\.io\/istio (\S+)/.exec(mod)?.[1];
  const machine = `${cpus()[0]?.model}, ${availableParallelism()} cores`;
  const [older, newer] = revisions;
  return `Kubernetes ${serverVersion.gitVersion}, Istio ${istio}, Envoy ${envoys[older]} to ${envoys[newer]}, Node ${process.version}, ${machine}`;
}

function lostByFairway(): number {
  const whole = Object.entries(once).filter(([name]) => name.endsWith('/fairway'));
  const tallies = [...whole.flatMap(([, each]) => each), ...Object.values(often).flat()];
  return tallies.reduce((sum, { lost }) => sum + lost, 0);
}
