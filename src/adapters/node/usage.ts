// What this process uses, as the kernel tells it.
import { readdirSync, readFileSync } from 'node:fs';
import type { ProcessUsage } from '../../ports/processes.ts';

const pageBytes = 4096;

export function processUsage(): ProcessUsage {
  const { user, system } = process.cpuUsage();
  const [received, sent] = octets();
  return {
    cpuSeconds: (user + system) / 1e6,
    residentBytes: process.memoryUsage.rss(),
    virtualBytes: Number(read('statm').split(' ')[0] ?? 0) * pageBytes,
    virtualBytesAtMost: limit('Max address space'),
    openFiles: readdirSync('/proc/self/fd').length,
    openFilesAtMost: limit('Max open files'),
    startedAtSeconds: Date.now() / 1000 - process.uptime(),
    receivedBytes: received,
    sentBytes: sent,
  };
}

function read(file: string): string {
  try {
    return readFileSync(`/proc/self/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** The soft one; none at all is the largest number of the kernel. */
function limit(name: string): number {
  const [, value = '0'] = new RegExp(`^${name} +(\\S+)`, 'm').exec(read('limits')) ?? [];
  return value === 'unlimited' ? 2 ** 64 : Number(value);
}

/** Of the network namespace: two lines of `IpExt:`, names and values. */
function octets(): readonly [received: number, sent: number] {
  const [names = [], values = []] = read('net/netstat')
    .split('\n')
    .filter((line) => line.startsWith('IpExt:'))
    .map((line) => line.split(' '));
  const valueOf = (name: string): number => Number(values[names.indexOf(name)] ?? 0);
  return [valueOf('InOctets'), valueOf('OutOctets')];
}
