// One roll-out of three replicas from one revision to the other, under load: how many requests are lost. A cell says what is rolled out;
// who injects is the stage's business.
import { kubectl, until } from '../../cluster/kube.ts';
import { application, newRepository } from './shop.ts';
import { client, namespace, revisions, rolledOut, startClient } from './stage.ts';

export interface Cell {
  /** What the application does at SIGTERM: ends at once, or closes its listener and finishes what runs. */
  readonly application: 'exit' | 'close';
  readonly sidecar: 'native' | 'classic';
  /** The mutator `shutdown-guard`, 5 s. */
  readonly guard: boolean;
  /** How long the application takes for an answer. */
  readonly requestMs: number;
  readonly perSecond: number;
}

export interface Loss {
  readonly sent: number;
  /** When and why, for each. */
  readonly lost: readonly string[];
  readonly rollOutSeconds: number;
}

const name = 'front';
const guard = 'mutators: {shutdown-guard: {seconds: 5}}\n';
/** No load is longer, whatever a test forgets. */
const most = 20_000;

/** @param least requests: more are sent where the roll-out takes longer */
export async function rollOutUnderLoad(cell: Cell, least: number): Promise<Loss> {
  const repository = newRepository([frontOf(cell)]);
  const over = new AbortController();
  try {
    const [from, to] = revisions;
    repository.write('fairway.yml', `kubernetes: "1.37"\n${cell.guard ? guard : ''}`);
    repository.write('rollouts.yml', `production: {${from}: 100}\n`);
    await repository.deploy();
    await startClient(from);
    rolledOut(name);
    const order = `url=http://${name}/&perSecond=${cell.perSecond}&least=${least}&most=${most}`;
    const load = client<Pick<Loss, 'sent' | 'lost'>>(`/load?${order}`, over.signal);
    load.catch(() => undefined); // it fails below, or together with what fails before
    await until('the load flows', async () => (await client<{ sent: number }>('/progress')).sent > cell.perSecond);
    repository.write('rollouts.yml', `production: {${to}: 100}\n`);
    const began = performance.now();
    await repository.deploy();
    rolledOut(name);
    await until('the old pods are gone', () => revisionsOfAll().every((revision) => revision === to));
    const rollOutSeconds = Math.round((performance.now() - began) / 1000);
    await client('/stop');
    return { ...(await load), rollOutSeconds };
  } finally {
    over.abort();
    kubectl(['-n', namespace, 'delete', 'deployment', name, '--ignore-not-found', '--cascade=foreground']);
    repository.remove();
  }
}

function frontOf(cell: Cell): string {
  return application({
    name,
    replicas: 3,
    annotations: { 'sidecar.istio.io/nativeSidecar': String(cell.sidecar === 'native') },
    env: { ON_TERM: cell.application, DELAY_MS: String(cell.requestMs) },
  });
}

/** Of the pods that are there at all. */
function revisionsOfAll(): readonly string[] {
  const labels = String.raw`jsonpath={range .items[*]}{.metadata.labels.istio\.io/rev}{"\n"}{end}`;
  return kubectl(['-n', namespace, 'get', 'pods', '-l', `app=${name}`, '-o', labels])
    .split('\n')
    .filter((line) => line !== '');
}
