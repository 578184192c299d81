// `fairway pod`: the group of commands about a pod's life. A subcommand is a row of the table and a file in pod/.
import { Command } from 'commander';
import type { Io } from '../io.ts';
import { build as buildExplain } from './pod/explain.ts';
import { build as buildSimulate } from './pod/simulate.ts';

const subcommands: readonly ((io: Io) => Command)[] = [buildSimulate, buildExplain];

export function build(io: Io): Command {
  const group = new Command('pod').description('Lives pods as a kubelet does: in virtual time, or in words.');
  for (const subcommand of subcommands) group.addCommand(subcommand(io));
  return group;
}
