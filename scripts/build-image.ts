// Writes the files of the proxy image for each platform: `npm run build:image` makes dist/image/amd64 and dist/image/arm64, which
// deploy/image/Dockerfile copies over Istio's image: the agent in the place of pilot-agent, and an init that reaps.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildAgent } from './build-agent.ts';

/** As Docker names them (TARGETARCH). Older x64 processors run images too, so theirs is the agent without newer instructions. */
const platforms = {
  amd64: { agent: 'linux-x64-baseline', wheel: 'manylinux2014_x86_64' },
  arm64: { agent: 'linux-aarch64', wheel: 'manylinux2014_aarch64' },
} as const;

export type ImagePlatform = keyof typeof platforms;
export const imagePlatforms = Object.keys(platforms) as readonly ImagePlatform[];

const programs = { agent: 'usr/local/bin/pilot-agent', init: 'usr/local/bin/fairway-init' } as const;
const license = 'usr/share/doc/dumb-init/LICENSE';
/** All that is added to Istio's image. */
export const imageFiles: readonly string[] = [...Object.values(programs), license];

const init = {
  version: '1.2.5.post1',
  sha256: {
    amd64: '5d6b1fe9b8efcdbbdcb670efe7a55f9117251ee9648d35ffd0c487fd79515ea5',
    arm64: 'a516a16a7dfed012de2524eb449e31f7f583b11b938eebb3ec09fd194497293d',
  },
} as const;

/** Writes the files below `folder`, as they lie in the image. */
export function buildImageFiles(platform: ImagePlatform, folder: string): void {
  for (const file of imageFiles) mkdirSync(dirname(join(folder, file)), { recursive: true });
  const work = mkdtempSync(join(tmpdir(), 'fairway-image-'));
  try {
    renameOrCopy(buildAgent(platforms[platform].agent, work), join(folder, programs.agent));
    const wheel = fetchInit(platform, work);
    copyFileSync(join(wheel, `dumb_init-${init.version}.data`, 'scripts', 'dumb-init'), join(folder, programs.init));
    copyFileSync(join(wheel, `dumb_init-${init.version}.dist-info`, 'LICENSE'), join(folder, license));
    for (const program of Object.values(programs)) chmodSync(join(folder, program), 0o755);
  } finally {
    rmSync(work, { recursive: true });
  }
}

function renameOrCopy(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch {
    copyFileSync(from, to); // another file system
  }
}

/** The unpacked wheel; one whose SHA-256 differs is refused. */
function fetchInit(platform: ImagePlatform, work: string): string {
  const wanted = join(work, 'wanted.txt');
  writeFileSync(wanted, `dumb-init==${init.version} --hash=sha256:${init.sha256[platform]}\n`);
  const exact = ['--no-deps', '--require-hashes', '--only-binary=:all:', `--platform=${platforms[platform].wheel}`];
  run('python3', ['-m', 'pip', 'download', '-q', ...exact, '-d', work, '-r', wanted]);
  const wheel = readdirSync(work).find((name) => name.endsWith('.whl')) ?? '';
  run('python3', ['-m', 'zipfile', '-e', join(work, wheel), join(work, 'wheel')]);
  return join(work, 'wheel');
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr}`);
}

if (process.argv[1] === import.meta.filename) {
  for (const platform of imagePlatforms) {
    buildImageFiles(platform, join('dist', 'image', platform));
    process.stdout.write(`dist/image/${platform}\n`);
  }
}
