// The shared cases about manifests, through the command line. What a case's expect.md holds as JSON is read and checked as it stands; what it
// says in words is said again below, in code.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after as afterAll, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { capture } from '../../src/cli/capture.ts';
import { byteText, type Plain, readDocument, transformStream } from '../../src/core/manifest/index.ts';
import { labelValueOf } from '../../src/core/mutate/index.ts';
import { sharedPath as shared } from './shared.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-cases-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Expectation {
  readonly cmd: string;
  readonly revision: string;
  readonly exit: number;
  readonly docs: number;
  readonly lines_added?: number;
  readonly added: readonly (readonly [document: number, pointer: string])[];
  readonly values: readonly (readonly [document: number, pointer: string, value: Plain])[];
}

const label = 'istio.io~1rev';
const file = (name: string, input = 'input.yaml') => shared(`cases/${name}/${input}`);
const text = (name: string, input?: string) => readFileSync(file(name, input), 'utf8');
const mutate = (name: string, ...flags: readonly string[]) =>
  capture(['mutate', '--revision', '1-24-5', ...flags, file(name)]);

/** The documents as kubectl sees them: YAML 1.1, a byte order mark at the start of each left out, and none that are empty or null. */
function read(yaml: string): readonly unknown[] {
  const documents = parseAllDocuments(yaml.replaceAll(/^\uFEFF/gm, ''), {
    version: '1.1',
    merge: true,
    intAsBigInt: true,
    uniqueKeys: false,
  });
  return [...documents]
    .map((document) => {
      assert.deepEqual(document.errors, []);
      return document.toJS({ maxAliasCount: -1 }) as unknown;
    })
    .filter((value) => value !== null);
}

function at(value: unknown, pointer: string): unknown {
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);
}

/** Whole numbers as bigint, so that none is rounded; empty maps and nulls left out on request. */
function normal(value: unknown, prune = false): unknown {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => normal(item, prune));
  const members = Object.entries(value).map(([key, inner]) => [key, normal(inner, prune)] as const);
  return Object.fromEntries(members.filter(([, inner]) => !prune || !isNothing(inner)));
}

function isNothing(value: unknown): boolean {
  return value === null || (typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0);
}

/** Takes the revision label away wherever the case says that it was added. */
function withoutAdded(documents: readonly unknown[], added: Expectation['added']): unknown {
  const copy = structuredClone(documents);
  for (const [document, pointer] of added) {
    const parent = at(copy[document], pointer.slice(0, pointer.lastIndexOf('/')));
    Reflect.deleteProperty(parent as object, 'istio.io/rev');
  }
  return normal(copy, true);
}

function assertKept(before: string, after: string, added: number | undefined): void {
  const [old, now] = [before.split('\n'), after.split('\n')];
  if (added !== undefined) assert.equal(now.length - old.length, added);
  let next = 0;
  for (const line of now) if (line === old[next]) next++;
  if (added === 1) assert.equal(next, old.length, `line ${next + 1} is gone: ${old[next]}`);
}

function expectationOf(name: string): Expectation | undefined {
  const block = /```json\n([\s\S]*?)```/.exec(readFileSync(shared(`cases/${name}/expect.md`), 'utf8'))?.[1];
  return block === undefined ? undefined : (readDocument(byteText(block)).value as unknown as Expectation);
}

/** The label goes into a flow mapping here, so that no line is added; the case allows it. */
const inPlace = new Set(['d-big-ints']);

const names = readdirSync(shared('cases')).filter((name) => /^d-|^c-pod-rev-vs-namespace-rev$/.test(name));

test('there are cases to read', () =>
  assert.ok(names.filter((name) => expectationOf(name) !== undefined).length >= 17));

for (const name of names) {
  const expected = expectationOf(name);
  if (expected === undefined) continue;
  test(`${name}: as its table says`, async () => {
    const before = text(name);
    const krm = expected.cmd === 'mutate --krm';
    const run = krm ? () => capture(['mutate', '--krm'], { stdin: before }) : () => mutate(name);
    const { code, stdout } = await run();
    assert.equal(code, expected.exit);
    const documents = read(stdout);
    assert.equal(documents.length, expected.docs);
    for (const [document, pointer] of expected.added) assert.equal(at(documents[document], pointer), '1-24-5', pointer);
    for (const [document, pointer, value] of expected.values) {
      assert.deepEqual(normal(at(documents[document], pointer)), normal(value), pointer);
    }
    if (!krm) assert.deepEqual(withoutAdded(documents, expected.added), normal(read(before), true));
    assertKept(before, stdout, inPlace.has(name) ? undefined : expected.lines_added);
    const again = await capture(['mutate', '--revision', '1-24-5', '-'], { stdin: stdout });
    assert.equal(again.stdout, krm ? again.stdout : stdout, 'a second run changes nothing');
  });
}

test('d-alias-limit: a bomb is passed through, and reading stays within bounds', async () => {
  const bomb = text('d-alias-limit', 'input-2.yaml');
  const { code, stdout } = await capture(['mutate', '--revision', '1-24-5', '-'], { stdin: bomb });
  assert.deepEqual([code, stdout], [0, bomb]);
  assert.equal(readDocument(byteText(bomb)).value, undefined);
});

