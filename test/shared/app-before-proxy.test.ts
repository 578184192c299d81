// Case a-app-before-proxy: whether an application that connects at once finds its proxy, by the order in which a kubelet starts containers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LifeData, live, restarts } from './pod-life.ts';
import { readSharedJson } from './shared.ts';

interface Given {
  readonly pod: {
    readonly restartPolicy: string;
    readonly containers: readonly { readonly name: string; readonly script: readonly { readonly at: number }[] }[];
  };
  readonly variants: readonly { readonly id: string; readonly startupProbe?: object }[];
}
const given = readSharedJson('cases/a-app-before-proxy/input.json') as Given;
const timeOf = (name: string): number => given.pod.containers.find((each) => each.name === name)?.script[0]?.at ?? 0;
const [connectsAfter, readyAfter] = [timeOf('app'), timeOf('istio-proxy')];

const container = (name: string, more: object = {}) => ({ name, image: `registry.example/${name}:1`, ...more });
const app = container('app');
const startupProbe = { httpGet: { path: '/healthz/ready', port: 15021 }, ...given.variants.at(-1)?.startupProbe };
const specs: Readonly<Record<string, object>> = {
  none: { containers: [app, container('istio-proxy')] },
  hold: {
    containers: [
      container('istio-proxy', { lifecycle: { postStart: { exec: { command: ['pilot-agent', 'wait'] } } } }),
      app,
    ],
  },
  native: {
    initContainers: [container('istio-proxy', { restartPolicy: 'Always', startupProbe })],
    containers: [app],
  },
};

/** The application connects a moment after its start: refused, it exits with 1, as the case tells; later than the proxy it stays. */
const connects = (refused: number) => ({
  runs: [...Array.from({ length: refused }, () => [{ sleep: connectsAfter }, { exit: 1 }]), 'serve'],
});
const proxy = {
  run: 'serve',
  hooks: { postStart: readyAfter },
  probes: { startup: { from: readyAfter, answer: 'success' } },
};

async function live60(id: string, refused: number): Promise<LifeData> {
  const manifest = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'team-a' },
    spec: { restartPolicy: given.pod.restartPolicy, ...specs[id] },
  };
  return live(manifest, { containers: { app: connects(refused), 'istio-proxy': proxy } }, '--until', '60s');
}

const startsOf = ({ node }: LifeData, name: string): readonly number[] =>
  node
    .filter(({ kind, what, container: of }) => kind === 'run' && what === 'started' && of === name)
    .map(({ at: seconds }) => seconds);
test('none: the application starts first, is refused twice, and comes through after the back-off', async () => {
  const life = await live60('none', 2);
  const [first = -1, second = -1, third = -1] = startsOf(life, 'app');
  assert.ok(first + connectsAfter < readyAfter && second + connectsAfter < readyAfter, 'both tries are too early');
  assert.ok(third - second >= 10 && third > readyAfter);
  assert.equal(restarts(life)['app'], 2);
});

for (const id of ['hold', 'native'])
  test(`${id}: the application starts when the proxy is ready, and is not restarted`, async () => {
    const life = await live60(id, 0);
    const [start = -1, ...more] = startsOf(life, 'app');
    assert.ok(start >= readyAfter && start <= readyAfter + 1, `it starts at ${start}`);
    assert.deepEqual(more, []);
    assert.ok((startsOf(life, 'istio-proxy')[0] ?? start) < start);
    assert.equal(restarts(life)['app'], 0);
  });
