// `fairway pod run --runtime cri` as a program against a real containerd: what containers get, and that nothing stays.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type RunningPods, runPods } from '../process/run.ts';
import { layout } from '../rig/layout.ts';
import { containerdDown, containerdUp, ctr } from './containerd.ts';

before(containerdUp);
after(containerdDown);

const flags = ['--runtime', 'cri', '--endpoint', `unix://${layout.containerdSocket}`];
const image = 'rig.test/busybox:1';
/** Says that it is up, then ends at once on TERM. */
const serving = 'trap "echo drained; exit 0" TERM; echo up; while :; do sleep 0.05; done';

test('a container gets its address, environment, volumes, user and limits, and says why it ended', async () => {
  const config = { kind: 'ConfigMap', metadata: { name: 'settings' }, data: { greeting: 'hello' } };
  const script = [
    'id',
    'echo "$GREETING from $IP on $(hostname)"',
    'grep -c "$IP.*set-up" /etc/hosts',
    'grep -E "NoNewPrivs|Seccomp:" /proc/self/status',
    'touch /mine 2>/dev/null || echo read-only',
    'cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null',
    'touch /scratch/file && echo written',
    'echo because >/dev/termination-log',
    'exit 3',
  ];
  const pod = podOf('set-up', script.join('; '), {
    restartPolicy: 'Never',
    securityContext: { runAsUser: 1234, runAsGroup: 2345, fsGroup: 3456 },
    volumes: [{ name: 'work', emptyDir: {} }],
    main: {
      securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
      resources: { limits: { memory: '64Mi', cpu: '500m' } },
      env: [
        { name: 'GREETING', valueFrom: { configMapKeyRef: { name: 'settings', key: 'greeting' } } },
        { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      ],
      volumeMounts: [{ name: 'work', mountPath: '/scratch' }],
    },
  });
  const run = runPods([config, pod], [...flags, '-o', 'json', '-q']);
  assert.equal(await run.ended, 1, run.stderr());
  for (const line of [
    /uid=1234.* gid=2345.*3456/,
    /hello from 10\.245\.\d+\.\d+ on set-up/,
    /main \| 1$/m,
    /NoNewPrivs:\s+1/,
    /Seccomp:\s+2/,
    /read-only/,
    /67108864/,
    /written/,
  ])
    assert.match(run.stderr(), line);
  assert.match(run.stdout(), /"message": ?"because/);
  assertNothingLeft();
  run.remove();
});

test('probes over the network, logs, exec; the first Ctrl-C ends it with grace, and nothing is left', async () => {
  const script = `mkdir /tmp/www; echo ok >/tmp/www/index.html; httpd -p 8080 -h /tmp/www; ${serving}`;
  const readinessProbe = { httpGet: { path: '/index.html', port: 8080 }, periodSeconds: 1 };
  const startupProbe = { tcpSocket: { port: 8080 }, periodSeconds: 1 };
  const run = runPods(podOf('web', script, { main: { readinessProbe, startupProbe } }), flags);
  await untilReady(run);
  assert.match(run.fairway('logs', 'web').stdout, /^up$/m);
  const said = run.fairway('exec', 'web', '--', 'sh', '-c', 'echo inside; echo wrong >&2; exit 4');
  assert.match(said.stdout, /inside/);
  assert.match(said.stderr, /wrong/);
  assert.notEqual(said.status, 0);
  run.child.kill('SIGINT');
  assert.equal(await run.ended, 0, run.stderr());
  assert.match(run.stdout() + run.stderr(), /drained/);
  assertNothingLeft();
  run.remove();
});

test('the second Ctrl-C ends it at once', async () => {
  const run = runPods(podOf('deaf', 'echo up; sleep 600'), flags);
  await run.saw(/\| up/);
  run.child.kill('SIGINT');
  await run.saw('deleting the pods');
  run.child.kill('SIGINT');
  assert.equal(await run.ended, 1);
  assertNothingLeft();
  run.remove();
});

test('kill -9 leaves a sandbox; --clean removes it, but not that of a living run', async () => {
  const lost = runPods(podOf('lost', serving), flags);
  const alive = runPods(podOf('alive', serving), flags);
  await Promise.all([lost.saw(/\| up/), alive.saw(/\| up/)]);
  lost.child.kill('SIGKILL');
  await lost.ended;
  assert.equal(containers().length, 4);
  const cleaned = lost.fairway('run', ...flags, '--clean');
  assert.equal(cleaned.status, 0, cleaned.stderr);
  assert.match(cleaned.stderr, /Removed 1 sandbox/);
  assert.equal(containers().length, 2);
  assert.match(alive.fairway('get').stdout, /alive.*Running/);
  assert.match(lost.fairway('run', ...flags, '--clean').stderr, /Nothing was left/);
  alive.child.kill('SIGINT');
  assert.equal(await alive.ended, 0);
  assertNothingLeft();
  for (const run of [lost, alive]) run.remove();
});

test('the next run removes what kill -9 left', async () => {
  const lost = runPods(podOf('lost', serving), flags);
  await lost.saw(/\| up/);
  lost.child.kill('SIGKILL');
  await lost.ended;
  const next = runPods(podOf('next', 'exit 0', { restartPolicy: 'Never' }), flags);
  assert.equal(await next.ended, 0, next.stderr());
  assert.match(next.stderr(), /Removed 1 sandbox/);
  assertNothingLeft();
  for (const run of [lost, next]) run.remove();
});

test('a sandbox that another hand stops is made anew', async () => {
  const run = runPods(podOf('shaken', serving), flags);
  await run.saw(/\| up/);
  const [sandbox = ''] = /^\S+(?=\s+rig\.test\/pause)/m.exec(ctr('containers', 'ls')) ?? [];
  ctr('tasks', 'kill', '-s', 'KILL', sandbox);
  await run.saw(/\| up[\s\S]*\| up/);
  assert.match(run.fairway('get').stdout, /shaken.*1\/1.*Running.*1/);
  run.child.kill('SIGINT');
  assert.equal(await run.ended, 0);
  assertNothingLeft();
  run.remove();
});

test('what is wrong is said before anything starts', async () => {
  const cases: readonly (readonly [args: readonly string[], status: number, words: RegExp])[] = [
    [['--clean'], 2, /--clean is for --runtime cri/],
    [[], 2, /at least one manifest/],
    [['--runtime', 'cri', '--endpoint', 'tcp://10.0.0.1:1', '--clean'], 2, /unix:\/\/\/PATH/],
    [['--runtime', 'cri', '--endpoint', 'unix:///nowhere.sock', '--clean'], 69, /nowhere\.sock is not ready/],
  ];
  const noImage = runPods({ kind: 'Pod', metadata: { name: 'bare' }, spec: { containers: [{ name: 'a' }] } }, flags);
  assert.equal(await noImage.ended, 2);
  assert.match(noImage.stderr(), /spec\.containers\[0\]\.image/);
  for (const [args, status, words] of cases) {
    const done = noImage.fairway('run', ...args);
    assert.equal(done.status, status, done.stderr);
    assert.match(done.stderr, words);
  }
  noImage.remove();
});

test('an image that is not there and may not be pulled', async () => {
  const run = runPods(
    podOf('imageless', 'true', { main: { image: 'rig.test/none:1', imagePullPolicy: 'Never' } }),
    flags,
  );
  await run.saw('ErrImageNeverPull');
  run.child.kill('SIGINT');
  assert.equal(await run.ended, 0);
  run.remove();
});

function podOf(
  name: string,
  script: string,
  { main = {}, ...spec }: { main?: object; [field: string]: unknown } = {},
): object {
  const container = { name: 'main', image, imagePullPolicy: 'Never', command: ['sh', '-c', script], ...main };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { ...spec, containers: [container] } };
}

async function untilReady(run: RunningPods): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!/1\/1/.test(run.fairway('get').stdout)) assert.ok(Date.now() < deadline, 'it became ready');
}

function containers(): readonly string[] {
  return ctr('containers', 'ls', '-q')
    .split('\n')
    .filter((id) => id !== '');
}

function assertNothingLeft(): void {
  assert.deepEqual(containers(), []);
}
