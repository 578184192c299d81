// Records pods' lives on the rig's kubelet: every status that a watch shows, every event, with times since the creation was sent.
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RecordedLife, summaryOf } from '../../scripts/lives/recorded.ts';
import type { Pod } from '../../src/core/pod/index.ts';
import { layout } from '../rig/layout.ts';
import { ask, watch } from './cluster.ts';
import type { KubeletPod } from './pods.ts';

const namespace = 'lives';
const base = `/api/v1/namespaces/${namespace}`;

interface Recording {
  readonly startMs: number;
  readonly timeline: RecordedLife['timeline'][number][];
  readonly events: RecordedLife['events'][number][];
}

/** Lives the pods side by side and resolves when the last one's time is over. */
export async function recordLives(pods: readonly KubeletPod[]): Promise<Readonly<Record<string, RecordedLife>>> {
  const recordings = new Map<string, Recording>();
  const stops = [
    await watch(`${base}/pods`, ({ type, object }) => recordStatus(recordings, type, object as Pod)),
    await watch(`${base}/events`, ({ object }) => recordEvent(recordings, object as ApiEvent)),
  ];
  try {
    await Promise.all(pods.map((pod) => live(pod, recordings)));
  } finally {
    for (const stop of stops) stop();
  }
  return Object.fromEntries(
    pods.map(({ name, what, spec, actions }) => {
      const { timeline = [], events = [] } = recordings.get(name) ?? {};
      return [name, { what, pod: { spec }, actions, timeline, events }];
    }),
  );
}

/** The namespace, once its service account is there: pods are refused before. */
export async function prepareNamespace(): Promise<void> {
  await ask('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  for (let tries = 0; tries < 100; tries++) {
    try {
      await ask('GET', `${base}/serviceaccounts/default`);
      return;
    } catch {
      await sleep(100);
    }
  }
  throw new Error('the namespace has no service account');
}

/** By force, and waits until none is left. */
export async function removePods(): Promise<void> {
  await ask('DELETE', `${base}/pods`, { gracePeriodSeconds: 0 });
  for (let tries = 0; tries < 600; tries++) {
    const { items } = JSON.parse(await ask('GET', `${base}/pods`)) as { readonly items: readonly unknown[] };
    if (items.length === 0) return;
    await sleep(100);
  }
  throw new Error('pods are left');
}

async function live({ name, spec, seconds, actions }: KubeletPod, recordings: Map<string, Recording>): Promise<void> {
  const startMs = Date.now();
  recordings.set(name, { startMs, timeline: [], events: [] });
  await ask('POST', `${base}/pods`, { kind: 'Pod', metadata: { name }, spec });
  for (const [at, ...args] of actions) {
    await sleep(Math.max(0, startMs + at * 1000 - Date.now()));
    recordings.get(name)?.timeline.push({ ms: Date.now() - startMs, action: args });
    await kubectl(args.map((arg) => arg.replaceAll('$POD', name)));
  }
  await sleep(Math.max(0, startMs + seconds * 1000 - Date.now()));
}

function recordStatus(recordings: ReadonlyMap<string, Recording>, type: string, pod: Pod): void {
  const recording = recordings.get(pod.metadata.name);
  if (recording === undefined) return;
  // A pod that no kubelet has seen yet has no conditions at all.
  const status = summaryOf({ ...pod, status: { ...pod.status, conditions: pod.status.conditions ?? [] } }, type);
  const last = recording.timeline.findLast((entry) => !('action' in entry));
  if (last !== undefined && JSON.stringify({ ...last, ms: 0 }) === JSON.stringify({ ms: 0, ...status })) return;
  recording.timeline.push({ ms: Date.now() - recording.startMs, ...status });
}

interface ApiEvent {
  readonly reason: string;
  readonly involvedObject: { readonly name: string; readonly fieldPath?: string };
}

function recordEvent(recordings: ReadonlyMap<string, Recording>, { reason, involvedObject }: ApiEvent): void {
  const recording = recordings.get(involvedObject.name);
  const container = /\{(.+?)\}/.exec(involvedObject.fieldPath ?? '')?.[1] ?? null;
  recording?.events.push({ ms: Date.now() - recording.startMs, reason, container });
}

/** What it says is not looked at: an action may come too late for its pod, and the comparison shows that. */
function kubectl(args: readonly string[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  execFile('kubectl', ['--kubeconfig', layout.kubeconfig, '--namespace', namespace, ...args], () => resolve());
  return promise;
}
