// What a pod's containers do: the scenario where it says something, their commands where those are simple, and otherwise a
// well-behaved server. Everything that had to be assumed is a note, never a silent guess.
import type { Container, ContainerRole, HookHandler, Pod, Probe, ProbeKind } from '../../core/pod/index.ts';
import { type Act, actsOf, deaf, serve } from './process/act.ts';
import { spanMs } from './scenario/duration.ts';
import {
  type Scenario,
  type ScenarioAnswers,
  type ScenarioContainer,
  type ScenarioHook,
  type ScenarioRun,
} from './scenario/format.ts';
import { commandActs } from './shell/command.ts';
import { parseShell } from './shell/parse.ts';

export type RunBehaviour =
  | { readonly kind: 'acts'; readonly acts: readonly Act[] }
  | { readonly kind: 'fails'; readonly reason: string; readonly message: string };

export interface Answer {
  readonly answer: 'success' | 'failure' | 'warning' | 'error' | 'timeout';
  readonly takesMs: number;
}

/** How a probe is answered: by acts (their exit code), or by the time since the run's start. */
export type ProbeBehaviour =
  | { readonly kind: 'acts'; readonly acts: readonly Act[] }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'timed'; readonly answers: readonly (Answer & { readonly fromMs: number })[] };

export type HookBehaviour = readonly Act[];

/** `run` counts from 0 the starts of a container, failed ones too. */
export interface Behaviour {
  run(container: Container, role: ContainerRole, run: number): RunBehaviour;
  probe(container: Container, run: number, kind: ProbeKind, spec: Probe): ProbeBehaviour;
  hook(container: Container, run: number, hook: 'preStop' | 'postStart', handler: HookHandler): HookBehaviour;
  readonly scenario: Scenario;
}

/** The behaviour of a pod under a scenario, `{}` for none. */
export function behaviourOf(scenario: Scenario): Behaviour {
  return {
    scenario,
    run: (container, role, run) => runBehaviour(container, role, runOf(told(scenario, container.name), run)),
    probe: (container, run, kind, spec) => {
      const own = told(scenario, container.name);
      return probeBehaviour(full(runOf(own, run)).probes?.[kind] ?? own?.probes?.[kind], spec);
    },
    // oxlint-disable-next-line eslint/max-params -- which container, which of its runs, which hook, and what the pod says of it
    hook: (container, run, hook, handler) => {
      const own = told(scenario, container.name);
      return hookBehaviour(full(runOf(own, run)).hooks?.[hook] ?? own?.hooks?.[hook], handler);
    },
  };
}

/** What was assumed of a pod because neither the scenario nor its commands tell it, a sentence each. */
export function assumptionsOf(pod: Pick<Pod, 'spec'>, scenario: Scenario): readonly string[] {
  const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
  const all = [...initContainers, ...containers, ...ephemeralContainers];
  const known = new Set([...all.map(({ name }) => name), ...addedLater(scenario)]);
  const strangers = Object.keys(scenario.containers ?? {}).filter((name) => !known.has(name));
  return [
    ...strangers.map((name) => `the scenario tells of a container ${name}, which the pod does not have`),
    ...all.flatMap((container) => containerAssumptions(container, initContainers.includes(container), scenario)),
  ];
}

function addedLater(scenario: Scenario): readonly string[] {
  return (scenario.events ?? []).flatMap((event) =>
    event.do === 'add-ephemeral-container' ? [event.container.name] : [],
  );
}

function containerAssumptions(container: Container, init: boolean, scenario: Scenario): readonly string[] {
  const own = told(scenario, container.name);
  const regular = init && container.restartPolicy !== 'Always';
  const run = own?.run === undefined && own?.runs === undefined ? runAssumption(container, regular) : [];
  const probes = (['startup', 'liveness', 'readiness'] as const).flatMap((kind) => {
    const command = container[`${kind}Probe`]?.exec?.command;
    const tells =
      own?.probes?.[kind] !== undefined ||
      (own?.runs ?? [own?.run]).some((entry) => full(entry).probes?.[kind] !== undefined);
    return tells || command === undefined ? [] : unread(command, `${container.name}: its ${kind} probe`, 'succeeds');
  });
  const hooks = (['postStart', 'preStop'] as const).flatMap((hook) => {
    const command = container.lifecycle?.[hook]?.exec?.command;
    return own?.hooks?.[hook] !== undefined || command === undefined
      ? []
      : unread(command, `${container.name}: its ${hook} hook`, 'takes no time');
  });
  return [...run, ...probes, ...hooks];
}

