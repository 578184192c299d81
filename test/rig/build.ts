// Gets the programs of the cluster: Go modules built as tools, and a few of Debian's packages. A build is kept in a folder
// named after all that decides it (go.mod, go.sum, link flags), so a change of a version is a new folder and never a stale one.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { layout } from './layout.ts';
import { say, sh, succeeds } from './shell.ts';

export type GoModule = 'cni' | 'containerd' | 'etcd' | 'istio' | 'kubernetes' | 'runc';

/** Modules whose main package has another name than its program. */
const renamed: Partial<Record<GoModule, readonly [from: string, to: string]>> = { etcd: ['server', 'etcd'] };

/** Builds what is missing and returns a PATH that begins with the folders of the programs. */
export function pathWith(modules: readonly GoModule[]): string {
  return [...modules.map(goTools), process.env['PATH'] ?? '', '/usr/sbin', '/sbin'].join(delimiter);
}

/** The folder with the programs of one module; built when it is not there: minutes on a new machine. */
export function goTools(module: GoModule): string {
  const folder = join(layout.cache, `${module}-${buildKey(module)}`);
  if (existsSync(folder)) return folder;
  say(`building ${module} (once a machine)`);
  mkdirSync(layout.cache, { recursive: true });
  const partial = mkdtempSync(join(layout.cache, `.${module}-`));
  const done = spawnSync('go', ['build', '-trimpath', ...buildFlags(module), '-o', `${partial}/`, 'tool'], {
    cwd: join(layout.modules, module),
    env: { ...process.env, CGO_ENABLED: module === 'runc' ? '1' : '0' }, // runc enters namespaces in C, before Go starts
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (done.status !== 0) {
    rmSync(partial, { recursive: true });
    throw new Error(`go build of ${module} failed`);
  }
  for (const [from, to] of [renamed[module] ?? []]) if (from && to) renameSync(join(partial, from), join(partial, to));
  if (!existsSync(folder)) renameSync(partial, folder);
  return folder;
}

/** The sources that a module's tools are built from: charts and templates lie beside them. */
export function goSource(module: GoModule, path: string): string {
  return sh('go', ['list', '-m', '-f', '{{.Dir}}', path], { cwd: join(layout.modules, module) }).trim();
}

/** Installs those of Debian's packages that are not there. */
export function debian(packages: readonly string[]): void {
  if (succeeds('dpkg', ['-s', ...packages])) return;
  say(`installing ${packages.join(' ')}`);
  sh('apt-get', ['update', '-qq']);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  sh('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env });
}

/** A static busybox, unpacked beside the builds: installed as a package it would displace the machine's own. */
export function busybox(): string {
  const folder = join(layout.cache, 'busybox');
  const program = join(folder, 'bin', 'busybox');
  if (existsSync(program)) return program;
  say('fetching busybox-static');
  mkdirSync(folder, { recursive: true });
  sh('apt-get', ['update', '-qq']);
  const unpacked = mkdtempSync(join(layout.cache, '.busybox-'));
  sh('apt-get', ['download', '-qq', 'busybox-static'], { cwd: unpacked });
  const archive = readdirSync(unpacked).find((name) => name.endsWith('.deb')) ?? '';
  sh('dpkg', ['-x', join(unpacked, archive), folder]);
  rmSync(unpacked, { recursive: true });
  // Newer Debian keeps it under usr/, where /bin is only a link.
  if (!existsSync(program)) {
    mkdirSync(join(folder, 'bin'), { recursive: true });
    renameSync(join(folder, 'usr', 'bin', 'busybox'), program);
  }
  return program;
}

function buildKey(module: GoModule): string {
  const hash = createHash('sha256').update(buildFlags(module).join(' '));
  for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(join(layout.modules, module, file)));
  return hash.digest('hex').slice(0, 12);
}

function buildFlags(module: GoModule): readonly string[] {
  const tags = module === 'runc' ? ['-tags', 'seccomp'] : []; // the kubelet gives every sandbox a seccomp profile
  return [...tags, '-ldflags', module === 'kubernetes' ? `-s -w ${versionFlags()}` : '-s -w'];
}

/** Kubernetes' clients refuse a server without a version, and only the linker can set it. */
function versionFlags(): string {
  const mod = readFileSync(join(layout.modules, 'kubernetes', 'go.mod'), 'utf8');
  const [, version = '', major = '', minor = ''] = /k8s\.io\/kubernetes (v(\d+)\.(\d+)\S*)/.exec(mod) ?? [];
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor };
  return Object.entries(values)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(' ');
}
