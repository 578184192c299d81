// Istio's own injection cases, in `compat: istio`: each through the files' door and through the admission's, compared as data.
// A case that still differs would stand in `differences` with its reason; an entry that no longer differs fails.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { capture } from '../../src/cli/capture.ts';
import { readYaml } from '../../src/core/gotemplate/index.ts';
import {
  applyPatch,
  InjectError,
  type InjectorConfig,
  type InjectorTexts,
  injectReview,
  injectWorkload,
  type JsonObject,
  type JsonValue,
  openshiftIds,
  parseInjector,
} from '../../src/core/inject/index.ts';
import { chartTexts, istioSource } from '../istio/chart.ts';
import { likeGo, podOf } from '../istio/golden.ts';
import { readSharedJson, sharedPath } from './shared.ts';

interface Case {
  readonly input: string;
  readonly golden?: string;
  readonly set?: readonly string[];
  readonly overlay?: string;
  readonly mesh?: JsonObject;
  readonly native?: false;
  readonly platform?: string;
  readonly compliancePolicy?: string;
  readonly error?: string;
  readonly log?: string;
  readonly webhook?: false;
  readonly file?: false;
}

/** Golden file → why we differ. Each is explained in docs/reference/istio-differences.md. */
const differences: Readonly<Record<string, string>> = {};

const cases = readSharedJson('peer/istio-inject/cases.json') as readonly Case[];
const source = istioSource(sharedPath('rig/mod/istio/go.mod'));
const folder = 'peer/istio-inject/files';
const namespaceIds = openshiftIds({
  'openshift.io/sa.scc.uid-range': '1000620000/10000',
  'openshift.io/sa.scc.supplemental-groups': '1000620000/10000',
});

function read(name: string): string {
  return readFileSync(sharedPath(`${folder}/${name}`), 'utf8');
}

function documents(name: string): readonly JsonObject[] {
  return documentsIn(read(name));
}

function documentsIn(text: string): readonly JsonObject[] {
  return text
    .split(/^---[^\n]*$/m)
    .map((document) => readYaml(document))
    .filter((data) => data !== null) as unknown as JsonObject[];
}

function valuesOf(overlay: string): Record<string, unknown> {
  const [operator] = documents(overlay);
  return (operator?.['spec'] as { readonly values?: Record<string, unknown> } | undefined)?.values ?? {};
}

function configOf(given: Case): InjectorConfig {
  return parseInjector(textsOf(given));
}

function textsOf({ set, overlay, mesh }: Case): InjectorTexts {
  const values = overlay === undefined ? {} : valuesOf(overlay);
  const texts = chartTexts(source, { ...(set === undefined ? {} : { set }), values });
  return { ...texts, mesh: mesh === undefined ? texts.mesh : JSON.stringify(mergeMesh(texts.mesh, mesh)) };
}

function mergeMesh(text: string, mesh: JsonObject): unknown {
  const base = readYaml(text) as unknown as JsonObject;
  const config = { ...(base['defaultConfig'] as JsonObject), ...(mesh['defaultConfig'] as JsonObject | undefined) };
  return { ...base, ...mesh, defaultConfig: config };
}

function common(given: Case, config: InjectorConfig) {
  return {
    config,
    nativeSidecars: given.native !== false,
    compat: 'istio',
    ...(given.compliancePolicy === undefined ? {} : { compliancePolicy: given.compliancePolicy }),
    ...(given.platform === 'openshift' ? { ids: namespaceIds } : {}),
  } as const;
}

/** The objects of a file as kube-inject would write them. */
function throughFiles(given: Case): readonly JsonValue[] {
  const config = configOf(given);
  const inject = (object: JsonObject): JsonObject => {
    if (object['kind'] === 'List') return { ...object, items: (object['items'] as JsonObject[]).map(inject) };
    const result = injectWorkload({ ...common(given, config), object, revision: '', namespace: '' });
    if (result.kind === 'skipped' && given.log !== undefined) logs.push(result.because);
    return result.kind === 'injected' ? result.object : object;
  };
  return documents(given.input).map(inject);
}

