import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameIn } from '../std/json.ts';
import {
  defaultConfigText,
  defaultValuesText,
  InjectError,
  type InjectRequest,
  inject,
  type JsonObject,
  ownerOf,
  parseInjector,
} from './index.ts';

const config = parseInjector({
  config: defaultConfigText(),
  values: defaultValuesText({
    image: 'registry.example/proxy:1',
    discovery: 'istiod-1-25-2.istio-system.svc:15012',
    revision: '1-25-2',
  }),
  mesh: 'defaultConfig: {discoveryAddress: "istiod-1-25-2.istio-system.svc:15012"}',
});

interface PodOptions {
  readonly annotations?: JsonObject;
  readonly labels?: JsonObject;
  readonly spec?: JsonObject;
  readonly app?: JsonObject;
  readonly proxy?: JsonObject;
}

function podOf({ annotations = {}, labels = { app: 'web' }, spec = {}, app = {}, proxy }: PodOptions): JsonObject {
  const own: JsonObject[] = proxy === undefined ? [] : [{ name: 'istio-proxy', image: 'auto', ...proxy }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'team-a', labels, annotations },
    spec: { containers: [{ name: 'app', image: 'registry.example/app:1', ...app }, ...own], ...spec },
  };
}

type Options = Partial<InjectRequest>;

function run(
  pod: JsonObject,
  options: Options = {},
): { readonly pod: JsonObject; readonly warnings: readonly string[] } {
  return inject({
    config,
    revision: '1-25-2',
    pod,
    namespace: 'team-a',
    owner: ownerOf(pod),
    nativeSidecars: true,
    proxyEnv: {},
    compat: 'fairway',
    ...options,
  });
}

interface Spec {
  readonly containers: readonly JsonObject[];
  readonly initContainers?: readonly JsonObject[];
  readonly volumes: readonly JsonObject[];
}

const specOf = (pod: JsonObject): Spec => pod['spec'] as unknown as Spec;
const names = (list: readonly JsonObject[] = []): readonly unknown[] => list.map(({ name }) => name);

function proxyOf(pod: JsonObject): JsonObject {
  const { containers, initContainers = [] } = specOf(pod);
  return [...containers, ...initContainers].find(({ name }) => name === 'istio-proxy') ?? {};
}

function envOf(pod: JsonObject): Readonly<Record<string, unknown>> {
  return Object.fromEntries(((proxyOf(pod)['env'] ?? []) as JsonObject[]).map(({ name, value }) => [name, value]));
}

const annotationsOf = (pod: JsonObject): Readonly<Record<string, string>> =>
  (pod['metadata'] as { annotations: Record<string, string> }).annotations;
const labelsOf = (pod: JsonObject): Readonly<Record<string, string>> =>
  (pod['metadata'] as { labels: Record<string, string> }).labels;

const hold: PodOptions = { annotations: { 'proxy.istio.io/config': '{"holdApplicationUntilProxyStarts": true}' } };
const wait = { exec: { command: ['pilot-agent', 'wait'] } };
const drain = (port = 15020) => ({
  exec: { command: ['pilot-agent', 'request', `--debug-port=${port}`, 'POST', 'drain'] },
});
const sleep = (seconds: number) => ({ sleep: { seconds } });
const own = { exec: { command: ['own'] } };

interface HookCase {
  readonly name: string;
  readonly pod: PodOptions;
  readonly native: boolean;
  readonly options?: Options;
  readonly hooks: JsonObject | undefined;
  readonly warns?: RegExp;
}

const custom = (hooks: JsonObject): PodOptions => ({
  annotations: { 'fairway.dev/proxy-lifecycle': JSON.stringify(hooks) },
});

