// The container runtime of one pod on this machine: performs the lifecycle engine's effects with real processes and answers each once.
// Owns no rule of the lifecycle: when to start, stop, probe or give up is the engine's.
import { mkdirSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerConfig } from '../../core/container/index.ts';
import type { CancelHook, Container, RuntimeEffect, RuntimeInput } from '../../core/pod/index.ts';
import type { ExecRequest, PodOnNode, PodRuntime } from '../../ports/pod-node.ts';
import { Answers, type Deliver, type Effect } from '../pod-parts/answer.ts';
import { RunningFiles } from '../pod-parts/running.ts';
import { Runs } from '../pod-parts/runs.ts';
import { makeTerminationLog, readTerminationLog } from '../pod-parts/termination-log.ts';
import { bindMounts, type Volumes, writeVolumes } from '../pod-parts/volumes.ts';
import { type ExecOutcome, probeOnce, runHook, type Target } from '../probe/handler.ts';
import { signalNumber, systemPath } from './children.ts';
import type { Isolation, LaunchPlan, RunningProcess, SandboxHandle } from './isolation.ts';
import { keepLogs } from './logs.ts';

export interface ProcessPodOptions {
  readonly isolation: Isolation;
  /** Of the pod: removed with it. */
  readonly folder: string;
  /** Of the pod: stays. */
  readonly logFolder: string;
  /** Image name → a folder that is its root file system. */
  readonly images: ReadonlyMap<string, string>;
  readonly hostNetwork: boolean;
}

interface Run {
  readonly container: Container;
  readonly process: RunningProcess;
  readonly podIP: string;
  killTimer?: NodeJS.Timeout;
}

const outputLimit = 10 * 1024;
const lateOutputMs = 200;

export class ProcessPod implements PodRuntime {
  readonly #pod: PodOnNode;
  readonly #options: ProcessPodOptions;
  readonly #sandboxes = new Map<string, SandboxHandle>();
  readonly #runs = new Runs<Run>();
  readonly #answers = new Answers();
  readonly #running: RunningFiles;
  #volumes: Volumes = new Map();

  constructor(pod: PodOnNode, options: ProcessPodOptions) {
    this.#pod = pod;
    this.#options = options;
    this.#running = new RunningFiles(join(options.folder, 'running'), pod.mains);
  }

  perform(effect: RuntimeEffect | CancelHook, deliver: Deliver): void {
    this.#answers.perform(effect, deliver, (asked) => this.#act(asked, deliver));
  }

  async exec(container: string, request: ExecRequest): Promise<number> {
    const run = this.#runs.latest(container);
    const { command, stdin, stdout, stderr } = request;
    return await run.process.exec({ argv: command, stdin, stdout, stderr }).exited;
  }