function runAssumption(container: Container, regularInit: boolean): readonly string[] {
  const command = [...(container.command ?? []), ...(container.args ?? [])];
  const assumed = regularInit ? 'it ends at once with 0' : 'it runs until its stop signal and then ends with 0';
  if (container.command === undefined)
    return [`${container.name}: nothing is known of its image; assumed that ${assumed}`];
  const read = commandActs(command);
  return read.kind === 'acts' ? [] : [`${container.name}: ${read.because}; assumed that ${assumed}`];
}

function unread(command: readonly string[], what: string, assumed: string): readonly string[] {
  const read = commandActs(command);
  return read.kind === 'acts' ? [] : [`${what}: ${read.because}; assumed that it ${assumed}`];
}

function told(scenario: Scenario, container: string): ScenarioContainer | undefined {
  const all = scenario.containers ?? {};
  return Object.hasOwn(all, container) ? all[container] : undefined;
}

function runOf(container: ScenarioContainer | undefined, run: number): ScenarioRun | undefined {
  const runs = container?.runs ?? (container?.run === undefined ? [] : [container.run]);
  return runs[Math.min(run, runs.length - 1)];
}

type FullRun = Exclude<ScenarioRun, string | readonly unknown[]>;

function full(run: ScenarioRun | undefined): FullRun {
  if (run === undefined) return {};
  return typeof run === 'string' || Array.isArray(run) ? { steps: run } : run;
}

function runBehaviour(container: Container, role: ContainerRole, entry: ScenarioRun | undefined): RunBehaviour {
  const run = full(entry);
  if (run.fails !== undefined)
    return { kind: 'fails', reason: run.fails, message: run.message ?? defaultFailure(run.fails) };
  if (run.steps === 'serve') return { kind: 'acts', acts: serve };
  if (run.steps === 'deaf') return { kind: 'acts', acts: deaf };
  if (run.steps !== undefined) return { kind: 'acts', acts: actsOf(run.steps, parseShell) };
  if (container.command === undefined) return { kind: 'acts', acts: unknownActs(role) };
  const read = commandActs([...container.command, ...(container.args ?? [])]);
  return { kind: 'acts', acts: read.kind === 'acts' ? read.acts : unknownActs(role) };
}

function unknownActs(role: ContainerRole): readonly Act[] {
  return role === 'init' ? [] : serve;
}

function defaultFailure(reason: string): string {
  return reason === 'RunContainerError' ? 'failed to start the process' : 'the container cannot be created';
}

function probeBehaviour(answers: ScenarioAnswers | undefined, spec: Probe): ProbeBehaviour {
  if (answers === undefined) return defaultProbe(spec);
  if (typeof answers === 'string') return timed([{ answer: answers }]);
  if (Array.isArray(answers)) return timed(answers);
  return 'file' in answers ? { kind: 'file', path: answers.file } : timed([answers]);
}

interface Told {
  readonly from?: string | number | undefined;
  readonly answer: Answer['answer'];
  readonly takes?: string | number | undefined;
}

function timed(answers: readonly Told[]): ProbeBehaviour {
  const sorted = answers
    .map(({ from = 0, answer, takes = 0 }) => ({ fromMs: spanMs(from), answer, takesMs: spanMs(takes) }))
    .sort((a, b) => a.fromMs - b.fromMs);
  return { kind: 'timed', answers: sorted };
}

/** Without a scenario: what the command does where it is understood, otherwise success. */
function defaultProbe(spec: Probe): ProbeBehaviour {
  const read = commandActs(spec.exec?.command ?? []);
  return spec.exec !== undefined && read.kind === 'acts'
    ? { kind: 'acts', acts: read.acts }
    : timed([{ answer: 'success' }]);
}

function hookBehaviour(hook: ScenarioHook | undefined, handler: HookHandler): HookBehaviour {
  if (Array.isArray(hook)) return actsOf(hook, parseShell);
  if (hook !== undefined) return [{ act: 'sleep', ms: spanMs(hook), holds: true }];
  if (handler.sleep !== undefined) return [{ act: 'sleep', ms: handler.sleep.seconds * 1000, holds: true }];
  const read = commandActs(handler.exec?.command ?? []);
  return handler.exec !== undefined && read.kind === 'acts' ? read.acts : [];
}

/** Whether it is known what a hook does: from the scenario, from its handler, or from a command that is understood. */
export function tellsHook(scenario: Scenario, container: Container, hook: 'postStart' | 'preStop'): boolean {
  const own = told(scenario, container.name);
  const inRun = (own?.runs ?? [own?.run]).some((entry) => full(entry).hooks?.[hook] !== undefined);
  const handler = container.lifecycle?.[hook];
  if (inRun || own?.hooks?.[hook] !== undefined || handler?.sleep !== undefined) return true;
  return handler?.exec !== undefined && commandActs(handler.exec.command ?? []).kind === 'acts';
}
