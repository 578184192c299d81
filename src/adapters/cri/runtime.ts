// The container runtime of one pod behind CRI: performs the lifecycle engine's effects by calls and answers each once. Owns no rule of the
// lifecycle: when to start, stop, probe or give up is the engine's.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ContainerConfig } from '../../core/container/index.ts';
import {
  type CancelHook,
  type Container,
  type RuntimeEffect,
  type RuntimeInput,
  terminationMessage,
} from '../../core/pod/index.ts';
import type { ExecRequest, PodOnNode, PodRuntime } from '../../ports/pod-node.ts';
import { Answers, type Deliver, type Effect } from '../pod-parts/answer.ts';
import { RunningFiles } from '../pod-parts/running.ts';
import { Runs } from '../pod-parts/runs.ts';
import { makeTerminationLog, readTerminationLog } from '../pod-parts/termination-log.ts';
import { type BindMount, bindMounts, type Volumes, writeVolumes } from '../pod-parts/volumes.ts';
import { probeOnce, runHook } from '../probe/handler.ts';
import type { CriClient } from './client.ts';
import { logPath, runConfig, type SandboxConfig, sandboxConfig } from './config.ts';
import { execToEnd, execWithin } from './exec.ts';
import { RuntimeService } from './generated/api_pb.js';
import { ensureImage } from './images.ts';
import { LogFollower } from './log-follower.ts';
import type { ContainerNews, Relist } from './relist.ts';
import { resourcesOf } from './resources.ts';
import { removeSandbox } from './sandboxes.ts';

export interface CriPodOptions {
  readonly client: CriClient;
  readonly relist: Relist;
  /** The address of pods in the machine's own network. */
  readonly hostIP: string;
  /** On all that is made. */
  readonly labels: Readonly<Record<string, string>>;
  /** Of the pod: removed with it. */
  readonly folder: string;
  /** Of the pod: stays. */
  readonly logFolder: string;
  readonly onClosed: () => void;
}

interface Sandbox {
  readonly id: string;
  readonly ip: string;
  readonly config: SandboxConfig;
}

interface Run {
  readonly id: string;
  readonly container: Container;
  readonly podIP: string;
  readonly log: LogFollower;
  killTimer?: NodeJS.Timeout;
}

const service = RuntimeService.method;

export class CriPod implements PodRuntime {
  readonly #pod: PodOnNode;
  readonly #options: CriPodOptions;
  readonly #sandboxes = new Map<string, Sandbox>();
  /** Of every run whose record the runtime may have. */
  readonly #records = new Map<string, string>();
  readonly #runs = new Runs<Run>();
  readonly #answers = new Answers();
  /** Calls under way that make something. */
  readonly #making = new Set<Promise<unknown>>();
  readonly #running: RunningFiles;
  #volumes: Volumes = new Map();
  #closed: Promise<void> | undefined;

  constructor(pod: PodOnNode, options: CriPodOptions) {
    this.#pod = pod;
    this.#options = options;
    this.#running = new RunningFiles(join(options.folder, 'running'), pod.mains);
  }

  perform(effect: RuntimeEffect | CancelHook, deliver: Deliver): void {
    this.#answers.perform(effect, deliver, (asked) => this.#act(asked, deliver));
  }

