// docs/reference/drain-measured.md, made of what was measured: a row a cell, a column for each equipment. What was not measured is a dash.
import { allCells, type Cell, cellName, type EquipmentName, equipments, profileOf, worstCells } from './cells.ts';

export interface Tally {
  readonly sent: number;
  readonly lost: number;
  readonly rollOutSeconds: number;
}

export interface Results {
  /** By `measuredAs`, a tally a roll-out. */
  readonly once: Readonly<Record<string, readonly Tally[]>>;
  /** The worst cells, by `cellName`. */
  readonly often: Readonly<Record<string, readonly Tally[]>>;
  /** Of the machine, after each roll-out. */
  readonly loads: readonly number[];
}

export interface Circumstances {
  readonly date: string;
  /** Whatever was used, with its version. */
  readonly versions: string;
}

const columns: Readonly<Record<EquipmentName, string>> = {
  istio: 'Istio as it comes',
  guard: 'guard alone',
  agent: 'agent alone',
  fairway: 'Fairway',
};

export function measuredAs(cell: Cell, equipment: EquipmentName): string {
  return `${cellName(cell)}/${equipment}`;
}

export function drainPage(results: Results, circumstances: Circumstances): string {
  return [introduction(results, circumstances), matrix(results), again(results), closing].join('\n');
}

function introduction({ once, loads }: Results, { date, versions }: Circumstances): string {
  const wanted = allCells.length * Object.keys(equipments).length;
  const cells = `${Object.keys(once).length} of ${wanted} cells`;
  const load = loads.length === 0 ? 'unknown' : `${Math.min(...loads)} to ${Math.max(...loads)}`;
  return `# Requests lost in a roll-out

Three replicas are rolled out from one revision to the other on a real node, while a client in the mesh calls them over kept connections. A call is lost when it has no
complete answer 200, or when its stream or WebSocket ended before the application or the client ended it; nothing is tried again beyond what Istio's proxies do by themselves
and what HTTP/2 says was never begun. An application's own calls count too.

Written by \`npm run measure:drain\` on ${date}: ${versions}; load average ${load}; ${cells}. Four to six cells were rolled out at once. Grace periods are
Kubernetes' own 30 s, 60 s for streams, WebSockets and calls at the end; the guard adds 5 s.

- **Istio as it comes**: its injector and its agent, no preStop.
- **guard alone**: the mutator \`shutdown-guard\` ([inject](inject.md#shutdown-guard)), 5 s, with Istio's agent.
- **agent alone**: Fairway's agent and \`lifecycle: {exitOnZeroActiveConnections: true}\` in fairway.yml.
- **Fairway**: both.
`;
}

function matrix({ once }: Results): string {
  const header = `| application | sidecar | ${Object.values(columns).join(' | ')} |\n|---|---|${'---|'.repeat(4)}`;
  const rows = allCells.map((cell) => {
    const values = (Object.keys(columns) as EquipmentName[]).map((name) => told(once[measuredAs(cell, name)]));
    return `| \`${cell.application}\`: ${profileOf(cell.application).words} | ${cell.sidecar} | ${values.join(' | ')} |`;
  });
  return `${header}\n${rows.join('\n')}\n`;
}

function again({ often }: Results): string {
  const lines = worstCells.map((cell) => {
    const tallies = often[cellName(cell)] ?? [];
    const seconds = tallies.map(({ rollOutSeconds }) => rollOutSeconds);
    const took = seconds.length === 0 ? '' : `, ${Math.min(...seconds)} to ${Math.max(...seconds)} s each`;
    return `- \`${cell.application}\`, ${cell.sidecar}: ${told(tallies)} in ${tallies.length} roll-outs${took}`;
  });
  return `The two worst again and again, forth and back under load, with Fairway:\n\n${lines.join('\n')}\n`;
}

function told(tallies: readonly Tally[] = []): string {
  if (tallies.length === 0) return '–';
  const sum = (value: (tally: Tally) => number): number => tallies.reduce((total, tally) => total + value(tally), 0);
  return `${sum(({ lost }) => lost)} of ${sum(({ sent }) => sent)}`;
}

const closing = `What each contributes: the guard keeps the application whole until every client has heard that the endpoint is gone; the agent keeps the proxy until the last connection
and the application have ended. What remains is the application's own affair ([how to drain](../how-to/drain.md)).
`;
