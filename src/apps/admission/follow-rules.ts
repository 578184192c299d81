// Follows the files of the rules: a first reading that cannot be used is an error, a later one is told and changes nothing.
import { type ReadRules, type RuleFiles, readRules } from '../../core/admission/index.ts';
import { type Problem, SpecError } from '../../core/std/errors.ts';
import { type FollowedFiles, followFiles } from './follow-files.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

export interface RulePorts {
  readonly ruleFiles: () => Promise<RuleFiles>;
  /** Where a change is told: calls back for each; without it they are looked at now and then. */
  readonly onRuleFiles?: (changed: () => void) => void;
  /** The cluster's name in fairway.yml; absent: as the fleet. */
  readonly clusterName?: string | undefined;
  readonly nowMs: () => number;
  readonly log: Log;
}

interface World {
  readonly ports: RulePorts;
  readonly metrics: Metrics;
  /** How often files are looked at. */
  readonly pollMs: number;
}

/** Calls `use` with each reading that can be used. @throws SpecError where the first cannot */
export async function followRules(
  { ports, metrics, pollMs }: World,
  use: (rules: ReadRules) => Promise<void>,
): Promise<FollowedFiles> {
  const { log, nowMs, ruleFiles: read, clusterName } = ports;
  let inForce = false;
  return followFiles({
    read,
    told: ports.onRuleFiles,
    everyMs: pollMs,
    onError: (error) => {
      metrics.rulesBroken.set(1);
      log.error({ error: String(error) }, 'the rules cannot be read; the last good ones stay');
    },
    use: async (files) => {
      const found = readRules(files, clusterName);
      metrics.rulesBroken.set(found.kind === 'invalid' ? 1 : 0);
      for (const problem of found.problems) log.warn({ ...problem }, 'a problem of the rules');
      if (found.kind === 'invalid') return refuseFirst(inForce, found.problems);
      inForce = true;
      metrics.rulesLoaded.set(nowMs() / 1000);
      log.info({}, 'rules in force');
      await use(found.value);
    },
  });
}

function refuseFirst(inForce: boolean, problems: readonly Problem[]): void {
  if (!inForce) throw new SpecError(problems);
}
