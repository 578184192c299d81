// Roll-outs of three replicas from one revision to the other, under load: how many calls are lost. Several cells are rolled out at once, as a fleet is; who injects, and
// whose agent is in the images, is the stage's business.
import { kubectl, until } from '../../cluster/kube.ts';
import { type Cell, cellName, profileOf } from './cells.ts';
import { application, newRepository, type Repository } from './shop.ts';
import { client, namespace, type Revision, revisions, rolledOut } from './stage.ts';

export interface Loss {
  readonly sent: number;
  /** When and why, for each. */
  readonly lost: readonly string[];
  readonly rollOutSeconds: number;
}

export interface RollOuts {
  readonly cells: readonly Cell[];
  /** The mutator `shutdown-guard`; undefined: without it. */
  readonly guardSeconds: number | undefined;
  /** Forth and back in turn. */
  readonly rounds: number;
  /** Of the calls that a cell wants at least, and of those a second, this share. */
  readonly share?: { readonly least: number; readonly pace: number };
  readonly onRound?: (losses: readonly Loss[]) => void;
}

interface Progress {
  readonly running: boolean;
  readonly sent: number;
  readonly lost: readonly string[];
}

interface Report {
  readonly pod: string;
  readonly calls: number;
  readonly failed: readonly string[];
}

const replicas = 3;
const whole = { least: 1, pace: 1 };
/** No load is longer, whatever a test forgets. */
const mostSeconds = 900;

/** The losses of each cell, a list a round. The client runs already. */
export async function rollOutUnderLoad(wanted: RollOuts): Promise<readonly (readonly Loss[])[]> {
  const repository = newRepository(wanted.cells.map(manifestOf));
  const names = wanted.cells.map(cellName);
  try {
    const [from, to] = revisions;
    repository.write('fairway.yml', fleetFile(wanted));
    await move(repository, names, from);
    const rounds: (readonly Loss[])[] = [];
    while (rounds.length < wanted.rounds) {
      const losses = await round(wanted, repository, rounds.length % 2 === 0 ? to : from);
      rounds.push(losses);
      wanted.onRound?.(losses);
    }
    return rounds;
  } finally {
    kubectl(['-n', namespace, 'delete', 'deployment,service', ...names, '--ignore-not-found', '--wait=false']);
    repository.remove();
  }
}

/** What CI obeys. */
function fleetFile({ guardSeconds }: RollOuts): string {
  const guard = guardSeconds === undefined ? '' : `mutators: {shutdown-guard: {seconds: ${guardSeconds}}}\n`;
  return `kubernetes: "1.37"\n${guard}`;
}

async function round(
  { cells, share = whole }: RollOuts,
  repository: Repository,
  to: Revision,
): Promise<readonly Loss[]> {
  const told = (await client<readonly Report[]>('/reports')).length;
  await Promise.all(cells.map((cell) => startLoad(cell, share)));
  const rollOutSeconds = await move(repository, cells.map(cellName), to);
  for (const cell of cells) await stopLoad(cellName(cell));
  const reports = (await client<readonly Report[]>('/reports')).slice(told);
  const losses: Loss[] = [];
  for (const cell of cells) {
    const { sent, lost } = await ended(cellName(cell));
    const calls = callsOf(cell, reports);
    losses.push({ sent: sent + calls.made, lost: [...lost, ...calls.lost], rollOutSeconds });
  }
  return losses;
}

async function startLoad(cell: Cell, share: Required<RollOuts>['share']): Promise<void> {
  const { kind, path, ...full } = profileOf(cell.application);
  const [perSecond, least] = [full.perSecond * share.pace, Math.round(full.least * share.least)];
  const name = cellName(cell);
  const url = `${kind === 'websocket' ? 'ws' : 'http'}://${name}${path}`;
  const order = { name, kind, url, perSecond, least, most: Math.round(perSecond * mostSeconds) };
  const query = Object.entries(order).map(([key, value]): [string, string] => [key, String(value)]);
  await client(`/load?${new URLSearchParams(query)}`);
  await until('the load flows', async () => (await progressOf(name)).sent > perSecond);
}

/** It must have gone on to the end of the roll-out: what nobody calls is never lost. */
async function stopLoad(name: string): Promise<void> {
  const { running } = await progressOf(name);
  if (!running) throw new Error(`the load of ${name} ended before the roll-out`);
  await client(`/stop?name=${name}`);
}

async function progressOf(name: string): Promise<Progress> {
  return await client<Progress>(`/progress?name=${name}`);
}

async function ended(name: string): Promise<Progress> {
  await until(`the load of ${name} has ended`, async () => !(await progressOf(name)).running);
  return await progressOf(name);
}

/** Rolls all of them out at once, and waits until no pod of another revision is left. */
async function move(repository: Repository, names: readonly string[], to: Revision): Promise<number> {
  repository.write('rollouts.yml', `production: {${to}: 100}\n`);
  const began = performance.now();
  await repository.deploy();
  rolledOut(...names);
  // Each look is a program of its own, and the pods that drain want the machine.
  await until('the old pods are gone', () => revisionsOf(names).every((revision) => revision === to), 500);
  return Math.round((performance.now() - began) / 1000);
}

/** What the application's own calls came to; a pod that did not tell has lost them all. */
function callsOf(cell: Cell, reports: readonly Report[]): { readonly made: number; readonly lost: readonly string[] } {
  if (cell.application !== 'call-out') return { made: 0, lost: [] };
  const own = reports.filter(({ pod }) => pod.startsWith(`${cellName(cell)}-`));
  const silent = Array.from({ length: Math.max(0, replicas - own.length) }, () => 'a pod did not tell of its calls');
  return {
    made: own.reduce((sum, { calls }) => sum + calls, 0),
    lost: [...own.flatMap(({ pod, failed }) => failed.map((why) => `${pod}: ${why}`)), ...silent],
  };
}

function manifestOf(cell: Cell): string {
  const { kind, env, graceSeconds } = profileOf(cell.application);
  return application({
    name: cellName(cell),
    replicas,
    annotations: {
      'sidecar.istio.io/nativeSidecar': String(cell.sidecar === 'native'),
      'traffic.sidecar.istio.io/excludeOutboundPorts': '9000', // reports take no proxy
      'sidecar.istio.io/proxyCPU': '10m', // a node of two cores has room for all
    },
    env,
    ...(kind === 'http2' ? { protocol: kind } : {}),
    ...(graceSeconds === undefined ? {} : { graceSeconds }),
  });
}

/** Of the pods that are there at all. */
function revisionsOf(names: readonly string[]): readonly string[] {
  const labels = String.raw`jsonpath={range .items[*]}{.metadata.labels.istio\.io/rev}{"\n"}{end}`;
  return kubectl(['-n', namespace, 'get', 'pods', '-l', `app in (${names.join(', ')})`, '-o', labels])
    .split('\n')
    .filter((line) => line !== '');
}
