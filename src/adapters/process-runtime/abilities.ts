// Finds out what this machine allows by doing it once, and says what pods must do without.
import { spawnSync } from 'node:child_process';
import { systemPath } from './children.ts';

export interface Abilities {
  readonly namespaces: boolean;
  readonly network: boolean;
  /** What is missing, as sentences for the user. */
  readonly notes: readonly string[];
}

export function abilitiesOfMachine(): Abilities {
  const options = { env: { PATH: systemPath }, timeout: 10_000 };
  const unshare = ['--pdeathsig', 'KILL', 'unshare', '--fork', '--pid', '--kill-child', '--mount', '--uts', '--ipc'];
  // A mount tells more than the namespace alone: some containers allow the one and not the other.
  const trial = ['sh', '-c', 'mount -t tmpfs tmpfs /proc && [ "$$" = 1 ]'];
  const namespaces = spawnSync('setpriv', [...unshare, ...trial], options).status === 0;
  const network =
    namespaces &&
    spawnSync('unshare', ['--net', 'ip', 'link', 'add', 'veth-try', 'type', 'veth'], options).status === 0;
  return { namespaces, network, notes: notesOf(namespaces, network) };
}

function notesOf(namespaces: boolean, network: boolean): readonly string[] {
  if (!namespaces) {
    return [
      'This system allows no namespaces (they need root): pods share its network, files and user, volumes cannot be mounted, ' +
        'and a watchdog ends their processes when fairway is gone.',
    ];
  }
  return network ? [] : ['This system allows no network namespaces: pods share its network.'];
}
