// Which sandboxes are ours, and how they go: the labels that every run puts on them, and the removal of those of ended runs.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CriClient } from './client.ts';
import { RuntimeService } from './generated/api_pb.js';
import { fateOf } from './owner.ts';

/** On every sandbox and container of any run. */
const oursLabel = { 'fairway.dev/runtime': 'pod-run' };
const ownerLabel = 'fairway.dev/owner';

export interface Cleaned {
  readonly removed: number;
  /** Of runs whose process cannot be seen from here: they stay. */
  readonly elsewhere: number;
}

export function labelsOf(owner: string): Readonly<Record<string, string>> {
  return { ...oursLabel, [ownerLabel]: owner };
}

/** Removes the sandboxes and folders of runs that have ended; those of living runs stay. */
export async function removeLeftovers(client: CriClient, folder: string): Promise<Cleaned> {
  const { items } = await client.call(RuntimeService.method.listPodSandbox, { filter: { labelSelector: oursLabel } });
  const fates = items.map(({ id, labels }) => ({ id, fate: fateOf(labels[ownerLabel] ?? '') }));
  const ended = fates.filter(({ fate }) => fate === 'ended');
  await Promise.all(ended.map(({ id }) => removeSandbox(client, id)));
  const owners = existsSync(folder) ? readdirSync(folder) : [];
  for (const owner of owners) {
    if (fateOf(owner) === 'ended') rmSync(join(folder, owner), { recursive: true, force: true });
  }
  return { removed: ended.length, elsewhere: fates.filter(({ fate }) => fate === 'elsewhere').length };
}

/** Everything of one run, whether its pods know of it or not. */
export async function removeAllOf(client: CriClient, owner: string): Promise<void> {
  const filter = { labelSelector: labelsOf(owner) };
  const { items } = await client.call(RuntimeService.method.listPodSandbox, { filter });
  await Promise.all(items.map(({ id }) => removeSandbox(client, id)));
}

/** Kills what runs in it, gives its address back and removes it with its containers' records; what is gone is no error. */
export async function removeSandbox(client: CriClient, podSandboxId: string): Promise<void> {
  await client.call(RuntimeService.method.stopPodSandbox, { podSandboxId });
  await client.call(RuntimeService.method.removePodSandbox, { podSandboxId });
}