test('d-alias-limit: twice the text takes twice the steps', () => {
  const steps = (lines: number) => {
    const yaml = `spec:\n${Array.from({ length: lines }, (_, i) => `  field${i}:\n    type: string\n`).join('')}`;
    return transformStream(byteText(yaml), () => []).steps;
  };
  const [one, two] = [steps(10_000), steps(20_000)];
  assert.ok(two / one < 2.01 && two / one > 1.99, `${one} and ${two}`);
});

test('d-argo-rollout: no label on the Rollout itself, no template made, a note', async () => {
  const { stdout, stderr } = await mutate('d-argo-rollout');
  const [canary, byref] = read(stdout);
  assert.equal(at(canary, `/metadata/labels/${label}`), undefined);
  assert.equal(at(byref, '/spec/template'), undefined);
  assert.match(stderr, /byref: template is in Deployment\/byref/);
});

test('d-big-ints: the texts of numbers stay', async () => {
  const { stdout } = await mutate('d-big-ints');
  const count = (number: string) => stdout.split(number).length - 1;
  assert.equal(count('9007199254740993'), 2);
  for (const number of [
    '18446744073709551615',
    '-9223372036854775808',
    '3600000',
    '100000000000000000000',
    '1.10',
    '1e3',
    '1_000',
    '2147483647',
    '1000740000',
    '"356136738"',
  ]) {
    assert.ok(count(number) >= 1, number);
  }
  assert.doesNotMatch(stdout, /9007199254740992|18446744073709552000|1e\+20|1e\+3|1\.1$|3\.6e\+06/m);
});

test('d-bom: the first mark stays, no key begins with one; UTF-16 is refused by name', async () => {
  const { stdout } = await mutate('d-bom');
  assert.ok(stdout.startsWith('\uFEFFapiVersion'));
  for (const document of read(stdout)) assert.equal(Object.keys(document as object)[0], 'apiVersion');
  const utf16 = await capture(['mutate', '--revision', '1-24-5', file('d-bom', 'input-utf16le.yaml')]);
  assert.deepEqual([utf16.code, utf16.stdout], [2, '']);
  assert.match(utf16.stderr, /UTF-16/);
});

test('d-canonical-name-trunc: label values that are derived from names', () => {
  const a = 'a'.repeat(62);
  const rows: readonly (readonly [string, string])[] = [
    [`${a}.b`, a],
    [`${a}_-.b`, a],
    [`${a}a`, `${a}a`],
    [`${a}aa`, `${a}a`],
    ['short', 'short'],
    ['...', ''],
  ];
  for (const [name, value] of rows) assert.equal(labelValueOf(name), value);
});

test('d-doc-sep-in-scalar: the trailing blank of a separator inside a scalar stays', async () => {
  const { stdout } = await mutate('d-doc-sep-in-scalar');
  assert.match(stdout, /^ {4}--- $/m);
});

test('d-emoji: neither escaped nor unescaped', async () => {
  const { stdout } = await mutate('d-emoji');
  assert.ok(stdout.includes('deploy 🚀 now') && stdout.includes('"\\U0001F600 \\u00e9"'));
});

for (const [input, line] of [
  ['input.yaml', 7],
  ['input-2.yaml', 16],
  ['input-3.yaml', 1],
] as const) {
  test(`d-glued-separator: ${input} is refused at line ${line}`, async () => {
    const { code, stdout, stderr } = await capture([
      'mutate',
      '--revision',
      '1-24-5',
      file('d-glued-separator', input),
    ]);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, new RegExp(`${input}:${line}:`));
  });
}

