// A host whose programs run in another network namespace, for a CNI plugin that sets up a pod from outside. Needs `nsenter` and `ip`.
import type { Host } from '../../ports/host.ts';
import type { HostProcesses } from '../../ports/processes.ts';

/** The namespace is a file, such as /var/run/netns/NAME or /proc/PID/ns/net. */
export async function insideOf(path: string, host: Host): Promise<Host> {
  const run: HostProcesses['run'] = (program, args, stdin) =>
    host.processes.run('nsenter', [`--net=${path}`, '--', program, ...args], stdin);
  const { stdout } = await run('ip', ['-o', 'addr', 'show', 'scope', 'global']);
  const addresses = [...stdout.matchAll(/\binet6? ([0-9a-fA-F:.]+)/g)].map(([, address = '']) => address);
  return { ...host, processes: { ...host.processes, run }, net: { ...host.net, addresses: () => addresses } };
}
