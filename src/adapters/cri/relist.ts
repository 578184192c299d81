// Finds out what ended: asks the runtime for all of one run's containers and sandboxes, ten times a second, as long as somebody waits
// for one. Each watch is told once. While the runtime does not answer nothing is told: it may be restarting.
import { setTimeout as sleep } from 'node:timers/promises';
import type { CriClient } from './client.ts';
import { ContainerState, type ContainerStatus, PodSandboxState, RuntimeService } from './generated/api_pb.js';
import { labelsOf } from './sandboxes.ts';

export type ContainerNews =
  | { readonly kind: 'exited'; readonly status: ContainerStatus }
  /** Its record is gone. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'unknown' };

const pauseMs = 100;
const service = RuntimeService.method;

export class Relist {
  readonly #client: CriClient;
  readonly #filter: { readonly labelSelector: Record<string, string> };
  readonly #containers = new Map<string, (news: ContainerNews) => void>();
  readonly #sandboxes = new Map<string, () => void>();
  #running = false;

  constructor(client: CriClient, owner: string) {
    this.#client = client;
    this.#filter = { labelSelector: { ...labelsOf(owner) } };
  }

  watchContainer(id: string, tell: (news: ContainerNews) => void): void {
    this.#containers.set(id, tell);
    this.#wake();
  }

  /** `tell` is called when the sandbox is no longer ready. */
  watchSandbox(id: string, tell: () => void): void {
    this.#sandboxes.set(id, tell);
    this.#wake();
  }

  /** Before a sandbox is stopped on purpose. */
  forgetSandbox(id: string): void {
    this.#sandboxes.delete(id);
  }

  close(): void {
    this.#containers.clear();
    this.#sandboxes.clear();
  }

  #wake(): void {
    if (this.#running) return;
    this.#running = true;
    void this.#loop();
  }

  async #loop(): Promise<void> {
    while (this.#containers.size + this.#sandboxes.size > 0) {
      await Promise.all([this.#lookAtContainers(), this.#lookAtSandboxes()]).catch(() => undefined);
      await sleep(pauseMs, undefined, { ref: false });
    }
    this.#running = false;
  }

  /** What is watched only since the question was sent may not be in its answer. */
  async #lookAtContainers(): Promise<void> {
    const asked = [...this.#containers.keys()];
    if (asked.length === 0) return;
    const { containers } = await this.#client.call(service.listContainers, { filter: this.#filter });
    const states = new Map(containers.map(({ id, state }) => [id, state]));
    const news = await Promise.all(asked.map(async (id) => ({ id, what: await this.#newsOf(id, states.get(id)) })));
    for (const { id, what } of news.sort((a, b) => finishedAt(a.what) - finishedAt(b.what))) {
      if (what === undefined) continue;
      const tell = this.#containers.get(id);
      this.#containers.delete(id);
      tell?.(what);
    }
  }

  async #newsOf(containerId: string, state: ContainerState | undefined): Promise<ContainerNews | undefined> {
    if (state === undefined) return { kind: 'lost' };
    if (state === ContainerState.CONTAINER_UNKNOWN) return { kind: 'unknown' };
    if (state !== ContainerState.CONTAINER_EXITED) return undefined;
    const { status } = await this.#client.call(service.containerStatus, { containerId });
    return status === undefined ? undefined : { kind: 'exited', status };
  }

  async #lookAtSandboxes(): Promise<void> {
    const asked = [...this.#sandboxes.keys()];
    if (asked.length === 0) return;
    const { items } = await this.#client.call(service.listPodSandbox, { filter: this.#filter });
    const ready = new Set(items.filter(({ state }) => state === PodSandboxState.SANDBOX_READY).map(({ id }) => id));
    for (const id of asked.filter((one) => !ready.has(one))) {
      const tell = this.#sandboxes.get(id);
      this.#sandboxes.delete(id);
      tell?.();
    }
  }
}

/** Milliseconds; the runtime counts nanoseconds. */
function finishedAt(news: ContainerNews | undefined): number {
  return news?.kind === 'exited' ? Number(news.status.finishedAt / 1_000_000n) : 0;
}
