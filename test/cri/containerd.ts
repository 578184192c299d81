// The rig's containerd, without a cluster around it: a kubelet would remove sandboxes that it does not know.
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

const rig = resolve(import.meta.dirname, '../rig/main.ts');

export function containerdUp(): void {
  execFileSync(process.execPath, [rig, 'up', '--containerd'], { stdio: ['ignore', 'ignore', 'inherit'] });
}

export function containerdDown(): void {
  execFileSync(process.execPath, [rig, 'down'], { stdio: 'ignore' });
}

/** Containerd's own client, on the namespace of Kubernetes. */
export function ctr(...args: readonly string[]): string {
  return execFileSync(process.execPath, [rig, 'ctr', ...args], { encoding: 'utf8' });
}
