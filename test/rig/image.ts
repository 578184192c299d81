// Images without a container engine or a registry: a folder becomes a one-layer archive, which containerd imports.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { busybox } from './build.ts';
import { layout } from './layout.ts';
import { sh } from './shell.ts';

const searchPath = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Every program call against the rig's containerd, in the namespace of Kubernetes. */
export function ctr(...args: readonly string[]): string {
  return sh('ctr', ['--address', layout.containerdSocket, '--namespace', 'k8s.io', ...args]);
}

/** Puts image `name` on the node: the content of `folder`, started by `entrypoint`. Same folder, same image id. */
export function importImage(name: string, folder: string, entrypoint: readonly string[]): void {
  const work = mkdtempSync(join(tmpdir(), 'rig-image-'));
  try {
    const owned = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0'];
    sh('tar', [...owned, '-C', folder, '-cf', join(work, 'layer.tar'), '.']);
    writeFileSync(join(work, 'config.json'), JSON.stringify(configOf(join(work, 'layer.tar'), entrypoint)));
    const manifest = [{ Config: 'config.json', RepoTags: [name], Layers: ['layer.tar'] }];
    writeFileSync(join(work, 'manifest.json'), JSON.stringify(manifest));
    sh('tar', ['-C', work, '-cf', join(work, 'image.tar'), 'manifest.json', 'config.json', 'layer.tar']);
    ctr('images', 'import', join(work, 'image.tar'));
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** The two images that every node has: `rig.test/busybox:1`, and `rig.test/pause:1`, which holds a pod's namespaces. */
export function importOwnImages(): void {
  const root = mkdtempSync(join(tmpdir(), 'rig-busybox-'));
  for (const name of ['bin', 'etc', 'tmp']) mkdirSync(join(root, name), { mode: name === 'tmp' ? 0o1777 : 0o755 });
  copyFileSync(busybox(), join(root, 'bin', 'busybox'));
  const applets = sh(busybox(), ['--list']).split('\n');
  for (const name of applets.filter((applet) => applet !== '' && applet !== 'busybox')) {
    symlinkSync('busybox', join(root, 'bin', name));
  }
  importImage('rig.test/busybox:1', root, ['/bin/sh']);
  importImage('rig.test/pause:1', root, [
    '/bin/sh',
    '-c',
    'trap "exit 0" TERM INT; while :; do sleep 3600 & wait; done',
  ]);
  rmSync(root, { recursive: true });
}

function configOf(layer: string, entrypoint: readonly string[]): object {
  const digest = createHash('sha256').update(readFileSync(layer)).digest('hex');
  return {
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: { Entrypoint: entrypoint, Env: [searchPath] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
  };
}
