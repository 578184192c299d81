// Runs of containers: started, woken, signalled, ended; and the hooks that run in them.
import type { RuntimeEffect, RuntimeInput } from '../../core/pod/index.ts';
import type { Node, Run } from './node.ts';
import { createProcess, type Exit, type Progress } from './process/process.ts';

type Deliver = (input: RuntimeInput) => void;

/** Creates and starts one run; its end is delivered as `exited`. */
export function startRun(node: Node, effect: RuntimeEffect & { kind: 'startContainer' }, deliver: Deliver): void {
  const { container, instance, call, sandbox, role } = effect;
  const number = node.attempt(`run ${container.name}`);
  const behaviour = node.behaviour.run(container, role, number);
  if (behaviour.kind === 'fails') {
    const { reason, message } = behaviour;
    return node.after('failedStart', () => deliver({ kind: 'failed', call, reason, message }));
  }
  const files = node.files.view(container, instance);
  const process = createProcess(behaviour.acts, files);
  const run: Run = {
    instance,
    container,
    sandbox,
    number,
    files,
    process,
    deliver,
    startedAtMs: 0,
    state: 'starting',
    wake: 0,
  };
  node.runs.set(instance, run);
  node.after('start', () => {
    run.startedAtMs = node.clock.nowMs;
    run.state = 'running';
    node.observe({ kind: 'run', what: 'started', container: container.name, run: number });
    // The process is ahead of the news of it: what it does at once is done before anybody can probe it.
    follow(node, run, process.wake(node.clock.nowMs));
    deliver({ kind: 'started', call, containerID: `simulated://${instance}` });
  });
}

/** Acts on what a process has done: waits on, or tells its end. */
function follow(node: Node, run: Run, progress: Progress): void {
  if (run.state !== 'running') return;
  if (progress.kind === 'ended') return endRun(node, run, progress.exit);
  const wake = ++run.wake;
  node.clock.at(progress.untilMs, () => {
    if (run.state === 'running' && run.wake === wake) follow(node, run, run.process.wake(node.clock.nowMs));
  });
}

/** The run has ended; the runtime tells it a little later. */
export function endRun(node: Node, run: Run, exit: Exit): void {
  run.state = 'ended';
  const { code, reason, message } = exit;
  node.observe({ kind: 'run', what: 'ended', container: run.container.name, exitCode: code, reason });
  node.after('exit', () => run.deliver({ kind: 'exited', instance: run.instance, exitCode: code, reason, message }));
}

/** Signal now, KILL after the time given; what has ended stays as it is. */
export function stopRun(node: Node, effect: RuntimeEffect & { kind: 'stopContainer' }): void {
  const run = node.runs.get(effect.instance);
  if (run === undefined) return;
  const name = (effect.signal ?? 'TERM').replace(/^SIG/, '');
  node.after('signal', () => send(node, run, name));
  node.in(effect.timeoutMs, () => send(node, run, 'KILL'));
}

function send(node: Node, run: Run, signal: string): void {
  if (run.state !== 'running') return;
  node.observe({ kind: 'signal', container: run.container.name, signal });
  follow(node, run, run.process.signal(signal, node.clock.nowMs));
}

/** Runs a hook beside the container's process, in the same files. */
export function runHook(node: Node, effect: RuntimeEffect & { kind: 'runHook' }, deliver: Deliver): void {
  const { call, hook, handler } = effect;
  const run = node.runs.get(effect.instance);
  if (run === undefined)
    return node.in(0, () => deliver({ kind: 'failed', call, message: 'the container is not there' }));
  const acts = node.behaviour.hook(run.container, run.number, hook, handler);
  const process = createProcess(acts, run.files);
  node.hooks.set(call, { run, hook });
  node.observe({ kind: 'hook', container: run.container.name, hook, what: 'began' });
  const goOn = (progress: Progress): void => {
    if (!node.hooks.has(call)) return;
    if (progress.kind === 'waiting') return node.clock.at(progress.untilMs, () => goOn(process.wake(node.clock.nowMs)));
    node.hooks.delete(call);
    const { code } = progress.exit;
    node.observe({ kind: 'hook', container: run.container.name, hook, what: code === 0 ? 'ended' : 'failed' });
    deliver(code === 0 ? { kind: 'done', call } : { kind: 'failed', call, message: `the hook exited with ${code}` });
  };
  const cost = handler.sleep === undefined ? (handler.exec === undefined ? 'request' : 'exec') : undefined;
  node.in(cost === undefined ? 0 : node.cost(cost), () => goOn(process.wake(node.clock.nowMs)));
}

/** The engine gives a hook up. */
export function cancelHook(node: Node, call: number): void {
  const known = node.hooks.get(call);
  if (known?.run === undefined) return;
  node.hooks.delete(call);
  node.observe({ kind: 'hook', container: known.run.container.name, hook: known.hook, what: 'cut' });
}
