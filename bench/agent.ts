// The agent as one file and Istio's pilot-agent, each beside a real Envoy with the same bootstrap, one after the other in the same run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildAgent } from '../scripts/build-agent.ts';
import { type Measured, type Measuring, measureAgent } from '../test/envoy/measure.ts';
import { goTools } from '../test/rig/build.ts';
import type { Row } from './measure.ts';
import { agentPlace } from './parts/agent-place.ts';

export const title = 'agent';

const rounds = 3;

/** What is measured, and the goal of ours. */
const rows: readonly (readonly [name: string, of: keyof Measured, goal?: number | 'no later'])[] = [
  ['start, to the start of Envoy', 'startMs', 150],
  ['its processor time', 'startCpuMs', 150],
  ['ready, with Envoy', 'readyMs', 'no later'],
  ['RSS when ready', 'rssReadyMb'],
  ['RSS after 5,000 polls', 'rss5kMb', 64],
  ['RSS after 25,000 polls', 'rss25kMb', 64],
  ['Pss of a further copy', 'pssFurtherMb', 12],
];

export async function run(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-agent-'));
  try {
    const ours = await measured({ ...agentPlace, agent: buildAgent('linux-x64', folder) });
    const istios = await measured({ ...agentPlace, agent: join(goTools('istio'), 'pilot-agent') });
    return rows.flatMap(([name, of, goal]) => {
      const its = row(`${name}: Istio's`, of, istios);
      const goalMs = goal === 'no later' ? its.medianMs : goal;
      return [{ ...row(`${name}: ours`, of, ours), ...(goalMs === undefined ? {} : { goalMs }) }, its];
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function row(name: string, of: keyof Measured, all: readonly Measured[]): Row {
  const values = all.map((each) => each[of]);
  const sorted = values.toSorted((a, b) => a - b);
  const unit = of.endsWith('Mb') ? { unit: 'MB' as const } : {};
  return { name, coldMs: values[0] ?? 0, medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0, ...unit };
}

/** Each round leaves nothing running. */
async function measured(options: Measuring): Promise<readonly Measured[]> {
  const all: Measured[] = [];
  for (let i = 0; i < rounds; i++) {
    const ends: (() => unknown)[] = [];
    try {
      all.push(await measureAgent({ after: (end) => void ends.push(end as () => unknown) }, options));
    } finally {
      for (const end of ends) await end();
    }
  }
  return all;
}
