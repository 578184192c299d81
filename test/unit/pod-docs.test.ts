// The documentation of pods shows what the program prints: pictures are drawn again, console blocks are run.
import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { capture } from '../../src/cli/capture.ts';
import { gatesOf } from '../../src/core/pod/index.ts';
import { readScenario, scenarioJsonSchema } from '../../src/sim/pod/index.ts';

const pictures = 'docs/explanation/pictures';
const pods = globSync('examples/pods/*.yaml')
  .filter((path) => !path.endsWith('.scenario.yaml'))
  .sort();

for (const path of pods) {
  const name = path.replace(/^.*\/|\.yaml$/g, '');
  const scenario = path.replace(/\.yaml$/, '.scenario.yaml');
  test(`the picture of ${path} is what the program draws`, async () => {
    const flags = existsSync(scenario) ? ['--scenario', scenario] : [];
    const drawn = await capture(['pod', 'simulate', path, ...flags, '--until', '3m', '-o', 'svg']);
    assert.equal(drawn.code, 0, drawn.stderr);
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(`${pictures}/${name}.svg`, drawn.stdout);
    assert.equal(readFileSync(`${pictures}/${name}.svg`, 'utf8'), drawn.stdout);
  });
}

test('each picture has its pod', () => {
  const names = readdirSync(pictures).filter((file) => file.endsWith('.svg'));
  assert.deepEqual(
    names.sort(),
    pods.map((path) => path.replace(/^.*\//, '').replace(/yaml$/, 'svg')),
  );
});

for (const page of globSync('docs/**/*.md').sort()) {
  const blocks = [...readFileSync(page, 'utf8').matchAll(/```console\n\$ fairway (pod [^\n]*)\n([\s\S]*?)```/g)];
  for (const [, command = '', output = ''] of blocks) {
    test(`${page} shows what \`fairway ${command}\` prints`, async () => {
      const { stdout, stderr } = await capture(command.split(' '));
      assert.equal(stdout, output, stderr);
    });
  }
}

const format = readFileSync('docs/reference/scenario.md', 'utf8');

for (const page of ['docs/reference/scenario.md', 'docs/how-to/find-out-why-a-pod-is-killed-in-its-drain.md']) {
  const blocks = [...readFileSync(page, 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g)];
  test(`the scenarios of ${page} are valid`, () => {
    assert.notEqual(blocks.length, 0);
    for (const [, text = ''] of blocks) assert.deepEqual(readScenario(text, page).problems, []);
  });
}

/** Every key and every fixed word of the format, wherever it stands in the schema. */
function wordsOf(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(wordsOf);
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties, enum: choices, const: fixed } = schema as Readonly<Record<string, unknown>>;
  const keys = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  const values = [...(Array.isArray(choices) ? (choices as unknown[]) : []), fixed].filter(
    (word) => typeof word === 'string',
  );
  return [...keys, ...values, ...Object.values(schema).flatMap(wordsOf)];
}

test('every key and word of a scenario is in its reference', () => {
  const missing = [...new Set(wordsOf(scenarioJsonSchema()))].filter((word) => !format.includes(word));
  assert.deepEqual(missing, []);
});

test('every gate is in the reference', () => {
  const page = readFileSync('docs/reference/pod-simulate.md', 'utf8');
  assert.deepEqual(
    Object.keys(gatesOf('1.37')).filter((gate) => !page.includes(`\`${gate}\``)),
    [],
  );
});
