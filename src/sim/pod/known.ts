// What is known of a pod's behaviour before it lives: how long its hooks take, by the scenario or by their commands.
import type { Container } from '../../core/pod/index.ts';
import { behaviourOf, tellsHook } from './behaviour.ts';
import { podFiles } from './process/files.ts';
import { createProcess } from './process/process.ts';
import type { Scenario } from './scenario/format.ts';

/** Milliseconds of a hook (Infinity: it never ends); undefined where neither the scenario nor its command tells. */
export function hookTimeOf(
  scenario: Scenario,
): (container: Container, hook: 'postStart' | 'preStop') => number | undefined {
  const behaviour = behaviourOf(scenario);
  return (container, hook) => {
    const handler = container.lifecycle?.[hook];
    if (handler === undefined || !tellsHook(scenario, container, hook)) return undefined;
    const process = createProcess(behaviour.hook(container, 0, hook, handler), podFiles().view(container, 'hook'));
    let nowMs = 0;
    for (let progress = process.wake(0); progress.kind === 'waiting'; progress = process.wake(nowMs)) {
      nowMs = progress.untilMs;
      if (nowMs === Number.POSITIVE_INFINITY) break;
    }
    return nowMs;
  };
}
