// The contract of the agent's runtime: Bun and Node must both pass, with a real Envoy between. The agent is built with Bun;
// should a new version of it fail here, Node's single executable is the way back, and nothing of the agent changes.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bunBinary, envoyBinary } from './parts.ts';

const probe = fileURLToPath(new URL('runtime-probe.ts', import.meta.url));

for (const [name, runtime] of [
  ['Node', () => process.execPath],
  ['Bun', () => bunBinary()],
] as const) {
  test(`the runtime can what the agent needs: ${name}`, () => {
    const output = execFileSync(runtime(), [probe, envoyBinary()], { encoding: 'utf8' });
    const { rssMb, ...report } = JSON.parse(output) as { readonly rssMb: number } & Readonly<Record<string, string>>;
    assert.ok(Object.keys(report).length >= 9);
    assert.deepEqual(
      Object.entries(report).filter(([, result]) => result !== 'ok'),
      [],
    );
    assert.ok(rssMb < 150, `${rssMb} MB after a transfer of 50 MB: nobody honours back-pressure`);
  });
}

test("the host's gRPC on Bun: the tests that Node runs with the other units", () => {
  const { status, stderr } = spawnSync(bunBinary(), ['test', './src/adapters/node/grpc/'], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.match(stderr, /\b1[3-9] pass/);
});
