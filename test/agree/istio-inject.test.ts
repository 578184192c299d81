// Live oracle: pods made at random go through Istio's own injector and through ours with `compat: istio`; every difference is a bug.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import { readYaml } from '../../src/core/gotemplate/index.ts';
import { InjectError, injectWorkload, type JsonObject, parseInjector } from '../../src/core/inject/index.ts';
import { conform } from '../../src/core/inject/schema/conform.ts';
import { wholePod } from '../../src/core/inject/schema/schema.ts';
import { chartTexts, istioSource } from '../istio/chart.ts';
import { workload } from '../istio/pods.ts';
import { buildIstio } from './istio-program.ts';

const program = join(import.meta.dirname, 'istio-inject');
const texts = chartTexts(istioSource(join(program, 'go.mod')), {
  revision: '1-25-2',
  set: ['global.proxy.image=proxyv2'],
});
const config = parseInjector(texts);
let folder = '';
let oracle = '';
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-istio-oracle-'));
  for (const name of ['config', 'values', 'mesh'] as const) writeFileSync(join(folder, name), texts[name]);
  oracle = buildIstio('istio-inject');
});
after(() => rmSync(folder, { recursive: true }));

interface Answer {
  readonly out: string;
  readonly error?: string;
}

function istio(objects: readonly JsonObject[], native: boolean): readonly Answer[] {
  const input = objects.map((object) => `${JSON.stringify({ object, revision: '1-25-2' })}\n`).join('');
  const files = (['config', 'values', 'mesh'] as const).map((name) => join(folder, name));
  const env = { ...process.env, ENABLE_NATIVE_SIDECARS: String(native) };
  const run = spawnSync(oracle, files, { input, encoding: 'utf8', env, maxBuffer: 1 << 30 });
  if (run.status !== 0) throw new Error(`the oracle failed: ${run.stderr.slice(0, 2000)}`);
  return run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

function ours(object: JsonObject, native: boolean): Answer & { readonly object?: JsonObject } {
  try {
    const result = injectWorkload({
      config,
      revision: '1-25-2',
      object,
      namespace: '',
      nativeSidecars: native,
      compat: 'istio',
    });
    return { out: '', object: result.kind === 'injected' ? result.object : object };
  } catch (error) {
    if (error instanceof InjectError) return { out: '', error: error.message };
    throw error;
  }
}

for (const native of [true, false]) {
  test(`${native ? 'native' : 'classic'}: hundreds of pods as Istio injects them`, () => {
    const objects = fc.sample(workload, { seed: native ? 1 : 2, numRuns: Number(process.env['RUNS'] ?? 500) });
    const answers = istio(objects, native);
    const different: string[] = [];
    let refused = 0;
    for (const [i, object] of objects.entries()) {
      const [theirs, mine] = [answers[i], ours(object, native)];
      if (theirs?.error !== undefined) refused++;
      const problem = compare(theirs, mine);
      if (problem !== undefined) different.push(`${JSON.stringify(object)}\n${problem}`);
    }
    assert.equal(
      different.length,
      0,
      `${different.length} of ${objects.length} differ\n${different.slice(0, Number(process.env['SHOW'] ?? 3)).join('\n')}`,
    );
    assert.ok(refused > 0 && refused < objects.length / 2, `${refused} refused`);
  });
}

function compare(theirs: Answer | undefined, mine: ReturnType<typeof ours>): string | undefined {
  if (theirs?.error !== undefined || mine.error !== undefined) {
    const both = theirs?.error !== undefined && mine.error !== undefined;
    return both ? undefined : `Istio: ${theirs?.error}\nours: ${mine.error}`;
  }
  const wanted = readYaml(theirs?.out.replace(/---\n$/, '') ?? '') as unknown as JsonObject;
  try {
    assert.deepEqual(canonicalPod(mine.object ?? {}), canonicalPod(wanted));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The pod of a workload, without what only one of the two encoders writes. */
function canonicalPod(object: JsonObject): JsonObject {
  const template = (object['spec'] as JsonObject)['template'];
  return conform(wholePod(), object['kind'] === 'Pod' ? object : (template ?? {}), '');
}
