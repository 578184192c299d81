// Programs that are built with Istio's module, from the folders beside this file whose go.mod names its version, with the flags of the rig
// (../rig/build.ts): one machine compiles Istio's packages once, and each program takes half a minute more.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'fairway-istio-'));
after(() => rmSync(folder, { recursive: true }));

type Module = 'istio-inject' | 'istio-bootstrap';

/** Builds a package of a module and gives back the path of the program; it goes with the test file. */
export function buildIstio(
  module: Module,
  goPackage: '.' | './dns' | 'istio.io/istio/pilot/cmd/pilot-agent' = '.',
): string {
  const program = join(folder, goPackage === '.' ? module : basename(goPackage));
  const made = spawnSync('go', ['build', '-mod=mod', '-trimpath', '-o', program, goPackage], {
    cwd: join(import.meta.dirname, module),
    env: { ...process.env, CGO_ENABLED: '0' },
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`go build failed: ${made.stderr || made.error?.message}`);
  return program;
}
