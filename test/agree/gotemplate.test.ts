// Our interpreter of Go templates agrees with Go: tables of templates, and thousands that are made at random.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  GoFunction,
  GoTemplateError,
  goYaml,
  parseTemplate,
  StringMap,
  sprig,
  type Value,
} from '../../src/core/gotemplate/index.ts';
import { template as randomTemplate } from './generated.ts';
import { type Answer, ask, type Job } from './go.ts';
import { data, plain, sprigTable } from './templates.ts';

const functions = { ...sprig, toYaml: new GoFunction(['any'], undefined, ([value]) => goYaml(value) ?? '') };

/** Templates whose error messages must be Go's own. */
const exact: ReadonlySet<string> = new Set(plain);

function ours({ template = '', data: given, missingKey, sprig: withSprig }: Job): Answer {
  try {
    const options = {
      name: 't',
      missingKey: (missingKey ?? 'invalid') as 'invalid',
      functions: withSprig === true ? functions : {},
    };
    return { out: parseTemplate(template, options).render(typed(given)) };
  } catch (error) {
    if (error instanceof GoTemplateError) return { out: '', error: error.message };
    throw error;
  }
}

function typed(value: unknown): Value {
  if (Array.isArray(value)) return value.map(typed);
  if (typeof value !== 'object' || value === null) return value as Value;
  if ('$int' in value) return BigInt(value.$int as number);
  if ('$strings' in value) return new StringMap(value.$strings as Record<string, string>);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, typed(inner)]));
}

function compareAll(jobs: readonly Job[]): { readonly failures: number } {
  const answers = ask(jobs);
  const different: string[] = [];
  let failures = 0;
  for (const [i, job] of jobs.entries()) {
    const [theirs, mine] = [answers[i], ours(job)];
    if (theirs?.error !== undefined) failures++;
    if (mine.out === theirs?.out && sameError(job.template ?? '', mine.error, theirs.error)) continue;
    different.push(
      `${JSON.stringify(job.template)}\n   Go:   ${JSON.stringify(theirs)}\n   ours: ${JSON.stringify(mine)}`,
    );
  }
  assert.equal(
    different.length,
    0,
    `${different.length} of ${jobs.length} differ\n${different.slice(0, Number(process.env['SHOW'] ?? 10)).join('\n')}`,
  );
  return { failures };
}

/** Templates whose failure Go words with its reflection's or runtime's terms; that they fail is what counts. */
const ownWords: ReadonlySet<string> = new Set([
  '{{ $x = 1 }}',
  '{{ range $i, $j := 2 }}{{ $i }}{{ end }}',
  '{{ len nil }}',
  '{{ eq .map .map }}',
]);

function sameError(template: string, mine: string | undefined, theirs: string | undefined): boolean {
  if (mine === undefined || theirs === undefined) return mine === theirs;
  return mine === theirs || ownWords.has(template) || !exact.has(template);
}

test('every rule of the tables', () => {
  compareAll(plain.map((template) => ({ template, data })));
});

for (const missingKey of ['zero', 'error']) {
  test(`every rule of the tables with missingkey=${missingKey}`, () => {
    compareAll(plain.map((template) => ({ template, data, missingKey })));
  });
}

test("sprig's functions", () => {
  compareAll(sprigTable.map((template) => ({ template, data, sprig: true })));
});

test('every function of sprig is known', () => {
  const cwd = new URL('gotemplate', import.meta.url).pathname;
  const run = spawnSync('go', ['list', '-m', '-f', '{{.Dir}}', 'github.com/Masterminds/sprig/v3'], {
    cwd,
    encoding: 'utf8',
  });
  const text = readFileSync(join(run.stdout.trim(), 'functions.go'), 'utf8');
  const map = text.slice(text.indexOf('genericMap ='));
  const names = [...map.matchAll(/^\s+"(\w+)":/gm)].map(([, name = '']) => name);
  assert.ok(names.length > 200, run.stderr);
  assert.deepEqual(
    names.filter((name) => !Object.hasOwn(sprig, name)),
    [],
  );
});

test('thousands of templates made at random', () => {
  const templates = fc.sample(randomTemplate, { seed: 20261130, numRuns: Number(process.env['RUNS'] ?? 6000) });
  const { failures } = compareAll(templates.map((each) => ({ template: each, data })));
  // Both outcomes must be common, or the generator tests nothing.
  assert.ok(failures > templates.length / 20 && failures < (templates.length * 19) / 20, `${failures} failed`);
});