const hookCases: readonly HookCase[] = [
  { name: 'classic, no hold: none', pod: {}, native: false, hooks: undefined },
  {
    name: 'classic, hold by annotation: wait, and a sleep before the end',
    pod: hold,
    native: false,
    hooks: { postStart: wait, preStop: sleep(15) },
  },
  {
    name: 'classic, hold by fairway.yml',
    pod: {},
    native: false,
    options: { lifecycle: { hold: true } },
    hooks: { postStart: wait, preStop: sleep(15) },
  },
  {
    name: 'the annotation says no to fairway.yml',
    pod: { annotations: { 'proxy.istio.io/config': 'holdApplicationUntilProxyStarts: false' } },
    native: false,
    options: { lifecycle: { hold: true } },
    hooks: undefined,
  },
  {
    name: 'before 1.30 the sleep is a command',
    pod: hold,
    native: false,
    options: { lifecycle: { kubernetesMinor: 29 } },
    hooks: { postStart: wait, preStop: { exec: { command: ['/bin/sh', '-c', 'sleep 15'] } } },
  },
  {
    name: "the user's preStop instead of the sleep",
    pod: { ...hold, proxy: { lifecycle: { preStop: own } } },
    native: false,
    hooks: { postStart: wait, preStop: own },
  },
  {
    name: "the user's postStart: hold has no effect, and that is told",
    pod: { ...hold, proxy: { lifecycle: { postStart: own } } },
    native: false,
    hooks: { postStart: own, preStop: sleep(15) },
    warns: /holding the application .* has no effect/,
  },
  { name: 'native: the drain request; the startup probe holds', pod: hold, native: true, hooks: { preStop: drain() } },
  {
    name: 'native without a startup probe: the hook holds',
    pod: { annotations: { ...hold.annotations, 'status.sidecar.istio.io/port': '0' } },
    native: true,
    hooks: { postStart: wait },
    warns: /drains at SIGTERM only/,
  },
  {
    name: 'native: the drain goes to the port that the agent serves',
    pod: { annotations: { 'status.sidecar.istio.io/port': '15004' } },
    native: true,
    hooks: { preStop: drain(15004) },
  },
  {
    name: "native: a port that Istio's agent refuses is told",
    pod: { annotations: { 'status.sidecar.istio.io/port': '123' } },
    native: true,
    hooks: { preStop: drain(123) },
    warns: /refuses to send the drain request to port 123/,
  },
  {
    name: 'fairway.yml, hook by hook',
    pod: hold,
    native: false,
    options: { lifecycle: { preStop: own } },
    hooks: { postStart: wait, preStop: own },
  },
  {
    name: 'the annotation over fairway.yml',
    pod: custom({ preStop: sleep(3) }),
    native: true,
    options: { lifecycle: { preStop: own } },
    hooks: { preStop: sleep(3) },
  },
  {
    name: "the pod's own container over the annotation",
    pod: { ...custom({ preStop: sleep(3), postStart: own }), proxy: { lifecycle: { preStop: own } } },
    native: true,
    hooks: { preStop: own, postStart: own },
  },
  {
    name: 'replace takes it whole',
    pod: hold,
    native: false,
    options: { lifecycle: { preStop: own, lifecycleMode: 'replace' } },
    hooks: { preStop: own },
    warns: /has no effect/,
  },
];

for (const { name, pod, native, options, hooks, warns } of hookCases) {
  test(`hooks: ${name}`, () => {
    const result = run(podOf(pod), { nativeSidecars: native, ...options });
    assert.deepEqual(proxyOf(result.pod)['lifecycle'], hooks);
    if (warns === undefined) assert.deepEqual(result.warnings, []);
    else assert.match(result.warnings.join('\n'), warns);
  });
}

const deadlines: readonly (readonly [name: string, pod: PodOptions, native: boolean, deadline: string])[] = [
  ['the default grace period', {}, true, '28s'],
  ['its own grace period', { spec: { terminationGracePeriodSeconds: 90 } }, true, '1m28s'],
  ["less the proxy's own sleep", hold, false, '13s'],
  [
    'less a sleep in a shell',
    { proxy: { lifecycle: { preStop: { exec: { command: ['sh', '-c', 'sleep 20'] } } } } },
    true,
    '8s',
  ],
  ['never below nothing', { spec: { terminationGracePeriodSeconds: 1 } }, true, '0s'],
];
for (const [name, pod, native, deadline] of deadlines) {
  test(`drain deadline: ${name}`, () =>
    assert.equal(envOf(run(podOf(pod), { nativeSidecars: native }).pod)['FAIRWAY_DRAIN_DEADLINE'], deadline));
}

