import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { capture } from '../../capture.ts';

const cwd = mkdtempSync(join(tmpdir(), 'fairway-pod-'));
after(() => rmSync(cwd, { recursive: true }));

const pod = `apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
    - name: app
      image: registry.example/app:1
      command: [sh, -c, "sleep 5; exit 1"]
      livenessProbe: {exec: {command: ["true"]}}
`;
const files: Readonly<Record<string, string>> = {
  'pod.yaml': pod,
  'broken.yaml': `${pod.replace('livenessProbe: {', 'livenessProbe: {successThreshold: 2, ')}      readinessprobe: {}\n`,
  'two.yaml': `${pod}---\n${pod.replace('name: web', 'name: api')}---\nkind: Service\n`,
  'list.yaml': JSON.stringify({
    kind: 'List',
    items: [
      {
        kind: 'CronJob',
        metadata: { name: 'nightly' },
        spec: {
          jobTemplate: {
            spec: {
              template: {
                spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'w:1', command: ['sleep', '3'] }] },
              },
            },
          },
        },
      },
    ],
  }),
  'service.yaml': 'kind: Service\nmetadata: {name: x}\n',
  'out.yaml': `${pod.replace('name: web', 'name: ../../web\n  namespace: a_b')}---\nname: x\n`,
  'syntax.yaml': 'kind: Pod\n  metadata: {\n',
  'scenario.yaml': 'containers: {app: {run: serve}}\nevents: [{at: 10s, do: delete}]\n',
  'bad-scenario.yaml': 'containers: {app: {rum: serve}}\n',
  'empty.yaml': '',
  'bad-list.yaml':
    'kind: List\nitems:\n- kind: Service\n- kind: Pod\n  metadata: {}\n  spec: {containers: [{name: 5}]}\n',
  'text-scenario.yaml': 'hello\n',
  'tagged.yaml': 'kind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: app, image: "app:1"}]}\n',
  'pull.yaml': 'images: {"app:1": {present: false, takes: 1500ms}}\n',
  'refused.yaml': 'containers: {app: {run: serve}}\nevents: [{at: 10s, do: patch, spec: {restartPolicy: Never}}]\n',
};
for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
const run = (...args: readonly string[]) => capture(['pod', ...args], { cwd });

const refused: readonly (readonly [args: readonly string[], stderr: RegExp])[] = [
  [['simulate', 'none.yaml'], /^error: cannot read none.yaml/],
  [['simulate', 'service.yaml'], /neither a pod nor a workload/],
  [['simulate', 'two.yaml'], /several pods: web, api\n {2}hint: choose one with --name/],
  [['simulate', 'two.yaml', '--name', 'x'], /no pod x\n {2}hint: there are: web, api/],
  [['simulate', 'syntax.yaml'], /^syntax.yaml:\d+:\d+: error: .*\[yaml-syntax\]/],
  [
    ['simulate', 'broken.yaml'],
    /broken.yaml:10:\d+: error: spec.containers\[0\].livenessProbe.successThreshold: Invalid value: 2: must be 1 \[pod-invalid\]\n/,
  ],
  [
    ['simulate', 'broken.yaml'],
    /broken.yaml:11:\d+: warning: spec.containers\[0\].readinessprobe: unknown field.*\n {2}hint: the field is written readinessProbe/,
  ],
  [
    ['simulate', 'pod.yaml', '--scenario', 'bad-scenario.yaml'],
    /^bad-scenario.yaml:1:25: error: containers.app.rum: unknown key "rum" \[scenario-invalid\]\n {2}hint: did you mean run\?/,
  ],
  [['simulate', 'bad-list.yaml'], /^bad-list.yaml:5:\d+: error: items\[1\].metadata.name: Required value/],
  [
    ['run', 'bad-list.yaml'],
    /bad-list.yaml:6:\d+: error: items\[1\].spec.containers\[0\].name: Invalid value: 5: must be a string/,
  ],
  [['run', 'empty.yaml'], /^error: there is nothing to run\n {2}hint: give a Pod/],
  [['run', 'service.yaml'], /^service.yaml:1:7: warning: kind: Service is left out.*\nerror: there is nothing to run/],
  [['run', 'out.yaml'], /metadata.name: Invalid value: "\.\.\/\.\.\/web".*\n {2}hint: lower-case/],
  [['run', 'out.yaml'], /metadata.namespace: Invalid value: "a_b"/],
  [['run', 'out.yaml'], /out.yaml:\d+:\d+: error: document 2: kind: Required value/],
  [['run', 'syntax.yaml'], /^syntax.yaml:\d+:\d+: error: .*\[yaml-syntax\]/],
  [['simulate', 'pod.yaml', '--scenario', 'text-scenario.yaml'], /^text-scenario.yaml:1:1: error: Invalid input/],
  [['simulate', 'pod.yaml', '--scenario', 'nope.yaml'], /cannot read nope.yaml/],
  [['simulate', 'pod.yaml', '--at', '3s'], /--at is only for -o yaml/],
  [['simulate', 'pod.yaml', '--until', 'soon'], /Give a duration/],
  [['simulate', 'pod.yaml', '--seed', '1.5'], /Give a whole number/],
  [['simulate', 'pod.yaml', '--feature-gates', 'ContainerStopSignal=true'], /did you mean ContainerStopSignals\?/],
  [['simulate', 'pod.yaml', '--kubelet-version', '1.20'], /Allowed choices are 1.33/],
  [['simulate', 'pod.yaml', '--scenario', 'scenario.yaml', '-o', 'yaml', '--at', '1h'], /the pod is gone by then/],
  [['explain', 'broken.yaml'], /pod-invalid/],
];

