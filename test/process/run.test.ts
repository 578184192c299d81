// `fairway pod run` and its companions, as programs: what containers get, how pods end, how Deployments roll out.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { runPods, shellPod } from './run.ts';

test('a container gets its environment, volumes, user, network and folder', async () => {
  const config = { kind: 'ConfigMap', metadata: { name: 'settings' }, data: { greeting: 'hello', 'a.txt': 'text\n' } };
  const secret = {
    kind: 'Secret',
    metadata: { name: 'key' },
    data: { token: Buffer.from('s3cret').toString('base64') },
  };
  const pod = {
    kind: 'Pod',
    metadata: { name: 'set-up', labels: { app: 'x' } },
    spec: {
      restartPolicy: 'Never',
      securityContext: { runAsUser: 1234, runAsGroup: 2345, fsGroup: 3456 },
      volumes: [
        { name: 'work', emptyDir: {} },
        { name: 'config', configMap: { name: 'settings' } },
        { name: 'about', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
      ],
      containers: [
        {
          name: 'main',
          command: [
            'sh',
            '-c',
            'id; pwd; echo "$GREETING, $WHO at $IP"; cat /config/a.txt /about/labels; echo; cat "$0"; touch /scratch/mine && echo written; echo over >/dev/termination-log',
            '/etc/hostname',
          ],
          workingDir: '/scratch/deep',
          env: [
            { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'key', key: 'token' } } },
            { name: 'WHO', value: '$(TOKEN)-$$(TOKEN)-$(NOBODY)' },
            { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
            { name: 'GREETING', valueFrom: { configMapKeyRef: { name: 'settings', key: 'greeting' } } },
          ],
          volumeMounts: [
            { name: 'work', mountPath: '/scratch' },
            { name: 'config', mountPath: '/config', readOnly: true },
            { name: 'about', mountPath: '/about' },
          ],
        },
      ],
    },
  };
  const run = runPods([config, secret, pod], ['-o', 'json', '-q']);
  assert.equal(await run.ended, 0, run.stderr());
  const lines = run
    .stderr()
    .split('\n')
    .map((line) => line.replace('set-up/main | ', ''));
  assert.match(lines[0] ?? '', /uid=1234.* gid=2345.*3456/);
  assert.equal(lines[1], '/scratch/deep');
  assert.match(lines[2] ?? '', /^hello, s3cret-\$\(TOKEN\)-\$\(NOBODY\) at 10\.246\.86\.\d+$/);
  assert.deepEqual(lines.slice(3, 7), ['text', 'app="x"', 'set-up', 'written']);
  const object = JSON.parse(run.stdout()) as Printed;
  assert.equal(object.status.phase, 'Succeeded');
  assert.equal(object.status.containerStatuses[0]?.state.terminated?.message, 'over\n');
  run.remove();
});

interface Printed {
  readonly status: {
    readonly phase: string;
    readonly containerStatuses: readonly { readonly state: { readonly terminated?: { readonly message?: string } } }[];
  };
}

test('a restarted container has a log of its own, and a fresh file system', async () => {
  const script = 'ls /left 2>&1 | tail -1; touch /left; [ -e /v/twice ] && exit 0; touch /v/twice; exit 1';
  const pod = {
    kind: 'Pod',
    metadata: { name: 'again' },
    spec: {
      restartPolicy: 'OnFailure',
      volumes: [{ name: 'v', emptyDir: {} }],
      containers: [{ name: 'main', command: ['sh', '-c', script], volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
    },
  };
  const run = runPods(pod, ['--timing', 'ideal']);
  assert.equal(await run.ended, 0, run.stderr());
  const logs = join(run.folder, 'logs');
  const [first = ''] = readdirSync(logs);
  const texts = ['0.log', '1.log'].map((name) => readFileSync(join(logs, first, 'main', name), 'utf8'));
  for (const text of texts) assert.match(text, /^\d{4}-\S+Z stdout F ls: cannot access '\/left'.*\n$/);
  run.remove();
});

test('a folder stands for an image, and is never written to', async () => {
  const root = mkdtempSync(join(tmpdir(), 'fairway-root-'));
  copyWithLibraries('/bin/sh', root);
  const pod = {
    kind: 'Pod',
    metadata: { name: 'boxed' },
    spec: {
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: 'shell:1', command: ['sh', '-c', 'echo >/written; echo /*'] }],
    },
  };
  const run = runPods(pod, ['--image', `shell:1=${root}`]);
  assert.equal(await run.ended, 0, run.stderr());
  assert.match(run.stdout(), /boxed\/main \| .*\/bin .*\/written/);
  assert.doesNotMatch(run.stdout(), /\/root/);
  assert.deepEqual(readdirSync(root).includes('written'), false);
  run.remove();
  rmSync(root, { recursive: true });
});

/** A root file system of one program: it and what the loader needs. */
function copyWithLibraries(program: string, root: string): void {
  const needed = execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
  for (const file of [program, ...needed]) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    copyFileSync(file, join(root, file));
  }
}

test('--watch prints the object after each change', async () => {
  const run = runPods(shellPod('watched', 'sleep 0.5'), ['-o', 'json', '--watch', '-q', '--timing', 'ideal']);
  assert.equal(await run.ended, 0);
  const objects = run
    .stdout()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Printed);
  const phases = objects.map(({ status }) => status.phase);
  assert.deepEqual([...new Set(phases)], ['Pending', 'Running', 'Succeeded']);
  run.remove();
});

