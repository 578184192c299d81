// Flags of the commands of `fairway pod` that say which kubelet is modelled.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Gates, gatesOf, type KubeletVersion, type PolicyOptions } from '../core/pod/index.ts';
import { closest } from '../core/std/closest.ts';
import { parseDurationMs } from '../core/std/duration.ts';

export interface KubeletFlags {
  readonly kubeletVersion?: KubeletVersion;
  readonly featureGates?: Partial<Gates>;
  readonly maxContainerRestartPeriod?: number;
}

/** Adds `--kubelet-version`, `--feature-gates`, `--max-container-restart-period`. */
export function withKubeletFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--kubelet-version <version>', 'the kubelet to model (default: 1.37)').choices([
        '1.33',
        '1.34',
        '1.35',
        '1.36',
        '1.37',
      ]),
    )
    .option('--feature-gates <list>', 'A=true,B=false: gates that differ from the version’s defaults', parseGates)
    .option(
      '--max-container-restart-period <duration>',
      'crashLoopBackOff.maxContainerRestartPeriod of the kubelet, 1s to 300s',
      parseDuration,
    );
}

/** What the flags say of the policy. */
export function policyOptions(flags: KubeletFlags): PolicyOptions {
  return {
    version: flags.kubeletVersion,
    gates: flags.featureGates,
    maxContainerRestartPeriodMs: flags.maxContainerRestartPeriod,
  };
}

/** A Go duration as commander's flag parser wants it. */
export function parseDuration(text: string): number {
  const ms = parseDurationMs(text);
  if (ms === undefined || ms < 0) throw new InvalidArgumentError('Give a duration such as 90s or 10m.');
  return ms;
}

/** `A=true,B=false` as gates; an unknown name is refused with the nearest one. */
export function parseGates(text: string): Partial<Gates> {
  const entries = text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', value = ''] = part.split('=');
      if (!['true', 'false'].includes(value)) throw new InvalidArgumentError(`${part}: write NAME=true or NAME=false.`);
      return [gateName(name), value === 'true'] as const;
    });
  return Object.fromEntries(entries);
}

function gateName(name: string): string {
  const known = Object.keys(gatesOf('1.37'));
  if (known.includes(name)) return name;
  const meant = closest(name, known);
  throw new InvalidArgumentError(
    `${name} is no gate that changes a pod's life${meant === undefined ? '' : `; did you mean ${meant}?`}.`,
  );
}
