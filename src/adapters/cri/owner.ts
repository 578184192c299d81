// Who a sandbox belongs to: one run of fairway, named so that a later run can tell whether it still lives. The name is a label's value
// and a folder's name.
import { existsSync, readFileSync, readlinkSync } from 'node:fs';

/** `ended` also when the machine was started anew; `elsewhere`: its process cannot be seen from here, it may live. */
export type Fate = 'alive' | 'ended' | 'elsewhere';

/** This process: boot, PID namespace, process id, start time. */
export function ownName(): string {
  return [...place(), process.pid, startTime(process.pid)].join('.');
}

export function fateOf(owner: string): Fate {
  const [boot = '', namespace = '', pid = '', since = ''] = owner.split('.');
  const [ownBoot, ownNamespace] = place();
  if (boot !== ownBoot) return 'ended';
  if (namespace !== ownNamespace) return 'elsewhere';
  return startTime(Number(pid)) === since ? 'alive' : 'ended';
}

function place(): readonly [boot: string, namespace: string] {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
  return [boot, readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')];
}

/** Clock ticks since boot at which a living process began; a recycled id has another. */
function startTime(pid: number): string {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return '';
  const fields = readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return fields[0] === 'Z' ? '' : (fields[19] ?? '');
}
