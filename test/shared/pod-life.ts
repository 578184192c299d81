// Lives a pod through the command line, for suites: manifest and scenario in, what happened out.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { capture } from '../../src/cli/capture.ts';

/** What `fairway pod simulate -o json` prints, the part that suites look at. */
export interface LifeData {
  readonly gone: boolean;
  readonly over: boolean;
  readonly statuses: readonly StatusData[];
  readonly events: readonly { readonly at: number; readonly reason: string; readonly container?: string }[];
  readonly node: readonly NodeData[];
}

export interface StatusData {
  readonly at: number;
  readonly type: string;
  readonly ready: string;
  readonly status: string;
  readonly deletionTimestamp?: string;
  readonly podStatus: {
    readonly phase: string;
    readonly podIP?: string;
    readonly conditions: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
      readonly lastTransitionTime?: string;
    }[];
    readonly initContainerStatuses?: readonly ContainerData[];
    readonly containerStatuses?: readonly ContainerData[];
  };
}

export interface ContainerData {
  readonly name: string;
  readonly restartCount: number;
  readonly state: {
    readonly waiting?: { readonly reason?: string };
    readonly running?: object;
    readonly terminated?: { readonly exitCode: number; readonly reason?: string };
  };
}

export interface NodeData {
  readonly at: number;
  readonly kind: string;
  readonly container?: string;
  readonly what?: string;
  readonly signal?: string;
  readonly hook?: string;
  readonly exitCode?: number;
}

/** Lives a manifest (an object or a file's text) under a scenario by `fairway pod simulate`. */
export async function live(manifest: unknown, scenario: object, ...flags: readonly string[]): Promise<LifeData> {
  const { code, stdout, stderr } = await runPod('simulate', manifest, scenario, '-o', 'json', ...flags);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as LifeData;
}

/** Runs a command of `fairway pod` on a manifest and a scenario. */
export async function runPod(
  command: 'simulate' | 'explain',
  manifest: unknown,
  scenario: object,
  ...flags: readonly string[]
): ReturnType<typeof capture> {
  const cwd = mkdtempSync(join(tmpdir(), 'fairway-'));
  try {
    writeFileSync(join(cwd, 'pod.yaml'), typeof manifest === 'string' ? manifest : JSON.stringify(manifest));
    writeFileSync(join(cwd, 'scenario.yaml'), JSON.stringify(scenario));
    return await capture(['pod', command, 'pod.yaml', '--scenario', 'scenario.yaml', ...flags], { cwd });
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

/** The node's story as short lines: `5 app TERM`, `8 app exit 0`, `0 app preStop began`. */
export function story(life: LifeData, kinds: readonly string[] = ['run', 'signal', 'hook']): readonly string[] {
  return life.node
    .filter(({ kind }) => kinds.includes(kind))
    .map((entry) => `${entry.at} ${entry.container ?? 'pod'} ${verb(entry)}`);
}

function verb(entry: NodeData): string {
  if (entry.kind === 'signal') return entry.signal ?? '';
  if (entry.kind === 'hook') return `${entry.hook} ${entry.what}`;
  return entry.what === 'ended' ? `exit ${entry.exitCode}` : (entry.what ?? '');
}

/** The phases in turn, repeats left out. */
export function phases(life: LifeData): readonly string[] {
  return life.statuses.map(({ podStatus }) => podStatus.phase).filter((phase, index, all) => phase !== all[index - 1]);
}

/** The last status at or before a time. */
export function at(life: LifeData, seconds: number): StatusData {
  const found = life.statuses.findLast((status) => status.at <= seconds);
  assert.ok(found !== undefined, `no status at ${seconds} s`);
  return found;
}

/** Name to restartCount, inits first. */
export function restarts(life: LifeData): Readonly<Record<string, number>> {
  const { initContainerStatuses = [], containerStatuses = [] } = at(life, Number.POSITIVE_INFINITY).podStatus;
  return Object.fromEntries(
    [...initContainerStatuses, ...containerStatuses].map(({ name, restartCount }) => [name, restartCount]),
  );
}
