// Answers to probes: of a file, of the time since the start, or of a command.
import type { ProbeAnswer, RuntimeEffect, RuntimeInput } from '../../core/pod/index.ts';
import type { Answer, ProbeBehaviour } from './behaviour.ts';
import type { Node, Run } from './node.ts';
import { createProcess } from './process/process.ts';

/** Asks once, when the probe has reached the container; an answer that would come after the time-out is a failure at the time-out. */
export function answerProbe(
  node: Node,
  effect: RuntimeEffect & { kind: 'probe' },
  deliver: (input: RuntimeInput) => void,
): void {
  const { call, probe, spec, timeoutMs } = effect;
  const run = node.runs.get(effect.instance);
  const overheadMs = Math.min(node.cost(spec.exec === undefined ? 'request' : 'exec'), timeoutMs);
  const tell = (answer: string, result: ProbeAnswer) => {
    node.observe({ kind: 'probe', container: run?.container.name ?? '', probe, answer });
    deliver({ kind: 'probed', call, result, message: answer === 'timeout' ? 'timed out' : undefined });
  };
  node.in(overheadMs, () => {
    const answer =
      run?.state === 'running' ? ask(node, run, node.behaviour.probe(run.container, run.number, probe, spec)) : gone;
    const late = answer.answer === 'timeout' || answer.takesMs > timeoutMs - overheadMs;
    if (late) node.in(timeoutMs - overheadMs, () => tell('timeout', 'failure'));
    else if (answer.takesMs === 0) tell(answer.answer, resultOf(answer.answer));
    else node.in(answer.takesMs, () => tell(answer.answer, resultOf(answer.answer)));
  });
}

const gone: Answer = { answer: 'failure', takesMs: 0 };

function ask(node: Node, run: Run, behaviour: ProbeBehaviour): Answer {
  switch (behaviour.kind) {
    case 'file':
      return { answer: run.files.exists(behaviour.path) ? 'success' : 'failure', takesMs: 0 };
    case 'timed': {
      const ageMs = node.clock.nowMs - run.startedAtMs;
      return behaviour.answers.findLast(({ fromMs }) => fromMs <= ageMs) ?? gone;
    }
    default:
      return byCommand(node, run, behaviour);
  }
}

/** The command's exit code and how long it takes, as if it ran alone now. */
function byCommand(node: Node, run: Run, behaviour: ProbeBehaviour & { readonly kind: 'acts' }): Answer {
  const fromMs = node.clock.nowMs;
  const process = createProcess(behaviour.acts, run.files);
  let progress = process.wake(fromMs);
  for (let turns = 0; progress.kind === 'waiting' && turns < 1000; turns++) {
    if (progress.untilMs === Number.POSITIVE_INFINITY) break;
    const atMs = progress.untilMs;
    progress = process.wake(atMs);
    if (progress.kind === 'ended')
      return { answer: progress.exit.code === 0 ? 'success' : 'failure', takesMs: atMs - fromMs };
  }
  if (progress.kind === 'waiting') return { answer: 'timeout', takesMs: 0 };
  return { answer: progress.exit.code === 0 ? 'success' : 'failure', takesMs: 0 };
}

function resultOf(answer: Answer['answer']): ProbeAnswer {
  return answer === 'error' ? 'unknown' : answer === 'timeout' ? 'failure' : answer;
}
