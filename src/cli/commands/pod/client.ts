// `fairway pod apply|get|delete|logs|exec`: what can be asked of a running `fairway pod run`.
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Io } from '../../io.ts';
import type { SocketFlags } from '../../pod-socket.ts';

const load = () => import('../../pod-client.ts');

export function buildApply(io: Io): Command {
  return socketed(new Command('apply'))
    .description('Creates or changes pods and Deployments of a running fairway pod run; a changed template rolls out.')
    .argument('<file...>', 'manifests; - reads standard input')
    .action(async (files: readonly string[], flags: SocketFlags) => (await load()).applyFiles(files, flags, io));
}

export function buildGet(io: Io): Command {
  return socketed(new Command('get'))
    .description('Shows the pods and Deployments of a running fairway pod run.')
    .argument('[name...]', 'pods; without any: all, and Deployments')
    .addOption(new Option('-o, --output <format>', 'the pods’ objects').choices(['yaml', 'json']))
    .action(async (names: readonly string[], flags: SocketFlags & { readonly output?: 'yaml' | 'json' }) =>
      (await load()).showPods(names, flags, io),
    );
}

export function buildDelete(io: Io): Command {
  return socketed(new Command('delete'))
    .description('Deletes pods or Deployments of a running fairway pod run.')
    .argument('<name...>', 'NAME, pod/NAME or deployment/NAME')
    .option('--grace-period <seconds>', 'instead of the pod’s own; 0 deletes the object at once', seconds)
    .action(async (names: readonly string[], flags: SocketFlags & { readonly gracePeriod?: number }) =>
      (await load()).deleteNames(names, flags, io),
    );
}

export function buildLogs(io: Io): Command {
  return socketed(new Command('logs'))
    .description('Prints what a container of a running fairway pod run has printed.')
    .argument('<pod>')
    .option('-c, --container <name>', 'the container, where there are several')
    .option('-p, --previous', 'of the run before', false)
    .action(async (pod: string, flags: SocketFlags & { readonly container?: string; readonly previous: boolean }) =>
      (await load()).printLogs(pod, flags, io),
    );
}

export function buildExec(io: Io): Command {
  return socketed(new Command('exec'))
    .description('Runs a command in a container of a running fairway pod run.')
    .argument('<pod>')
    .argument('<command...>', 'after --')
    .option('-c, --container <name>', 'the container, where there are several')
    .option('-i, --stdin', 'pass standard input on', false)
    .action(
      async (
        pod: string,
        command: readonly string[],
        flags: SocketFlags & { readonly container?: string; readonly stdin: boolean },
      ) => (await load()).execIn({ pod, command, ...flags }, io),
    );
}

function socketed(command: Command): Command {
  return command.option(
    '--socket <file>',
    'of the run (default: FAIRWAY_POD_SOCKET, or where pod run listens by default)',
  );
}

function seconds(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('a whole number of seconds is wanted');
  return Number(text);
}