  async exec(container: string, request: ExecRequest): Promise<number> {
    const run = this.#runs.latest(container);
    return await execToEnd(this.#options.client, run.id, request);
  }

  logFile(container: string, restartCount: number): string {
    return join(this.#options.logFolder, logPath(container, restartCount));
  }

  /** Once, however often it is asked for; what cannot be removed now is left to the node's close. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#answers.cancelHooks();
    await Promise.allSettled(this.#making);
    const { client, relist, folder, onClosed } = this.#options;
    for (const run of this.#runs.values()) {
      clearTimeout(run.killTimer);
      run.log.finish();
    }
    const sandboxes = [...this.#sandboxes.values()];
    this.#sandboxes.clear();
    for (const { id } of sandboxes) relist.forgetSandbox(id);
    await Promise.allSettled(sandboxes.map(({ id }) => removeSandbox(client, id)));
    rmSync(folder, { recursive: true, force: true });
    onClosed();
  }

  async #act(effect: RuntimeEffect, deliver: Deliver): Promise<RuntimeInput | undefined> {
    const { call } = effect;
    const { client } = this.#options;
    switch (effect.kind) {
      case 'mountVolumes':
        return this.#mountVolumes(call);
      case 'createSandbox':
        return await this.#make(this.#createSandbox(effect, deliver));
      case 'stopSandbox':
        return await this.#stopSandbox(effect);
      case 'pullImage':
        return await ensureImage(client, effect, this.#sandboxConfig(0));
      case 'startContainer':
        return await this.#make(this.#start(effect, deliver));
      case 'runHook':
        return await this.#runHook(effect);
      case 'stopContainer':
        await this.#stop(effect);
        return undefined;
      case 'removeContainer':
        return await this.#removeContainer(effect);
      case 'updateResources': {
        const { id: containerId } = this.#runs.of(effect.instance);
        await client.call(service.updateContainerResources, { containerId, linux: resourcesOf(effect.resources) });
        return { kind: 'done', call };
      }
      case 'probe': {
        const target = this.#targetOf(effect.instance, effect.timeoutMs);
        return { kind: 'probed', call, ...(await probeOnce(effect.spec, target, effect.timeoutMs)) };
      }
    }
  }

  /** Whatever is being made when the pod is closed must be there before it can be removed. */
  async #make<T>(made: Promise<T>): Promise<T> {
    this.#making.add(made);
    try {
      return await made;
    } finally {
      this.#making.delete(made);
    }
  }

  #mountVolumes(call: number): RuntimeInput {
    const plans = this.#pod.volumes();
    if (!plans.found) throw new Error(plans.message);
    this.#volumes = writeVolumes(join(this.#options.folder, 'volumes'), plans.value, this.#pod.fsGroup);
    return { kind: 'done', call };
  }

