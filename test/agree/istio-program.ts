// Programs of Istio's module, built from ./istio-inject, whose go.mod names the version: its packages are compiled for that suite anyway, so each of
// them takes half a minute more on a new machine.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'fairway-istio-'));
after(() => rmSync(folder, { recursive: true }));

/** Builds a package and gives back the path of the program; it goes with the test file. */
export function buildIstio(goPackage: './dns' | 'istio.io/istio/pilot/cmd/pilot-agent'): string {
  const program = join(folder, basename(goPackage));
  const cwd = join(import.meta.dirname, 'istio-inject');
  const made = spawnSync('go', ['build', '-mod=mod', '-o', program, goPackage], { cwd, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`go build failed: ${made.stderr || made.error?.message}`);
  return program;
}
