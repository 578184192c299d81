// Builds the agent into one file a platform, with Bun: `npm run build:agent -- [PLATFORM…]` writes dist/pilot-agent-PLATFORM.
// Settings of Bun that a stray file in the working folder could change are off: the agent runs where others put files.
import { spawnSync } from 'node:child_process';
import { mkdirSync, statSync } from 'node:fs';
import { type BunPlatform, bunBinary } from '../test/envoy/parts.ts';

const platforms: readonly BunPlatform[] = ['linux-x64', 'linux-x64-baseline', 'linux-aarch64'];

/** Compiled code would cost more memory than all of the agent's data, for a program that waits most of its life. */
const noJit = '--compile-jit-policy=1000000';

/** Builds one file and gives back its path. */
export function buildAgent(platform: BunPlatform, folder = 'dist'): string {
  mkdirSync(folder, { recursive: true });
  const outfile = `${folder}/pilot-agent-${platform}`;
  const noFiles = ['dotenv', 'bunfig', 'tsconfig', 'package-json'].map((file) => `--no-compile-autoload-${file}`);
  const target = [
    `--compile-executable-path=${bunBinary(platform)}`,
    `--target=bun-${platform.replace('aarch64', 'arm64')}`,
  ];
  const args = [
    'build',
    '--compile',
    '--minify',
    '--bytecode',
    noJit,
    ...noFiles,
    ...target,
    'src/cli/pilot-agent.ts',
    `--outfile=${outfile}`,
  ];
  const { status, stderr } = spawnSync(bunBinary(), args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`bun ${args.join(' ')}: ${stderr}`);
  return outfile;
}

if (process.argv[1] === import.meta.filename) {
  const wanted = process.argv.slice(2);
  for (const platform of platforms.filter((name) => wanted.length === 0 || wanted.includes(name))) {
    const file = buildAgent(platform);
    process.stdout.write(`${file} ${(statSync(file).size / 2 ** 20).toFixed(1)} MB\n`);
  }
}