for (const [args, stderr] of refused) {
  test(`pod ${args.join(' ')} is refused`, async () => {
    const result = await run(...args);
    assert.match(result.stderr, stderr);
    assert.equal(result.stdout, '');
    assert.equal(result.code, 2);
  });
}

test('pod simulate -o timeline', async () => {
  const { stdout } = await run('simulate', 'pod.yaml', '--until', '20s');
  const rows = stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 3).join(' | '));
  assert.equal(rows[0], 'TIME | WHO | WHAT');
  for (const row of [
    '0s | app | process begins',
    '5s | app | process ends with 1',
    '10s | app | terminated Error 1',
    '10s | app | event BackOff',
  ])
    assert.ok(rows.includes(row), row);
});

test('pod simulate -o yaml --at', async () => {
  const { stdout } = await run('simulate', 'pod.yaml', '-o', 'yaml', '--at', '3s');
  assert.match(stdout, /^apiVersion: v1\nkind: Pod\n/);
  assert.match(stdout, /creationTimestamp: 2026-01-01T00:00:00Z/);
  assert.match(stdout, /phase: Running/);
  assert.match(stdout, /running:\n +startedAt: 2026-01-01T00:00:00Z/);
});

test('pod simulate: the template of a workload, from standard input', async () => {
  const { stdout, code } = await capture(['pod', 'simulate', '-', '-o', 'json'], { stdin: files['list.yaml'] ?? '' });
  const life = JSON.parse(stdout) as { readonly pod: object; readonly over: boolean; readonly endedAt: number };
  assert.deepEqual([code, life.pod, life.over, life.endedAt], [0, { namespace: 'default', name: 'nightly' }, true, 3]);
});

test('pod simulate: what is assumed is told', async () => {
  const { stderr } = await capture(['pod', 'simulate', '-', '--until', '1s'], {
    stdin: pod.replace('"sleep 5; exit 1"', '"nginx"'),
  });
  assert.equal(
    stderr,
    'note: app: its command has the command "nginx"; assumed that it runs until its stop signal and then ends with 0\n',
  );
});

test('pod simulate: a change that the API server refuses is told and changes nothing', async () => {
  const { stdout, code } = await run('simulate', 'pod.yaml', '--scenario', 'refused.yaml', '--until', '20s');
  assert.equal(code, 0);
  assert.match(
    stdout,
    /10s +scenario +patch is refused +error: spec: Forbidden: pod updates may not change fields other than/,
  );
  assert.doesNotMatch(stdout, /object gone/);
});

test('pod simulate: same input and seed, same bytes; another seed, another life', async () => {
  const life = (seed: string, output: string) =>
    run('simulate', 'pod.yaml', '--timing', 'kubelet', '--until', '2m', '--seed', seed, '-o', output);
  for (const output of ['timeline', 'json', 'yaml', 'svg'])
    assert.deepEqual(await life('7', output), await life('7', output));
  assert.notEqual((await life('7', 'json')).stdout, (await life('8', 'json')).stdout);
});

test('pod explain: exit status and data', async () => {
  const calm = await run('explain', 'pod.yaml', '--scenario', 'scenario.yaml', '-o', 'json');
  const data = JSON.parse(calm.stdout) as Record<string, unknown>;
  assert.equal(calm.code, 0);
  assert.deepEqual(Object.keys(data), ['start', 'termination', 'drill', 'findings', 'assumptions']);
  const deaf = await capture(['pod', 'explain', '-'], { stdin: pod.replace('sleep 5; exit 1', 'sleep 3600') });
  assert.equal(deaf.code, 1);
  assert.match(deaf.stdout, /app is killed 30s into its drain \(exit code 137\): it does not end by SIGTERM/);
});

const pulled: readonly (readonly [args: readonly string[], message: string])[] = [
  [['--scenario', 'pull.yaml'], 'Successfully pulled image "app:1" in 1.5s (1.5s including waiting)'],
  [[], 'Container image "app:1" already present on machine and can be accessed by the pod'],
  [['--kubelet-version', '1.34'], 'Container image "app:1" already present on machine'],
];
for (const [args, message] of pulled)
  test(`Pulled of ${args.join(' ') || 'an image that is there'}`, async () => {
    const { stdout } = await run('simulate', 'tagged.yaml', ...args);
    const line = stdout.split('\n').find((each) => each.includes('event Pulled'));
    assert.equal(line?.split(/event Pulled +/)[1]?.trim(), message);
  });