test("fairway.yml's drain settings reach the proxy, and the pod's annotation overrides them", () => {
  const lifecycle = {
    terminationDrainDurationMs: 20_000,
    exitOnZero: 'connections',
    minimumDrainDurationMs: 7000,
  } as const;
  const env = envOf(run(podOf({}), { lifecycle }).pod);
  assert.deepEqual(JSON.parse(String(env['PROXY_CONFIG'])), {
    discoveryAddress: 'istiod-1-25-2.istio-system.svc:15012',
    terminationDrainDuration: '20s',
    proxyMetadata: { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'true', MINIMUM_DRAIN_DURATION: '7s' },
  });
  assert.equal(env['EXIT_ON_ZERO_ACTIVE_CONNECTIONS'], 'true');
  assert.equal(env['MINIMUM_DRAIN_DURATION'], '7s');
  const annotations = { 'proxy.istio.io/config': 'terminationDrainDuration: 3s' };
  assert.match(
    String(envOf(run(podOf({ annotations }), { lifecycle }).pod)['PROXY_CONFIG']),
    /"terminationDrainDuration":"3s"/,
  );
});

const zeros: readonly (readonly [
  exitOnZero: 'off' | 'connections' | 'requests',
  ofPod: Readonly<Record<string, string>>,
  connections: string,
  fairway: string | undefined,
])[] = [
  ['off', {}, 'false', undefined],
  ['connections', {}, 'true', undefined],
  ['requests', {}, 'true', 'requests'],
  ['requests', { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'true' }, 'true', 'requests'],
  ['requests', { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'false' }, 'false', undefined],
  ['requests', { FAIRWAY_EXIT_ON_ZERO: 'connections' }, 'true', 'connections'],
  ['connections', { FAIRWAY_EXIT_ON_ZERO: 'requests' }, 'true', 'requests'],
];
for (const [exitOnZero, ofPod, connections, fairway] of zeros)
  test(`exit on zero: ${exitOnZero} in fairway.yml, of the pod ${JSON.stringify(ofPod)}`, () => {
    const annotations = { 'proxy.istio.io/config': JSON.stringify({ proxyMetadata: ofPod }) };
    const env = envOf(run(podOf({ annotations }), { lifecycle: { exitOnZero } }).pod);
    const told = [env['EXIT_ON_ZERO_ACTIVE_CONNECTIONS'], env['FAIRWAY_EXIT_ON_ZERO']];
    assert.deepEqual(told, [connections, fairway]);
  });

test('the proxy and its control plane come together', () => {
  const env = envOf(run(podOf({})).pod);
  assert.equal(JSON.parse(String(env['PROXY_CONFIG'])).discoveryAddress, 'istiod-1-25-2.istio-system.svc:15012');
  assert.equal(env['CA_ADDR'], 'istiod-1-25-2.istio-system.svc:15012');
});

const orders: readonly (readonly [
  name: string,
  pod: PodOptions,
  native: boolean,
  containers: readonly string[],
  init: readonly string[],
])[] = [
  [
    'classic: proxy last, rules after the owner’s init containers',
    { spec: initOf('migrate') },
    false,
    ['app', 'istio-proxy'],
    ['migrate', 'istio-init'],
  ],
  [
    'classic with hold: proxy first',
    { ...hold, spec: initOf('migrate') },
    false,
    ['istio-proxy', 'app'],
    ['migrate', 'istio-init'],
  ],
  [
    'native: rules and proxy before the owner’s init containers',
    { spec: initOf('migrate') },
    true,
    ['app'],
    ['istio-init', 'istio-proxy', 'migrate'],
  ],
  [
    'without interception',
    { annotations: { 'sidecar.istio.io/interceptionMode': 'NONE' } },
    false,
    ['app', 'istio-proxy'],
    [],
  ],
  [
    'native by annotation',
    { annotations: { 'sidecar.istio.io/nativeSidecar': 'true' } },
    false,
    ['app'],
    ['istio-init', 'istio-proxy'],
  ],
  [
    'classic by annotation',
    { annotations: { 'sidecar.istio.io/nativeSidecar': 'false' } },
    true,
    ['app', 'istio-proxy'],
    ['istio-init'],
  ],
];
function initOf(name: string): JsonObject {
  return { initContainers: [{ name, image: 'registry.example/init:1' }] };
}
for (const [name, pod, native, containers, init] of orders) {
  test(`order: ${name}`, () => {
    const spec = specOf(run(podOf(pod), { nativeSidecars: native }).pod);
    assert.deepEqual(names(spec.containers), containers);
    assert.deepEqual(names(spec.initContainers), init);
  });
}