test('a command that does not exist is a StartError, and Failed is exit status 1', async () => {
  const pod = {
    kind: 'Pod',
    metadata: { name: 'wrong' },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', command: ['no-such-command'] }] },
  };
  const run = runPods(pod, ['-o', 'yaml', '-q', '--timing', 'ideal']);
  assert.equal(await run.ended, 1, run.stderr());
  assert.match(run.stdout(), /reason: StartError/);
  assert.match(run.stdout(), /exec: "no-such-command": executable file not found in \$PATH/);
  run.remove();
});

test('process 1 without a handler does not obey TERM; a second Ctrl-C does not wait', async () => {
  const run = runPods(shellPod('deaf', 'echo up; sleep 600'));
  await run.saw('up');
  run.child.kill('SIGINT');
  await run.saw('once more ends them at once');
  const began = performance.now();
  run.child.kill('SIGINT');
  assert.equal(await run.ended, 1);
  assert.ok(performance.now() - began < 5000, 'the grace of 30 s was not waited for');
  run.remove();
});

test('all problems of all files are told before anything starts', async () => {
  const pod = {
    kind: 'Pod',
    metadata: { name: 'bad' },
    spec: {
      restartPolicy: 'Sometimes',
      containers: [{ name: 'a', image: 'some:1' }],
    },
  };
  const imageOnly = {
    kind: 'Pod',
    metadata: { name: 'image-only' },
    spec: { containers: [{ name: 'a', image: 'some:1', volumeMounts: [{ name: 'v', mountPath: '/v' }] }] },
  };
  const run = runPods([pod, imageOnly]);
  assert.equal(await run.ended, 2);
  assert.match(run.stderr(), /spec\.restartPolicy: Unsupported value/);
  assert.match(run.stderr(), /document 2: spec\.containers\[0\]\.command: Required value/);
  assert.match(run.stderr(), /there is no volume "v"/);
  run.remove();
});

test('a Deployment rolls out a changed template and keeps its number', async () => {
  const deployment = (version: string, replicas = 2) => ({
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          terminationGracePeriodSeconds: 2,
          containers: [
            {
              name: 'main',
              command: ['sh', '-c', `trap "exit 0" TERM; touch /ready; echo ${version}; sleep 600 & wait`],
              readinessProbe: { exec: { command: ['cat', '/ready'] }, periodSeconds: 1 },
            },
          ],
        },
      },
    },
  });
  const run = runPods(deployment('one'));
  const before = await settledPods(run, 2);
  const changed = join(run.folder, 'changed.yaml');
  writeFileSync(changed, JSON.stringify(deployment('two', 3)));
  assert.equal(run.fairway('apply', changed).stdout, 'deployment/web configured\n');
  await run.saw('two');
  const after = await settledPods(run, 3);
  assert.ok(
    after.every((name) => !before.includes(name)),
    'every pod is new',
  );
  const [name = ''] = after;
  assert.equal(run.fairway('logs', name).stdout, 'two\n');
  assert.equal(run.fairway('exec', name, '--', 'hostname').stdout, `${name}\n`);
  assert.equal(run.fairway('exec', name, '--', 'false').status, 1);
  assert.match(run.fairway('get', name, '-o', 'yaml').stdout, /phase: Running/);
  assert.match(run.fairway('logs', 'nobody').stderr, /there is no pod\/nobody/);
  assert.equal(run.fairway('delete', 'deployment/web').status, 0);
  assert.equal(await run.ended, 0);
  run.remove();
});

type Run = ReturnType<typeof runPods>;

/** Asks until the Deployment is complete and no pod beside its own is left, not even one that is on its way out; gives the pods' names. */
async function settledPods(run: Run, replicas: number): Promise<readonly string[]> {
  await run.saw('Running, 1/1 ready');
  const askedUntil = performance.now() + 120_000;
  for (;;) {
    const shown = run.fairway('get').stdout;
    const names = podNames(shown);
    const complete = shown.includes(`web         ${replicas}/${replicas}`) && shown.trimEnd().endsWith('yes');
    if (complete && names.length === replicas) return names;
    if (performance.now() > askedUntil) assert.fail(`never settled: ${shown}`);
  }
}

function podNames(shown: string): readonly string[] {
  const lines = shown.split('\n\n')[0]?.split('\n').slice(1) ?? [];
  return lines.map((line) => line.split(' ')[0] ?? '').filter((name) => name !== '');
}

test('the how-to page shows what happens', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/how-to/run-a-pod.md'), 'utf8');
  const [, manifest = '', shown = ''] = /```yaml\n([\s\S]*?)```[\s\S]*?```text\n([\s\S]*?)```/.exec(page) ?? [];
  const run = runPods(parse(manifest));
  for (const line of shown.trimEnd().split('\n')) await run.saw(line);
  const rows = run.fairway('get').stdout.split('\n');
  assert.match(rows[0] ?? '', /^NAME +READY +STATUS +RESTARTS +IP$/);
  assert.match(rows[1] ?? '', /^web +2\/2 +Running +0 +10\.246\.86\.\d+$/);
  assert.match(run.fairway('exec', 'web', '-c', 'app', '--', 'cat', '/proc/1/cmdline').stdout, /^sh\0-c/);
  run.child.kill('SIGINT');
  assert.equal(await run.ended, 0);
  assert.match(run.stdout(), /web\/proxy \| drained/);
  run.remove();
});