const logs: string[] = [];

const scratch = mkdtempSync(join(tmpdir(), 'fairway-istio-inject-'));
after(() => rmSync(scratch, { recursive: true }));

/** What the command line makes of a file. */
async function throughCommandLine(given: Case): Promise<readonly JsonValue[]> {
  const texts = textsOf(given);
  const files = (['config', 'values', 'mesh'] as const).map((name) => {
    const file = join(scratch, name);
    writeFileSync(file, texts[name]);
    return file;
  });
  const [config = '', values = '', mesh = ''] = files;
  const flags = [
    '--template',
    config,
    '--values',
    values,
    '--mesh-config',
    mesh,
    '--compat',
    'istio',
    '--revision',
    '',
  ];
  const native = ['--native-sidecars', String(given.native !== false)];
  const policy = given.compliancePolicy === undefined ? [] : ['--compliance-policy', given.compliancePolicy];
  const result = await capture(['inject', ...flags, ...native, ...policy, sharedPath(`${folder}/${given.input}`)], {
    cwd: scratch,
  });
  assert.equal(result.code, 0, result.stderr);
  return documentsIn(result.stdout);
}

/** Each pod of a file after the webhook's patch. */
function throughAdmission(given: Case): readonly (readonly [got: JsonValue, wanted: JsonValue])[] {
  const config = configOf(given);
  const wanted = documents(given.golden ?? '').flatMap(flat);
  return documents(given.input)
    .flatMap(flat)
    .flatMap((object, i) => {
      const pod = podOf(object);
      const golden = podOf(wanted[i] ?? {});
      if (pod === undefined || golden === undefined) return [];
      const namespace = (object['metadata'] as JsonObject)['namespace'];
      const request: JsonObject = { object: pod, namespace: typeof namespace === 'string' ? namespace : '' };
      const result = injectReview(request, {
        ...common(given, config),
        revision: 'default',
        proxyEnv: {},
        openshift: given.platform === 'openshift',
      });
      assert.notEqual(result.kind, 'refused', JSON.stringify(result));
      const patch = result.kind === 'injected' ? result.patch : [];
      return [[applyPatch(structuredClone(pod), structuredClone(patch)), golden] as const];
    });
}

function flat(object: JsonObject): readonly JsonObject[] {
  return object['kind'] === 'List' ? (object['items'] as JsonObject[]) : [object];
}

function check(name: string, compare: () => void): void {
  const reason = differences[name];
  if (reason === undefined) compare();
  else assert.throws(compare, assert.AssertionError, `${name} no longer differs: take it from the list (${reason})`);
}

test('there are 95 cases', () => assert.equal(cases.length, 95));

for (const [i, given] of cases.entries()) {
  const name = given.golden ?? given.input;
  const title = `[${i}] ${name}`;
  if (given.error !== undefined) {
    test(`${title}: refused`, () => {
      assert.throws(
        () => throughFiles(given),
        (error: unknown) => error instanceof InjectError && error.message.toLowerCase().includes(given.error ?? ''),
      );
    });
    continue;
  }
  if (given.file !== false) {
    test(`${title}: files`, () => {
      check(name, () => assert.deepEqual(throughFiles(given).map(likeGo), documents(name).map(likeGo)));
    });
  }
  if (given.file !== false) {
    test(`${title}: command line`, async () => {
      const got = await throughCommandLine(given);
      check(name, () => assert.deepEqual(got.map(likeGo), documents(name).map(likeGo)));
    });
  }
  if (given.webhook !== false) {
    test(`${title}: admission`, () => {
      check(name, () => {
        for (const [got, wanted] of throughAdmission(given)) assert.deepEqual(likeGo(got), likeGo(wanted));
      });
    });
  }
}