test('a probe goes to the agent, which knows where it really goes', () => {
  const app = {
    ports: [{ name: 'http', containerPort: 8080 }],
    readinessProbe: { httpGet: { path: '/ready', port: 'http', scheme: 'HTTPS' }, timeoutSeconds: 2 },
    livenessProbe: { tcpSocket: { port: 9000 } },
    startupProbe: { exec: { command: ['true'] } },
    lifecycle: { preStop: { httpGet: { path: '/bye', port: 8080 } } },
  };
  const { pod } = run(podOf({ app }));
  const [container = {}] = specOf(pod).containers;
  assert.deepEqual(container['readinessProbe'], {
    httpGet: { path: '/app-health/app/readyz', port: 15020, scheme: 'HTTP' },
    timeoutSeconds: 2,
  });
  assert.deepEqual(container['livenessProbe'], { httpGet: { path: '/app-health/app/livez', port: 15020 } });
  assert.deepEqual(container['startupProbe'], app.startupProbe);
  assert.deepEqual(container['lifecycle'], {
    preStop: { httpGet: { path: '/app-lifecycle/app/prestopz', port: 15020 } },
  });
  assert.deepEqual(JSON.parse(String(envOf(pod)['ISTIO_KUBE_APP_PROBERS'])), {
    '/app-health/app/livez': { tcpSocket: { port: 9000 } },
    '/app-health/app/readyz': { httpGet: { path: '/ready', port: 8080, scheme: 'HTTPS' }, timeoutSeconds: 2 },
    '/app-lifecycle/app/prestopz': { httpGet: { path: '/bye', port: 8080 } },
  });
});

test('a probe whose named port is unknown is left alone and told, where Istio would break it', () => {
  const readinessProbe = { httpGet: { path: '/ready', port: 'web' } };
  const result = run(podOf({ app: { readinessProbe } }));
  assert.deepEqual(specOf(result.pod).containers[0]?.['readinessProbe'], readinessProbe);
  assert.match(result.warnings.join(), /readinessProbe names a port that the container does not declare/);
  const istio = run(podOf({ app: { readinessProbe } }), { compat: 'istio' });
  assert.deepEqual(specOf(istio.pod).containers[0]?.['readinessProbe'], {
    httpGet: { path: '/app-health/app/readyz', port: 15020 },
  });
});

test("the application's metrics move behind the agent, once", () => {
  const annotations = { 'prometheus.io/port': '9100', 'prometheus.io.path': '/m' };
  const { pod } = run(podOf({ annotations }));
  const got = annotationsOf(pod);
  assert.deepEqual(
    [got['prometheus.io/port'], got['prometheus.io/path'], got['prometheus.io.path']],
    ['15020', '/stats/prometheus', undefined],
  );
  assert.equal(envOf(pod)['ISTIO_PROMETHEUS_ANNOTATIONS'], '{"scrape":"","path":"/m","port":"9100"}');
});

const refused: readonly (readonly [name: string, pod: PodOptions, message: RegExp])[] = [
  [
    'a port of the mesh as metrics port',
    { annotations: { 'prometheus.io/port': '15090' } },
    /port 15090 is reserved for Istio/,
  ],
  ['a port that is none', { annotations: { 'prometheus.io/port': 'x' } }, /invalid port "x"/],
  [
    'two bad annotations at once',
    { annotations: { 'sidecar.istio.io/proxyCPU': 'much', 'status.sidecar.istio.io/port': '70000' } },
    /proxyCPU.*status\.sidecar/s,
  ],
  [
    'a proxy config that is none',
    { annotations: { 'proxy.istio.io/config': 'drainDuration: soon' } },
    /a duration such as 5s/,
  ],
  [
    'an unknown template',
    { annotations: { 'inject.istio.io/templates': 'other' } },
    /requested template "other" not found; have sidecar/,
  ],
  ['a lifecycle that is no JSON', { annotations: { 'fairway.dev/proxy-lifecycle': '{' } }, /not a JSON map/],
  ['an unknown key in it', { annotations: { 'fairway.dev/proxy-lifecycle': '{"prestop":{}}' } }, /unknown key prestop/],
  ['a pod of the wrong kind', { app: { ports: 'many' } }, /spec\.containers\[0\]\.ports: want a list, found "many"/],
];
for (const [name, pod, message] of refused) {
  test(`refused: ${name}`, () =>
    assert.throws(
      () => run(podOf(pod)),
      (error: unknown) => error instanceof InjectError && message.test(error.message),
    ));
}

