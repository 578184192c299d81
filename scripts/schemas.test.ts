import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { fleetJsonSchema, parseFleet } from '../src/core/fleet/index.ts';
import { parseSnapshot, snapshotJsonSchema } from '../src/core/inventory/index.ts';
import { parseRollouts } from '../src/core/rollout/index.ts';
import { rolloutsJsonSchema } from '../src/core/rollout/schema.ts';

const schemas: readonly (readonly [file: string, made: object])[] = [
  ['fairway.json', fleetJsonSchema()],
  ['rollouts.json', rolloutsJsonSchema()],
  ['snapshot.json', snapshotJsonSchema()],
];
for (const [file, made] of schemas) {
  test(`schemas/${file} is current (npm run schemas)`, () => {
    assert.deepEqual(JSON.parse(readFileSync(`schemas/${file}`, 'utf8')), JSON.parse(JSON.stringify(made)));
  });
}

/** File, whether the reader takes it, whether the schema does: a schema may take more, never less. */
const rows: readonly (readonly [schema: string, text: string, read: boolean, schema: boolean])[] = [
  ['rollouts.json', 'production: {1-24-5: 75, 1-25-2: 25}\n"a.*": {1-2: 100}\n', true, true],
  ['rollouts.json', 'production: {1-24-5: 75.25, 125: 24.75}\n', true, true],
  ['rollouts.json', 'production: {1-24-5: 75}\n', false, true],
  ['rollouts.json', 'production: {1-24-5: "100"}\n', false, false],
  ['rollouts.json', 'production: {Upper: 100}\n', false, false],
  ['rollouts.json', 'production: 1-24-5\n', false, false],
  [
    'fairway.json',
    'remutateAfter: 0\nmaxNodeLifetime: 14d\nbuckets: {a: {mode: exact, remutateAfter: 1h30m}}\n',
    true,
    true,
  ],
  ['fairway.json', 'revisions: {1-2: {since: 2026-01-02, retired: true, discoveryAddress: "a:1"}}\n', true, true],
  ['fairway.json', 'admission: {unlabelled: label}\n', true, true],
  ['fairway.json', 'revision: {}\n', false, false],
  ['fairway.json', 'kinds: [{apiVersion: a, kind: b, template: spec}]\n', false, false],
  ['fairway.json', 'exclude: ["("]\n', false, true],
  [
    'snapshot.json',
    '{"version": 1, "workloads": [{"namespace": "a", "kind": "b", "name": "c", "stuck": "selector"}]}',
    true,
    true,
  ],
  ['snapshot.json', '{"version": 2}', false, false],
  ['snapshot.json', '{"version": 1, "workload": []}', false, false],
  ['snapshot.json', '{"version": 1, "workloads": [{"namespace": "a", "kind": "b"}]}', false, false],
];
const readers: Readonly<Record<string, (text: string) => { readonly kind: string }>> = {
  'rollouts.json': parseRollouts,
  'fairway.json': parseFleet,
  'snapshot.json': parseSnapshot,
};
const ajv = new Ajv2020({ strict: false });
for (const [file, text, read, accepted] of rows) {
  test(`schemas/${file} and the reader on ${JSON.stringify(text)}`, () => {
    assert.equal(readers[file]?.(text).kind, read ? 'valid' : 'invalid');
    const schema = schemas.find(([name]) => name === file)?.[1] ?? {};
    const { $id: _, ...anonymous } = schema as { $id: string };
    assert.equal(ajv.validate(anonymous, parse(text)), accepted, ajv.errorsText());
  });
}
