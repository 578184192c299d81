// The contract of the container runtimes: simulated, processes of this machine, containerd. Each lives the same scenarios under the same
// engine and must show the same transitions in the same order; `pod-runtime.golden.json` holds them. UPDATE_GOLDEN=1 with the simulated
// runtime rewrites it; a difference in it is read before it is kept.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { objectStore } from '../../src/apps/pod-runner/index.ts';
import { LivePod } from '../../src/apps/pod-runner/live-pod.ts';
import { type Effect, type Input, type Manifest, policyOf } from '../../src/core/pod/index.ts';
import type { PodNode } from '../../src/ports/pod-node.ts';
import { type ContractScenario, contractScenarios, stretched } from './scenarios.ts';
import { recorder } from './transitions.ts';

/** Back-off of a second at most: real time is scaled down where the kubelet's configuration allows it. */
export const contractPolicy = policyOf({ timing: 'ideal', maxContainerRestartPeriodMs: 1000, nodeName: 'contract' });

const patienceMs = 60_000;
/** A life that differs is lived once more, so many times slower: a busy machine merges what is close together, a wrong runtime differs again. */
const slower = 6;
const goldenFile = join(import.meta.dirname, 'pod-runtime.golden.json');

export function manifestOf(scenario: ContractScenario, index: number): Manifest {
  return {
    metadata: { name: `contract-${index}`, namespace: 'default', uid: `contract-${process.pid}-${index}` },
    spec: scenario.spec,
  };
}

export function golden(): Readonly<Record<string, readonly string[]>> {
  return JSON.parse(readFileSync(goldenFile, 'utf8')) as Record<string, string[]>;
}

export function writeGolden(lives: Readonly<Record<string, readonly string[]>>): void {
  writeFileSync(goldenFile, `${JSON.stringify(lives, undefined, 2)}\n`);
}

/** Hands out each event of a scenario when the line that it waits for is seen. */
export function pendingEvents(
  scenario: ContractScenario,
  schedule: (ms: number, input: Input) => void,
): (line: string) => void {
  const pending = new Set(scenario.events);
  return (line) => {
    for (const event of pending) {
      if (!line.startsWith(event.after)) continue;
      pending.delete(event);
      schedule(event.ms, event.input);
    }
  };
}

/** One test a scenario against real time; scenarios of a batch live side by side. */
export function contractOf(name: string, open: () => PodNode | Promise<PodNode>, batchSize: number): void {
  const expected = golden();
  for (let first = 0; first < contractScenarios.length; first += batchSize) {
    const batch = contractScenarios.slice(first, first + batchSize);
    test(`${name}: scenarios ${first + 1} to ${first + batch.length}`, async (context) => {
      const node = await open();
      try {
        const lives = await Promise.all(
          batch.map((scenario, index) => live(manifestOf(scenario, first + index), scenario, node)),
        );
        for (const [index, scenario] of batch.entries()) {
          await context.test(scenario.name, async () => {
            const wanted = expected[scenario.name];
            if (isDeepStrictEqual(lives[index], wanted)) return;
            const calm = stretched(scenario, slower);
            assert.deepEqual(
              await live(manifestOf(calm, contractScenarios.length + first + index), calm, node),
              wanted,
            );
          });
        }
      } finally {
        await node.close();
      }
    });
  }
}

async function live(manifest: Manifest, scenario: ContractScenario, node: PodNode): Promise<readonly string[]> {
  const timers: NodeJS.Timeout[] = [];
  const { promise: gaveUp, resolve: giveUp } = Promise.withResolvers<void>();
  const watcher = recorder(pendingEvents(scenario, (ms, input) => timers.push(setTimeout(() => pod.feed(input), ms))));
  const observer = {
    onEffect: (_: unknown, effect: Effect) => watcher.record(effect),
    onLine: () => undefined,
  };
  const pod = new LivePod(manifest, {
    policy: contractPolicy,
    node,
    objects: objectStore(),
    observer,
    nowMs: Date.now,
  });
  const patience = setTimeout(giveUp, patienceMs);
  const ended = await Promise.race([pod.ended.then(() => true), gaveUp.then(() => false)]);
  clearTimeout(patience);
  for (const timer of timers) clearTimeout(timer);
  if (ended) return watcher.lines;
  pod.feed({ kind: 'delete', gracePeriodSeconds: 0 });
  await pod.runtime.close();
  return [...watcher.lines, 'and no end'];
}