test("the owner's own proxy container is laid over ours and remembered", () => {
  const proxy = {
    resources: { limits: { cpu: '3' } },
    env: [{ name: 'MINE', value: '1' }],
    securityContext: { runAsUser: 1234 },
  };
  const { pod } = run(podOf({ proxy }), { nativeSidecars: false });
  const got = proxyOf(pod);
  assert.equal(got['image'], 'registry.example/proxy:1');
  assert.deepEqual(got['resources'], {
    limits: { cpu: '3', memory: '1Gi' },
    requests: { cpu: '100m', memory: '128Mi' },
  });
  assert.equal(envOf(pod)['MINE'], '1');
  assert.match(annotationsOf(pod)['proxy.istio.io/overrides'] ?? '', /^\{"containers":\[\{"name":"istio-proxy",/);
  const init = specOf(pod).initContainers?.[0]?.['args'] as readonly string[];
  assert.equal(init[init.indexOf('-u') + 1], '1234');
});

const again: readonly (readonly [name: string, pod: PodOptions])[] = [
  ['a plain pod', {}],
  [
    'probes and metrics',
    { annotations: { 'prometheus.io/port': '9100' }, app: { livenessProbe: { httpGet: { path: '/l', port: 8080 } } } },
  ],
  ['an own proxy', { proxy: { env: [{ name: 'MINE', value: '1' }], lifecycle: { preStop: own } } }],
  [
    'own volumes',
    { spec: { volumes: [{ name: 'data', emptyDir: {} }] }, app: { volumeMounts: [{ name: 'data', mountPath: '/d' }] } },
  ],
];
for (const [name, pod] of again) {
  for (const native of [true, false]) {
    test(`injected again, ${native ? 'native' : 'classic'}: ${name} stays as it is`, () => {
      const once = run(podOf(pod), { nativeSidecars: native }).pod;
      assert.deepEqual(run(once, { nativeSidecars: native }).pod, once);
    });
  }
}

test('what an earlier injection left may be broken', () => {
  const { pod } = run(podOf({ annotations: { 'prometheus.io/port': '9100' } }));
  const proxy = proxyOf(pod);
  proxy['env'] = [
    { name: 'ISTIO_PROMETHEUS_ANNOTATIONS', value: '{' },
    { name: 'ISTIO_KUBE_APP_PROBERS', value: '[]' },
  ];
  assert.equal(names(specOf(run(pod).pod).initContainers).length, 2);
});

test('injected again the other way: one proxy, the owner’s probe still known', () => {
  const app = { livenessProbe: { httpGet: { path: '/live', port: 8080 } } };
  const classic = run(podOf({ app }), { nativeSidecars: false, revision: '1-22-0' }).pod;
  const { pod } = run(classic, { nativeSidecars: true });
  const spec = specOf(pod);
  assert.deepEqual([names(spec.containers), names(spec.initContainers)], [['app'], ['istio-init', 'istio-proxy']]);
  assert.equal(new Set(names(spec.volumes)).size, spec.volumes.length);
  assert.match(annotationsOf(pod)['sidecar.istio.io/status'] ?? '', /"revision":"1-25-2"/);
  assert.deepEqual(JSON.parse(String(envOf(pod)['ISTIO_KUBE_APP_PROBERS'])), {
    '/app-health/app/livez': { httpGet: { path: '/live', port: 8080 } },
  });
});

test('labels that the template adds are legal, and left out where nothing of them is', () => {
  const long = `${'a'.repeat(62)}.b`;
  const generated: JsonObject = { metadata: { generateName: `${long}-` }, spec: { containers: [{ name: 'app' }] } };
  assert.equal(labelsOf(run(generated).pod)['service.istio.io/canonical-name'], 'a'.repeat(62));
  assert.equal(
    labelsOf(run({ ...generated, metadata: { generateName: '...' } }).pod)['service.istio.io/canonical-name'],
    undefined,
  );
});

test('cluster and network: values, URL, label', () => {
  const { pod } = run(podOf({ labels: { 'topology.istio.io/network': 'n2' } }), {
    proxyEnv: { ISTIO_META_CLUSTER_ID: 'east', ISTIO_META_NETWORK: 'n1' },
  });
  const env = envOf(pod);
  assert.deepEqual(
    [env['ISTIO_META_CLUSTER_ID'], env['ISTIO_META_NETWORK'], labelsOf(pod)['topology.istio.io/network']],
    ['east', 'n2', 'n2'],
  );
});

test('a template of the user’s: merged after the proxy’s, a second istio-proxy in it is the same container', () => {
  const withExtra = parseInjector({
    config: `${defaultConfigText()}\n  extra: |\n    spec:\n      containers:\n      - name: istio-proxy\n        volumeMounts:\n        - {name: spire, mountPath: /spire}\n      volumes:\n      - {name: spire, emptyDir: {}}\n`,
    values: JSON.stringify(config.values),
    mesh: '',
  });
  const pod = podOf({ annotations: { 'inject.istio.io/templates': 'sidecar,extra' } });
  const spec = specOf(run(pod, { config: withExtra }).pod);
  assert.deepEqual([names(spec.containers), names(spec.initContainers)], [['app'], ['istio-init', 'istio-proxy']]);
  const mounts = (spec.initContainers?.[1]?.['volumeMounts'] ?? []) as JsonObject[];
  assert.ok(mounts.some((mount) => mount['name'] === 'spire'));
  const istio = specOf(run(pod, { config: withExtra, compat: 'istio' }).pod);
  assert.deepEqual(names(istio.containers), ['app', 'istio-proxy']);
});

test('what is given is not changed', () => {
  const pod = podOf({ proxy: { env: [{ name: 'MINE', value: '1' }] } });
  const before = structuredClone(pod);
  run(pod);
  assert.deepEqual(pod, before);
});

const containersIn = (pod: JsonObject, list: string): readonly string[] =>
  ((pod['spec'] as JsonObject)[list] as readonly JsonObject[] | undefined)?.map((each) => nameIn(each)) ?? [];

test('a pod that is nothing but its own proxy keeps a container', () => {
  const spec: JsonObject = { containers: [{ name: 'istio-proxy', image: 'auto' }] };
  const { pod } = run(podOf({ spec }));
  assert.deepEqual(containersIn(pod, 'containers'), ['istio-proxy']);
  assert.ok(!containersIn(pod, 'initContainers').includes('istio-proxy'));
});

test('an own proxy among the init containers becomes the classic one', () => {
  const mine = { name: 'istio-proxy', image: 'auto', restartPolicy: 'Always', env: [{ name: 'MINE', value: '1' }] };
  const { pod } = run(podOf({ spec: { initContainers: [mine] } }), { nativeSidecars: false });
  assert.deepEqual(containersIn(pod, 'containers').toSorted(), ['app', 'istio-proxy']);
  assert.ok(!containersIn(pod, 'initContainers').includes('istio-proxy'));
  assert.match(JSON.stringify(pod), /"name":"MINE"/);
  assert.doesNotMatch(JSON.stringify(pod), /"restartPolicy":"Always"/);
});

const graces: readonly (readonly [grace: number, asked: number, seconds: number | undefined])[] = [
  [30, 100, 29],
  [30, 30, 29],
  [30, 29, 29],
  [2, 15, 1],
  [1, 15, undefined],
  [0, 15, undefined],
];
for (const [grace, asked, seconds] of graces)
  test(`a sleep of ${asked} s within a grace period of ${grace} s`, () => {
    const { pod, warnings } = run(podOf({ spec: { terminationGracePeriodSeconds: grace } }), {
      lifecycle: { preStop: { sleep: { seconds: asked } } },
    });
    const slept = /"sleep":\{"seconds":(\d+)\}/.exec(JSON.stringify(pod))?.[1];
    assert.equal(slept === undefined ? undefined : Number(slept), seconds);
    assert.equal(
      warnings.some((warning) => warning.includes('was cut')),
      asked !== seconds,
    );
  });

for (const hook of ['{}', '1', '{"foo": {}}', '{"sleep": {"seconds": 1}, "exec": {"command": ["x"]}}'])
  test(`the annotation's hook ${hook} is refused`, () =>
    assert.throws(
      () => run(podOf({ annotations: { 'fairway.dev/proxy-lifecycle': `{"preStop": ${hook}}` } })),
      InjectError,
    ));
