// Mutate: whole processes of the built bundle (`npm run build` first) over a stream of manifests, against yq and `kubectl kustomize`
// doing the same. Kustomize takes minutes, once; FAIRWAY_BENCH_KUSTOMIZE=0 leaves it out.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, openSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manifestStream } from './manifests.ts';
import type { Row } from './measure.ts';
import { goTool } from './parts/go-tool.ts';

export const title = 'mutate';

const folder = mkdtempSync(join(tmpdir(), 'fairway-bench-'));
const labelled = '(.. | select(has("template")) | .template.metadata.labels."istio.io/rev") = "1-25-2"';
const nowhere = openSync('/dev/null', 'w');

/** A row a size and tool; peak memory stands in the name of the largest. */
export function run(): Row[] {
  const [ten, fifty, hundred] = [10, 50, 100].map((megabytes) => stream(megabytes));
  if (ten === undefined || fifty === undefined || hundred === undefined) return [];
  const fairway = (file: string) => [process.execPath, 'dist/fairway.js', 'mutate', '--revision', '1-25-2', file];
  const ours = timed(fairway(ten), 9);
  const against = (times: Times, goal: number) => ({
    ...times,
    ratio: { times: times.medianMs / ours.medianMs, goal },
  });
  return [
    { name: 'mutate 10 MB, whole process', ...ours, goalMs: 220 },
    { name: 'mutate 50 MB, whole process', ...timed(fairway(fifty), 5), goalMs: 700 },
    { name: `mutate 100 MB, peak ${peakMegabytes(fairway(hundred))} MB of 400 MB`, ...timed(fairway(hundred), 3) },
    {
      name: 'yq 4.54.3, the same label on 10 MB',
      ...against(timed([goTool('github.com/mikefarah/yq/v4', 'v4.54.3'), labelled, ten], 3), 6),
    },
    ...(process.env['FAIRWAY_BENCH_KUSTOMIZE'] === '0'
      ? []
      : [{ name: 'kubectl kustomize, the same label on 10 MB', ...against(timed(kustomize(ten), 0), 400) }]),
  ];
}

type Times = Pick<Row, 'coldMs' | 'medianMs'>;

function stream(megabytes: number): string {
  const file = join(folder, `${megabytes}.yaml`);
  writeFileSync(file, manifestStream(megabytes * 1e6));
  return file;
}

function kustomize(file: string): readonly string[] {
  const overlay = mkdtempSync(join(folder, 'kustomize-'));
  copyFileSync(file, join(overlay, 'all.yaml'));
  const labels = '[{pairs: {istio.io/rev: 1-25-2}, includeTemplates: true}]';
  writeFileSync(join(overlay, 'kustomization.yaml'), `resources: [all.yaml]\nlabels: ${labels}\n`);
  return ['kubectl', 'kustomize', overlay];
}

/** Once in a new process, then the median of some more. */
function timed(command: readonly string[], runs: number): Times {
  const times = Array.from({ length: runs + 1 }, () => once(command));
  const coldMs = times[0] ?? 0;
  const warm = times.slice(1).sort((a, b) => a - b);
  return { coldMs, medianMs: warm[Math.floor(warm.length / 2)] ?? coldMs };
}

function once([command = '', ...args]: readonly string[]): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(command, args, { stdio: ['ignore', nowhere, 'pipe'] });
  if (status !== 0) throw new Error(`${command} failed: ${stderr.toString().slice(0, 500)}`);
  return performance.now() - began;
}

function peakMegabytes(command: readonly string[]): number {
  const { stderr } = spawnSync('/usr/bin/time', ['-f', '%M', ...command], { stdio: ['ignore', nowhere, 'pipe'] });
  return Math.round(Number(stderr.toString().trim().split('\n').at(-1)) / 1000);
}
