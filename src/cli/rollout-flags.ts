// The flags that name rollouts.yml and its companions, the same in every command. Apart from what reads the files, so that a command that
// needs none starts without the readers.
import type { Command } from 'commander';

export interface RolloutFlags {
  readonly rollouts?: string;
  readonly fleet?: string;
  /** `--no-lock` makes it false. */
  readonly lock?: string | boolean;
  readonly cluster?: string;
}

/** Adds `--rollouts`, `--fleet`, `--lock`, `--no-lock`. */
export function withRolloutFlags(command: Command): Command {
  return command
    .option('--rollouts <file>', 'the roll-out specification (default: rollouts.yml)')
    .option('--fleet <file>', 'the fleet file (default: fairway.yml beside rollouts.yml, where it exists)')
    .option('--lock <file>', 'remembered slots (default: rollouts.lock beside rollouts.yml, where it exists)')
    .option('--no-lock', 'assign as if nothing was remembered');
}