  async #createSandbox(effect: Effect<'createSandbox'>, deliver: Deliver): Promise<RuntimeInput> {
    const { client, relist, hostIP, logFolder } = this.#options;
    const { call, sandbox } = effect;
    mkdirSync(logFolder, { recursive: true });
    const config = this.#sandboxConfig(effect.attempt);
    const { podSandboxId } = await client.call(service.runPodSandbox, { config });
    const { status } = await client.call(service.podSandboxStatus, { podSandboxId });
    const ip = this.#pod.hostNetwork ? hostIP : (status?.network?.ip ?? '');
    this.#sandboxes.set(sandbox, { id: podSandboxId, ip, config });
    relist.watchSandbox(podSandboxId, () => deliver({ kind: 'sandboxLost', sandbox }));
    return { kind: 'sandboxCreated', call, ip };
  }

  /** Its record stays until the pod is closed: the ends of its containers are still to be told. */
  async #stopSandbox({ call, sandbox }: Effect<'stopSandbox'>): Promise<RuntimeInput> {
    const { client, relist } = this.#options;
    const podSandboxId = this.#sandboxes.get(sandbox)?.id;
    if (podSandboxId !== undefined) {
      relist.forgetSandbox(podSandboxId);
      await client.call(service.stopPodSandbox, { podSandboxId });
    }
    return { kind: 'done', call };
  }

  async #start(effect: Effect<'startContainer'>, deliver: Deliver): Promise<RuntimeInput> {
    const { call, container, instance } = effect;
    const { client } = this.#options;
    const failed = (reason: string, message: string): RuntimeInput => ({ kind: 'failed', call, reason, message });
    const sandbox = this.#sandboxes.get(effect.sandbox);
    if (sandbox === undefined) return failed('CreateContainerError', `sandbox ${effect.sandbox} is gone`);
    const config = this.#pod.configure(container, sandbox.ip);
    if (!config.found) return failed('CreateContainerConfigError', config.message);
    let containerId: string;
    try {
      containerId = await this.#create(effect, sandbox, config.value);
    } catch (error) {
      return failed('CreateContainerError', error instanceof Error ? error.message : String(error));
    }
    this.#records.set(instance, containerId);
    this.#running.began(container.name);
    try {
      await client.call(service.startContainer, { containerId });
    } catch (error) {
      this.#running.ended(container.name);
      return failed('RunContainerError', error instanceof Error ? error.message : String(error));
    }
    this.#follow(effect, { id: containerId, container, podIP: sandbox.ip }, deliver);
    return { kind: 'started', call, containerID: `containerd://${containerId}` };
  }

  async #create(effect: Effect<'startContainer'>, sandbox: Sandbox, config: ContainerConfig): Promise<string> {
    const { instance, container, restartCount } = effect;
    const { client, labels } = this.#options;
    mkdirSync(dirname(this.logFile(container.name, restartCount)), { recursive: true });
    const target = container['targetContainerName'];
    const others = this.#running.toldTo(container.name, 'mounted');
    const request = runConfig(
      { ...config, env: [...others.env, ...config.env] },
      {
        pod: this.#pod,
        container,
        attempt: Number(instance.slice(instance.lastIndexOf('/') + 1)),
        restartCount,
        mounts: [...this.#mountsOf(effect, sandbox, config), ...others.mounts],
        labels,
        targetId: [...this.#runs.values()].findLast((run) => run.container.name === target)?.id,
      },
    );
    const made = { podSandboxId: sandbox.id, config: request, sandboxConfig: sandbox.config };
    return (await client.call(service.createContainer, made)).containerId;
  }

  #mountsOf({ instance, container }: Effect<'startContainer'>, { ip }: Sandbox, config: ContainerConfig): BindMount[] {
    const mounts = [...bindMounts(this.#volumes, config.mounts)];
    const folder = this.#folderOf(instance);
    mounts.push(makeTerminationLog(folder, container));
    if (!this.#pod.hostNetwork && mounts.every(({ target }) => target !== '/etc/hosts')) {
      const source = join(folder, 'hosts');
      writeFileSync(source, `127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost\n${ip}\t${this.#pod.hostname}\n`);
      mounts.push({ source, target: '/etc/hosts', readOnly: false });
    }
    return mounts;
  }

  /** Hands out the run's output until its end, and tells that. */
  #follow(
    { instance, restartCount }: Effect<'startContainer'>,
    started: Pick<Run, 'id' | 'container' | 'podIP'>,
    deliver: Deliver,
  ): void {
    const { name } = started.container;
    const log = new LogFollower({
      file: this.logFile(name, restartCount),
      onLine: (stream, text) => this.#pod.onLine({ container: name, restartCount, stream, text }),
    });
    const run: Run = { ...started, log };
    this.#runs.set(instance, run);
    this.#options.relist.watchContainer(run.id, (news) => {
      clearTimeout(run.killTimer);
      this.#running.ended(name);
      this.#runs.delete(instance);
      log.finish();
      deliver(this.#inputOf(news, instance, run));
    });
  }

  #inputOf(news: ContainerNews, instance: string, { container, log }: Run): RuntimeInput {
    if (news.kind === 'lost') return { kind: 'recordLost', instance };
    if (news.kind === 'unknown') return { kind: 'unknown', instance };
    const { exitCode, reason, message } = news.status;
    const file = readTerminationLog(this.#folderOf(instance));
    const said = terminationMessage(container, { exitCode, file, log: log.tail });
    return {
      kind: 'exited',
      instance,
      exitCode,
      ...(reason === '' ? {} : { reason }),
      ...(said === '' && message === '' ? {} : { message: said === '' ? message : said }),
    };
  }

  async #runHook({ call, instance, handler, timeoutMs }: Effect<'runHook'>): Promise<RuntimeInput> {
    return await this.#answers.hook(call, (signal) => runHook(handler, this.#targetOf(instance, timeoutMs), signal));
  }

  /** A run that has ended already tells, or has told, its exit. CRI counts whole seconds: a part of one is counted here. */
  async #stop({ instance, timeoutMs }: Effect<'stopContainer'>): Promise<void> {
    const run = this.#runs.get(instance);
    if (run === undefined) return;
    const { client } = this.#options;
    const stop = (seconds: number) =>
      client.call(service.stopContainer, { containerId: run.id, timeout: BigInt(seconds) });
    clearTimeout(run.killTimer);
    if (timeoutMs % 1000 > 0) run.killTimer = setTimeout(() => void stop(0).catch(() => undefined), timeoutMs);
    await stop(Math.ceil(timeoutMs / 1000));
  }

  async #removeContainer({ call, instance }: Effect<'removeContainer'>): Promise<RuntimeInput> {
    const containerId = this.#records.get(instance);
    if (containerId !== undefined) await this.#options.client.call(service.removeContainer, { containerId });
    this.#records.delete(instance);
    rmSync(this.#folderOf(instance), { recursive: true, force: true });
    return { kind: 'done', call };
  }

  #sandboxConfig(attempt: number): SandboxConfig {
    const { logFolder, labels } = this.#options;
    return sandboxConfig(this.#pod, { attempt, logFolder, labels });
  }

  #targetOf(instance: string, timeoutMs: number | undefined) {
    const { id, container, podIP } = this.#runs.of(instance);
    return {
      container,
      podIP,
      exec: (command: readonly string[], signal: AbortSignal) =>
        execWithin(this.#options.client, { containerId: id, command, timeoutMs }, signal),
    };
  }

  #folderOf(instance: string): string {
    return join(this.#options.folder, 'containers', instance.replaceAll('/', '-'));
  }
}
