// `fairway pod`: the group of commands about a pod's life. A subcommand is a row of the table and a file in pod/.
import { Command } from 'commander';
import type { Io } from '../io.ts';
import { buildApply, buildDelete, buildExec, buildGet, buildLogs } from './pod/client.ts';
import { build as buildExplain } from './pod/explain.ts';
import { build as buildRun } from './pod/run.ts';
import { build as buildSimulate } from './pod/simulate.ts';

const subcommands: readonly ((io: Io) => Command)[] = [
  buildSimulate,
  buildExplain,
  buildRun,
  buildApply,
  buildGet,
  buildDelete,
  buildLogs,
  buildExec,
];

export function build(io: Io): Command {
  const group = new Command('pod').description('Lives pods as a kubelet does: in virtual time, in words, or for real.');
  for (const subcommand of subcommands) group.addCommand(subcommand(io));
  return group;
}
