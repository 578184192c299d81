// A forecast in words: the start, what each end means, and the termination.
import { type Container, type PodSpec, type RestartRule, shapeOf } from '../pod/index.ts';
import { formatDuration } from '../std/duration.ts';
import type { Budget, StopStep } from './budget.ts';
import type { StartStep } from './start.ts';

/** Numbered lines: what starts in which order, and what it waits for. */
export function startWords(steps: readonly StartStep[]): readonly string[] {
  const sure = steps.slice(0, -1).reduce((sum, { holdsMs }) => sum + holdsMs, 0);
  const lines = steps.map(
    (step, index) =>
      `${index + 1}. ${step.container} (${step.role}) ${afterWords(step)}${holdWords(step)}${readyWords(step)}`,
  );
  const bound = boundWords(sure);
  return steps.length < 2 ? lines : [...lines, bound];
}

function boundWords(sureMs: number): string {
  if (sureMs === 0) return 'Nothing in the spec holds the start up; images and the node take their time.';
  return Number.isFinite(sureMs)
    ? `At worst the last container starts ${formatDuration(sureMs)} after the first; images and the node take their time on top.`
    : 'There is no upper bound of the start: an init container may work, or a hook may hang, as long as it likes.';
}

function afterWords({ after }: StartStep): string {
  switch (after.kind) {
    case 'nothing':
      return 'starts first';
    case 'ends':
      return `starts when ${after.container} has ended with 0`;
    case 'started':
      return `starts when the startup probe of ${after.container} has succeeded`;
    default:
      return `starts right after ${after.container}`;
  }
}

function holdWords({ because, holdsMs }: StartStep): string {
  if (because === 'startup probe')
    return `; holds the next one up for at most ${formatDuration(holdsMs)}, then it is killed and started again`;
  if (because === 'postStart hook')
    return `; its postStart hook holds the next one up${Number.isFinite(holdsMs) ? ` for ${formatDuration(holdsMs)}` : ' as long as it runs'}`;
  return because === 'works' ? '; the next one waits for its end' : '';
}

function readyWords({ role, readyMs: [earliest, latest] }: StartStep): string {
  if (role === 'init' || latest === 0) return '';
  return `; ready ${formatDuration(earliest)} to ${formatDuration(latest)} after its start, if its probes succeed`;
}

/** What the end of each container means, and how the pod comes to its end by itself. */
export function endWords(spec: PodSpec): readonly string[] {
  const { inits, mains, restartPolicy } = shapeOf(spec);
  const lines = [...inits, ...mains].map(
    ({ container, role }) => `${container.name} (${role}): ${endOf(container, role, restartPolicy)}`,
  );
  const deadline =
    spec.activeDeadlineSeconds === undefined
      ? []
      : [
          `After ${formatDuration(spec.activeDeadlineSeconds * 1000)} the pod fails, whatever runs (activeDeadlineSeconds).`,
        ];
  return [...lines, wholeWords(spec), ...deadline];
}

function endOf(container: Container, role: string, podPolicy: string): string {
  const policy = container.restartPolicy ?? podPolicy;
  const rules = (container.restartPolicyRules ?? []).map(ruleWords);
  const rest =
    role === 'sidecar'
      ? 'started again after any end; nobody else is'
      : role === 'init'
        ? initWords(policy)
        : mainWords(policy);
  return [...rules, rest].join('; else ');
}

function ruleWords({ action, exitCodes }: RestartRule): string {
  const codes = (exitCodes?.values ?? []).join(', ');
  const when = exitCodes?.operator === 'NotIn' ? `any exit code but ${codes}` : `exit code ${codes}`;
  return action === 'Restart' ? `started again after ${when}` : `after ${when} all containers of the pod begin anew`;
}

function initWords(policy: string): string {
  return policy === 'Never'
    ? 'exit 0 lets the next one start, any other code fails the pod'
    : 'exit 0 lets the next one start, any other code is tried again';
}

function mainWords(policy: string): string {
  if (policy === 'Always') return 'started again after any end, at once the first time, then after 10s, 20s, 40s … 5m';
  return policy === 'OnFailure'
    ? 'done after exit 0, started again after any other code (at once, then after 10s, 20s … 5m)'
    : 'done after its end';
}

function wholeWords(spec: PodSpec): string {
  const { mains, hasSidecar, restartPolicy } = shapeOf(spec);
  const endless = mains.every(({ container }) => (container.restartPolicy ?? restartPolicy) === 'Always');
  if (endless) return 'The pod never ends by itself.';
  const sidecars = hasSidecar ? ', its sidecars are told to end and do not count,' : '';
  return `When all mains are done${sidecars} the pod is Succeeded if every main ended with 0, otherwise Failed.`;
}

/** The termination, step by step. */
export function stopWords({ graceMs, steps, overMs }: Budget): readonly string[] {
  return [
    `The grace period is ${formatDuration(graceMs)}, for hooks and processes together. It begins with the deletion, and so do all preStop hooks.`,
    ...steps.map(
      (step) => `${step.container} (${step.role}): ${hookWords(step, graceMs)}${turnWords(step)}${windowWords(step)}`,
    ),
    `At worst the last process is gone ${formatDuration(overMs)} after the deletion.`,
  ];
}

function hookWords({ preStop }: StopStep, graceMs: number): string {
  switch (preStop.kind) {
    case 'none':
      return 'no preStop hook; ';
    case 'known':
      return preStop.ms > graceMs
        ? `its preStop hook takes ${Number.isFinite(preStop.ms) ? formatDuration(preStop.ms) : 'for ever'} and is cut at ${formatDuration(graceMs)}; `
        : `its preStop hook takes ${formatDuration(preStop.ms)}; `;
    default:
      return `its preStop hook takes an unknown time, and is cut at ${formatDuration(graceMs)}; `;
  }
}

function turnWords({ waitsFor, signal, termMs: [earliest, latest] }: StopStep): string {
  const when =
    earliest === latest
      ? `at ${formatDuration(latest)}`
      : `between ${formatDuration(earliest)} and ${formatDuration(latest)}`;
  return waitsFor.length === 0
    ? `${signal} ${when}`
    : `${signal} when ${waitsFor.join(', ')} ${waitsFor.length === 1 ? 'has' : 'have'} ended, ${when}`;
}

function windowWords({ killMs, termMs: [earliest, latest] }: StopStep): string {
  const least = killMs - latest;
  const most = Math.max(least, killMs - earliest);
  return `; then it has ${least === most ? formatDuration(least) : `${formatDuration(least)} to ${formatDuration(most)}`} until SIGKILL`;
}