  logFile(container: string, restartCount: number): string {
    return join(this.#options.logFolder, container, `${restartCount}.log`);
  }

  async close(): Promise<void> {
    this.#answers.cancelHooks();
    const handles = [...this.#sandboxes.values()];
    this.#sandboxes.clear();
    const exits = [...this.#runs.values()].map((run) => run.process.exited);
    await Promise.all(handles.map((handle) => handle.stop()));
    await Promise.all(exits);
    rmSync(this.#options.folder, { recursive: true, force: true });
  }

  async #act(effect: RuntimeEffect, deliver: Deliver): Promise<RuntimeInput | undefined> {
    const { call } = effect;
    switch (effect.kind) {
      case 'mountVolumes':
        return this.#mountVolumes(call);
      case 'createSandbox':
        return await this.#createSandbox(effect, deliver);
      case 'stopSandbox':
        return await this.#stopSandbox(effect);
      case 'pullImage':
        return { kind: 'pulled', call, message: this.#imageNote(effect.image) };
      case 'startContainer':
        return await this.#start(effect, deliver);
      case 'runHook':
        return await this.#runHook(effect);
      case 'stopContainer':
        this.#stop(effect);
        return undefined;
      case 'removeContainer':
        rmSync(this.#folderOf(effect.instance), { recursive: true, force: true });
        return { kind: 'done', call };
      case 'updateResources': // limits are not enforced on processes of this machine: there is nothing to change
        return { kind: 'done', call };
      case 'probe': {
        const verdict = await probeOnce(effect.spec, targetOf(this.#runs.of(effect.instance)), effect.timeoutMs);
        return { kind: 'probed', call, ...verdict };
      }
    }
  }

  #mountVolumes(call: number): RuntimeInput {
    const plans = this.#pod.volumes();
    if (!plans.found) throw new Error(plans.message);
    this.#volumes = writeVolumes(join(this.#options.folder, 'volumes'), plans.value, this.#pod.fsGroup);
    return { kind: 'done', call };
  }

  async #createSandbox({ call, sandbox }: Effect<'createSandbox'>, deliver: Deliver): Promise<RuntimeInput> {
    const { isolation, hostNetwork } = this.#options;
    const handle = await isolation.createSandbox({ hostname: this.#pod.hostname, hostNetwork });
    this.#sandboxes.set(sandbox, handle);
    void handle.ended.then(() => {
      if (this.#sandboxes.delete(sandbox)) deliver({ kind: 'sandboxLost', sandbox });
    });
    return { kind: 'sandboxCreated', call, ip: handle.ip };
  }

  async #stopSandbox({ call, sandbox }: Effect<'stopSandbox'>): Promise<RuntimeInput> {
    const handle = this.#sandboxes.get(sandbox);
    this.#sandboxes.delete(sandbox);
    await handle?.stop();
    return { kind: 'done', call };
  }

  #imageNote(image: string): string {
    const from = this.#options.images.get(image);
    return from === undefined ? 'Container runs on the files of this machine' : `Image "${image}" is ${from}`;
  }

  async #start(effect: Effect<'startContainer'>, deliver: Deliver): Promise<RuntimeInput> {
    const { call, container } = effect;
    const failed = (reason: string, message: string): RuntimeInput => ({ kind: 'failed', call, reason, message });
    const sandbox = this.#sandboxes.get(effect.sandbox);
    if (sandbox === undefined) return failed('CreateContainerError', `sandbox ${effect.sandbox} is gone`);
    const config = this.#pod.configure(container, sandbox.ip);
    if (!config.found) return failed('CreateContainerConfigError', config.message);
    this.#running.began(container.name);
    const launched = await sandbox.launch(this.#planOf(config.value, effect));
    if (launched.kind !== 'running') this.#running.ended(container.name);
    if (launched.kind === 'refused') return failed('CreateContainerError', launched.message);
    if (launched.kind === 'failed') return failed('RunContainerError', launched.message);
    const run: Run = { container, process: launched.process, podIP: sandbox.ip };
    this.#runs.set(effect.instance, run);
    void this.#follow(run, effect).then(deliver);
    return { kind: 'started', call, containerID: `process://${this.#pod.uid}/${effect.instance}` };
  }

  /** Keeps the run's output until its end, which it settles with. */
  async #follow(run: Run, { instance, restartCount }: Effect<'startContainer'>): Promise<RuntimeInput> {
    const { name } = run.container;
    const logs = keepLogs(run.process, {
      file: this.logFile(name, restartCount),
      onLine: (stream, line) => this.#pod.onLine({ container: name, restartCount, stream, text: line }),
    });
    const exitCode = await run.process.exited;
    this.#running.ended(name);
    clearTimeout(run.killTimer);
    this.#runs.delete(instance);
    await Promise.race([logs, sleep(lateOutputMs, undefined, { ref: false })]);
    run.process.stdout.destroy(); // a process that left the container may hold them open
    run.process.stderr.destroy();
    return { kind: 'exited', instance, exitCode, message: readTerminationLog(this.#folderOf(instance)) };
  }

  async #runHook({ call, instance, handler }: Effect<'runHook'>): Promise<RuntimeInput> {
    return await this.#answers.hook(call, (signal) => runHook(handler, targetOf(this.#runs.of(instance)), signal));
  }

  /** A run that has ended already tells, or has told, its exit. */
  #stop({ instance, signal = 'SIGTERM', timeoutMs }: Effect<'stopContainer'>): void {
    const run = this.#runs.get(instance);
    const number = signalNumber(signal);
    if (number === undefined) throw new Error(`no such signal: ${signal}`);
    if (run === undefined) return;
    run.process.signal(number);
    clearTimeout(run.killTimer);
    run.killTimer = setTimeout(() => run.process.signal(constants.signals.SIGKILL), timeoutMs);
  }

  #planOf(config: ContainerConfig, { instance, container }: Effect<'startContainer'>): LaunchPlan {
    const folder = this.#folderOf(instance);
    mkdirSync(join(folder, 'run'), { recursive: true });
    const messages = makeTerminationLog(folder, container);
    const isolated = this.#options.isolation.kind === 'namespaces';
    const others = this.#running.toldTo(container.name, isolated ? 'mounted' : 'as-is');
    return {
      argv: [...config.command, ...config.args],
      env: { PATH: systemPath, HOSTNAME: this.#pod.hostname, ...Object.fromEntries([...others.env, ...config.env]) },
      workingDir: config.workingDir,
      user: config.user,
      root: this.#options.images.get(config.image),
      mounts: [...bindMounts(this.#volumes, config.mounts), ...(isolated ? [messages] : []), ...others.mounts],
      folder: join(folder, 'run'),
    };
  }

  #folderOf(instance: string): string {
    return join(this.#options.folder, 'containers', instance.replaceAll('/', '-'));
  }
}

function targetOf(run: Run): Target {
  return {
    container: run.container,
    podIP: run.podIP,
    exec: (command, signal) => execIn(run.process, command, signal),
  };
}

async function execIn(process: RunningProcess, argv: readonly string[], signal: AbortSignal): Promise<ExecOutcome> {
  const output = new PassThrough();
  const started = process.exec({ argv, stdin: undefined, stdout: output, stderr: output });
  const said = text(output);
  signal.addEventListener('abort', () => started.kill());
  const exitCode = await started.exited;
  output.end();
  return { exitCode, output: (await said).slice(0, outputLimit) };
}
