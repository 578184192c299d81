// Writes the JSON Schemas of the files that people write, into schemas/. With `--check` only tells whether they are current.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fleetJsonSchema } from '../src/core/fleet/index.ts';
import { snapshotJsonSchema } from '../src/core/inventory/index.ts';
import { rolloutsJsonSchema } from '../src/core/rollout/schema.ts';
import { scenarioJsonSchema } from '../src/sim/pod/index.ts';

const schemas: Readonly<Record<string, () => unknown>> = {
  'schemas/fairway.json': fleetJsonSchema,
  'schemas/rollouts.json': rolloutsJsonSchema,
  'schemas/scenario.json': scenarioJsonSchema,
  'schemas/snapshot.json': snapshotJsonSchema,
};

const check = process.argv.includes('--check');
mkdirSync('schemas', { recursive: true });
for (const [path, make] of Object.entries(schemas)) {
  const text = `${JSON.stringify(make(), null, 2)}\n`;
  if (check && readFileSync(path, 'utf8') !== text) {
    process.stderr.write(`${path} is not current: npm run schemas\n`);
    process.exitCode = 1;
  } else if (!check) writeFileSync(path, text);
}
