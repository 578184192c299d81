// Programs of others to measure with or beside: built from their Go modules once, outside of the checkout.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';

const folder = join(homedir(), '.cache/fairway-bench');

/** The path of the program that a package makes, such as `github.com/owner/name/v4`, at a version of its module. */
export function goTool(goPackage: string, version: string): string {
  const name = basename(goPackage.replace(/\/v\d+$/, ''));
  const file = join(folder, `${name}-${version}`);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  const made = spawnSync(
    'sh',
    ['-c', 'go install "$1" && mv "$GOBIN/$2" "$3"', 'sh', `${goPackage}@${version}`, name, file],
    {
      env: { ...process.env, GOBIN: folder },
      stdio: ['ignore', 2, 'inherit'],
    },
  );
  if (made.status !== 0) throw new Error(`${goPackage}@${version} could not be built`);
  return file;
}