test('d-helm-hook-job: comments stay above their documents', async () => {
  const { stdout } = await mutate('d-helm-hook-job');
  assert.equal([...stdout.matchAll(/^---\n# Source: app\/templates\/.*\napiVersion/gm)].length, 3);
});

test('d-job-immutable: kept with a warning, unless it is overwritten or replaced anyway', async () => {
  const labels = (out: string) => at(read(out)[0], '/spec/template/metadata/labels');
  const kept = await mutate('d-job-immutable');
  assert.equal(kept.code, 0);
  assert.deepEqual(labels(kept.stdout), { app: 'seed', 'istio.io/rev': '1-23-4' });
  assert.equal(kept.stderr.split('Job template is immutable, kept 1-23-4').length, 2);
  const overwritten = await mutate('d-job-immutable', '--overwrite-jobs');
  assert.deepEqual(labels(overwritten.stdout), { app: 'seed', 'istio.io/rev': '1-24-5' });
  assert.match(overwritten.stderr, /the Job must be replaced/);
  assert.equal(overwritten.stdout.split('istio.io/rev').length, 2);
  const hook =
    'name: seed\n  annotations: {helm.sh/hook: pre-install, helm.sh/hook-delete-policy: before-hook-creation}';
  for (const metadata of ['generateName: seed-', hook]) {
    const stdin = text('d-job-immutable').replace('name: seed', metadata);
    const replaced = await capture(['mutate', '--revision', '1-24-5', '-'], { stdin });
    assert.deepEqual(labels(replaced.stdout), { app: 'seed', 'istio.io/rev': '1-24-5' });
    assert.doesNotMatch(replaced.stderr, /warning/);
  }
});

test('d-label-number-like: a revision that looks like a number is a string', async () => {
  const { stdout } = await capture(['mutate', '--revision', '12e3', file('d-label-number-like')]);
  assert.match(stdout, /istio\.io\/rev: "12e3"/);
  assert.match(stdout, /^ {8}"off": "on"$/m);
});

test('d-long-lines: the one added line stands below the last label', async () => {
  const { stdout } = await mutate('d-long-lines');
  assert.ok(stdout.includes('      labels:\n        app: lines\n        istio.io/rev: 1-24-5\n    spec:\n'));
});

test('d-merge-keys: an inherited label is overridden where it is inherited, and only there', async () => {
  const stdin = text('d-merge-keys').replace('    owner: team-a\n', '    owner: team-a\n    istio.io/rev: 1-22-0\n');
  const { stdout } = await capture(['mutate', '--revision', '1-24-5', '-'], { stdin });
  const [document] = read(stdout);
  assert.equal(at(document, `/spec/template/metadata/labels/${label}`), '1-24-5');
  assert.equal(at(document, `/metadata/labels/${label}`), '1-22-0');
});

test('d-null-labels: a selector that does not match is told, not mended', async () => {
  const { stderr } = await mutate('d-null-labels');
  assert.match(stderr, /n1: the selector does not match/);
});

test('d-octal-mode: the texts of modes stay', async () => {
  const { stdout } = await mutate('d-octal-mode');
  for (const mode of ['defaultMode: 0644', 'mode: 0755', 'defaultMode: 0400', 'defaultMode: 420'])
    assert.ok(stdout.includes(mode), mode);
});

test('d-resource-list: results are appended; an error comes back in the list', async () => {
  const stdin = text('d-resource-list');
  const { stdout } = await capture(['mutate', '--krm'], { stdin });
  const [list] = read(stdout);
  const results = at(list, '/results') as readonly { severity: string; resourceRef?: { name: string } }[];
  assert.ok(results.some(({ severity, resourceRef }) => severity === 'info' && resourceRef?.name === 'krm'));
  assert.ok(stdout.startsWith(stdin.slice(0, stdin.indexOf('        labels: {app: krm}'))));
  const failed = await capture(['mutate', '--krm'], { stdin: stdin.replace('"1-24-5"', '"NO"') });
  assert.equal(failed.code, 2);
  const [unchanged] = read(failed.stdout);
  assert.deepEqual(at(unchanged, '/items'), at(read(stdin)[0], '/items'));
  assert.equal(at(unchanged, '/results/1/severity'), 'error');
});

test('d-server-managed: one warning about the traces of a cluster', async () => {
  const { stderr } = await mutate('d-server-managed');
  assert.equal(stderr.split('exported object: resourceVersion/managedFields/status present').length, 2);
});

test('d-yaml11-booleans: what is new is quoted where it would be no string', async () => {
  const words = [
    'y',
    'Y',
    'yes',
    'Yes',
    'YES',
    'n',
    'N',
    'no',
    'No',
    'NO',
    'on',
    'On',
    'ON',
    'off',
    'Off',
    'OFF',
    'true',
    'TRUE',
    '~',
    'null',
    'NULL',
  ];
  const patch = words.map((value, i) => ({ op: 'add', path: `/metadata/annotations/word${i}`, value }));
  writeFileSync(join(folder, 'words.json'), JSON.stringify({ name: 'words', patch }));
  const { stdout } = await mutate('d-yaml11-booleans', '--mutator', join(folder, 'words.json'));
  words.forEach((word, i) => assert.equal(at(read(stdout)[0], `/spec/template/metadata/annotations/word${i}`), word));
  for (const word of words.filter((one) => one !== '~')) {
    const refused = await capture(['mutate', '--revision', word, file('d-yaml11-booleans')]);
    assert.equal(refused.code, 2, word);
  }
});

test('c-pod-rev-vs-namespace-rev: the namespace that shadows is told, and strict fails', async () => {
  const name = 'c-pod-rev-vs-namespace-rev';
  const finding = /namespace team-a has istio\.io\/rev=1-23-4; the pod label is ignored, effective revision 1-23-4/;
  const { stderr } = await mutate(name);
  assert.match(stderr, finding);
  assert.equal(stderr.split('the pod label is ignored').length, 2);
  const strict = await mutate(name, '--strict');
  assert.deepEqual([strict.code, strict.stdout], [1, '']);
  const documents = text(name).split('---\n');
  copyFileSync(file(name), join(folder, 'namespaces.yaml'));
  const stdin = documents.slice(2).join('---\n');
  const without = await capture(['mutate', '--revision', '1-24-5', '-'], { stdin });
  assert.doesNotMatch(without.stderr, /ignored/);
  const given = await capture(
    ['mutate', '--revision', '1-24-5', '--namespaces', join(folder, 'namespaces.yaml'), '-'],
    { stdin },
  );
  assert.match(given.stderr, finding);
});
