// What documents show is what happens: every block ```console FOLDER of docs/ is run there, in memory, and compared. `…` alone on
// a line stands for lines left out. UPDATE_DOCUMENTS=1 writes what happens into the blocks that leave nothing out.
import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { compare } from '../bench/alternatives.ts';
import { namespaces } from '../bench/fleet.ts';
import { capture } from '../src/cli/capture.ts';
import { parseFleet } from '../src/core/fleet/index.ts';
import { parseRollouts } from '../src/core/rollout/index.ts';

const block = /^```console (\S+)\n([^]*?)^```$/gm;

async function happens(folder: string, body: string): Promise<string> {
  const commands = body.split('\n').filter((line) => line.startsWith('$ fairway '));
  const shown = commands.map(async (line) => {
    const args = line.slice('$ fairway '.length).split(' ');
    const { stdout, stderr } = await capture(args, { cwd: folder, nowMs: Date.parse('2026-11-30T08:00:00Z') });
    return `${line}\n${stdout}${stderr}`;
  });
  return (await Promise.all(shown)).join('');
}

function pattern(body: string): RegExp {
  const parts = body.split(/^…\n/m).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*')}$`);
}

for (const file of globSync('docs/**/*.md').sort()) {
  const text = readFileSync(file, 'utf8');
  for (const [whole, folder = '', body = ''] of text.matchAll(block)) {
    test(`${file}: ${body.split('\n')[0]}`, async () => {
      const real = await happens(folder, body);
      if (process.env['UPDATE_DOCUMENTS'] === '1' && !body.includes('…\n'))
        writeFileSync(
          file,
          readFileSync(file, 'utf8').replace(whole, () => `\`\`\`console ${folder}\n${real}\`\`\``),
        );
      else assert.match(real, pattern(body));
    });
  }
}

for (const [file, read] of [
  ['docs/reference/rollouts.md', parseRollouts],
  ['docs/reference/fleet-file.md', parseFleet],
] as const) {
  test(`${file}: the file that it shows is valid`, () => {
    const [, yaml = ''] = /^```yaml\n([^]*?)^```$/m.exec(readFileSync(file, 'utf8')) ?? [];
    assert.deepEqual(read(yaml).problems, []);
  });
}

test('docs/explanation/slots.md: the other ways move namespaces without need', () => {
  const [locked, ranges, rendezvous] = compare(namespaces(500), 40);
  assert.equal(locked?.needless, 0);
  assert.ok((ranges?.needless ?? 0) > 0.03 && (rendezvous?.needless ?? 0) > 0.01);
});
