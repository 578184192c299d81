import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { scenarioJsonSchema } from './format.ts';
import { readScenario } from './read.ts';

const broken: readonly (readonly [name: string, text: string, problems: readonly string[]])[] = [
  [
    'a misspelt step',
    'containers:\n  a:\n    run: [{tuch: /x}]',
    ['3:11 must have exactly one of sleep, busy, touch, rm, trap, exit, repeat, sh', '3:18 unknown key "tuch"'],
  ],
  [
    'two things in one step',
    'containers: {a: {run: [{sleep: 1, exit: 0}]}}',
    ['1:24 must have exactly one of sleep, busy, touch, rm, trap, exit, repeat, sh'],
  ],
  [
    'a wrong duration',
    'containers: {a: {run: [{sleep: 2 s}]}}',
    ['1:32 must be a duration such as 2s, 250ms or 1m30s, or a number of seconds'],
  ],
  ['a relative path', 'containers: {a: {run: [{touch: x}]}}', ['1:32 must be an absolute path']],
  ['an exit code', 'containers: {a: {run: [{exit: 256}]}}', ['1:31 Too big: expected number to be <=255']],
  [
    'a word for a run',
    'containers: {a: {run: server}}',
    ['1:23 must be serve, deaf, a list of steps, or {steps, probes, hooks} or {fails, message}'],
  ],
  ['run and runs', 'containers: {a: {run: serve, runs: [serve]}}', ['1:17 has either run or runs, not both']],
  [
    'a probe',
    'containers: {a: {probes: {readiness: yes}}}',
    [
      '1:38 must be success, failure, warning, error or timeout, {file}, {from, answer, takes}, or a list of these last',
    ],
  ],
  [
    'a verdict by time',
    'containers: {a: {probes: {readiness: [{from: 1s, answer: ok}]}}}',
    ['1:58 Invalid option: expected one of "success"|"failure"|"warning"|"error"|"timeout"'],
  ],
  ['an event', 'events: [{at: 1s, do: kill}]', ['1:23 Invalid discriminator value']],
  ['a field of an event', 'events: [{at: 1s, do: delete, gracePeriod: 1}]', ['1:44 unknown key "gracePeriod"']],
  ['a line of shell', 'containers: {a: {run: [{sh: "nginx"}]}}', ['1:29 the line has the command "nginx"']],
  [
    'a gate',
    'kubelet: {featureGates: {ContainerStopSignal: true}}',
    ["1:47 ContainerStopSignal is no gate that changes a pod's life"],
  ],
  ['an empty file', '', ['1:1 the file is empty']],
  [
    'all at once',
    'zz: 1\ncontainers: {a: {run: 3}}\n',
    [
      '1:5 unknown key "zz"',
      '2:23 must be serve, deaf, a list of steps, or {steps, probes, hooks} or {fails, message}',
    ],
  ],
];

for (const [name, text, problems] of broken) {
  test(`scenario: ${name}`, () => {
    const read = readScenario(text, 's.yaml');
    assert.equal(read.kind, 'invalid');
    const told = read.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
    assert.deepEqual(
      told.map((message, index) =>
        problems[index] === undefined ? message : message.slice(0, problems[index].length),
      ),
      problems,
    );
  });
}

const full = `
kubelet: {version: "1.36", featureGates: {ContainerStopSignals: true}, maxContainerRestartPeriod: 4s}
images: {"a:1": absent, "b:1": {fails: ErrImagePull, times: 2, takes: 3s}}
volumes: {fails: no such secret, times: 1}
containers:
  app:
    runs:
      - [{touch: /ready}, {sleep: 1m30s}, {exit: {code: 137, reason: OOMKilled}}]
      - {steps: serve, probes: {liveness: [{answer: success}, {from: 5, answer: failure, takes: 250ms}]}}
    hooks: {preStop: [{rm: /ready}, {sleep: 3s}], postStart: forever}
events:
  - {at: 1m, do: delete, grace: 5}
`;

test('scenario: what is valid is read', () => assert.equal(readScenario(full, 's.yaml').kind, 'valid'));

test('the JSON Schema in schemas/ is current (npm run schemas)', () => {
  assert.deepEqual(
    JSON.parse(readFileSync('schemas/scenario.json', 'utf8')),
    JSON.parse(JSON.stringify(scenarioJsonSchema())),
  );
});

test('the JSON Schema agrees on what is valid', async () => {
  const { parse } = await import('yaml');
  const validate = new Ajv2020({ strict: false }).compile(scenarioJsonSchema());
  assert.equal(validate(parse(full)), true, JSON.stringify(validate.errors));
  for (const name of ['two things in one step', 'a relative path', 'an exit code', 'a word for a run', 'an event']) {
    const text = broken.find(([title]) => title === name)?.[1] ?? '';
    assert.equal(validate(parse(text)), false, name);
  }
});
