// A pod's own network: a pair of virtual interfaces between its namespace and this machine, one address a pod, routes on both
// sides. Everything hangs on the namespace, so it vanishes with it and nothing has to be cleaned up, not even after kill -9.
import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { runTool } from './children.ts';

/** The machine's address towards every pod: link-local, never routed, the same on each interface. */
export const gateway = '169.254.86.1';
const prefix = '10.246.86.';
const first = 2;
const last = 254;

/** Connects the namespace of a process and returns the pod's address, one that no other interface of this machine leads to. */
export async function connectPod(pid: number): Promise<string> {
  const link = `fw${randomBytes(4).toString('hex')}`;
  await runTool(['ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid)]);
  await runTool(['ip', '-batch', '-'], `addr add ${gateway}/32 dev ${link}\nlink set ${link} up\n`);
  const address = await takeAddress(link);
  const inside = [
    'link set lo up',
    `addr add ${address}/32 dev eth0`,
    'link set eth0 up',
    `route add ${gateway} dev eth0 scope link`,
    `route add default via ${gateway}`,
  ];
  await runTool(['nsenter', '-t', String(pid), '-n', 'ip', '-batch', '-'], `${inside.join('\n')}\n`);
  // Pods reach each other through this machine; only between these interfaces, not in general.
  const forwarding = `/proc/sys/net/ipv4/conf/${link}/forwarding`;
  if (existsSync(forwarding)) writeFileSync(forwarding, '1');
  return address;
}

/** The kernel is the book of addresses: a second route to one is refused, also one of another fairway. */
async function takeAddress(link: string): Promise<string> {
  for (let host = first; host <= last; host++) {
    const address = `${prefix}${host}`;
    try {
      await runTool(['ip', 'route', 'add', `${address}/32`, 'dev', link, 'scope', 'link']);
      return address;
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('File exists'))) throw error;
    }
  }
  throw new Error(`no address is left in ${prefix}0/24`);
}
