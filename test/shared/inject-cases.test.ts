// The shared cases about injection: order and hooks of the proxy, injecting again, who is injected, names, pointers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readYaml } from '../../src/core/gotemplate/index.ts';
import {
  applyPatch,
  decide,
  defaultConfigText,
  defaultValuesText,
  diff,
  displayName,
  type InjectRequest,
  inject,
  injectReview,
  type JsonObject,
  type JsonValue,
  legalLabelValue,
  ownerOf,
  parseInjector,
} from '../../src/core/inject/index.ts';
import { chartTexts, istioSource } from '../istio/chart.ts';
import { readSharedJson, sharedPath } from './shared.ts';

const revision = '1-24-5';
const istioTexts = chartTexts(istioSource(sharedPath('rig/mod/istio/go.mod')), { revision });
const configs = {
  istio: parseInjector(istioTexts),
  own: parseInjector({
    config: defaultConfigText(),
    values: defaultValuesText({
      image: 'registry.example/proxy:1',
      discovery: 'istiod-1-24-5.istio-system.svc:15012',
      revision,
    }),
    mesh: '',
  }),
};
type Templates = keyof typeof configs;
const templates: readonly Templates[] = ['istio', 'own'];

function readYamlCase(name: string): JsonObject {
  return readYaml(readFileSync(sharedPath(`cases/${name}/input.yaml`), 'utf8')) as unknown as JsonObject;
}

function run(pod: JsonObject, which: Templates, options: Partial<InjectRequest> = {}) {
  return inject({
    config: configs[which],
    revision,
    pod,
    namespace: 'team-a',
    owner: ownerOf(pod),
    nativeSidecars: false,
    proxyEnv: {},
    compat: 'fairway',
    ...options,
  });
}

type Containers = readonly JsonObject[];

function listOf(pod: JsonObject, list: 'containers' | 'initContainers' | 'volumes'): Containers {
  return ((pod['spec'] as JsonObject)[list] ?? []) as unknown as Containers;
}

const names = (list: Containers): readonly JsonValue[] => list.map((item) => item['name'] ?? null);

function proxyOf(pod: JsonObject): JsonObject {
  return (
    [...listOf(pod, 'containers'), ...listOf(pod, 'initContainers')].find(({ name }) => name === 'istio-proxy') ?? {}
  );
}

function metadataOf(pod: JsonObject, key: 'annotations' | 'labels'): Readonly<Record<string, string>> {
  return (pod['metadata'] as Record<string, Record<string, string>>)[key] ?? {};
}

const waits = { exec: { command: ['pilot-agent', 'wait'] } };

for (const which of templates) {
  test(`a-hold-proxy-first (${which} templates)`, () => {
    const pod = readYamlCase('a-hold-proxy-first');
    const apps = listOf(pod, 'containers');
    const hold = { lifecycle: { hold: true } };
    const rows: readonly (readonly [Partial<InjectRequest>, readonly string[], readonly string[]])[] = [
      [{}, ['app', 'helper', 'istio-proxy'], ['istio-init']],
      [hold, ['istio-proxy', 'app', 'helper'], ['istio-init']],
      [{ nativeSidecars: true }, ['app', 'helper'], ['istio-init', 'istio-proxy']],
      [{ nativeSidecars: true, ...hold }, ['app', 'helper'], ['istio-init', 'istio-proxy']],
    ];
    for (const [options, containers, init] of rows) {
      const got = run(pod, which, options).pod;
      assert.deepEqual([names(listOf(got, 'containers')), names(listOf(got, 'initContainers'))], [containers, init]);
      assert.equal(metadataOf(got, 'annotations')['kubectl.kubernetes.io/default-container'], 'app');
      assert.deepEqual(
        listOf(got, 'containers').filter(({ name }) => name !== 'istio-proxy'),
        apps,
      );
      const native = options.nativeSidecars === true;
      const lifecycle = (proxyOf(got)['lifecycle'] ?? {}) as JsonObject;
      assert.deepEqual(lifecycle['postStart'], native || options.lifecycle === undefined ? undefined : waits);
      assert.deepEqual(
        [proxyOf(got)['restartPolicy'], proxyOf(got)['startupProbe'] !== undefined],
        [native ? 'Always' : undefined, true],
      );
    }
  });

  test(`a-hold-with-user-prestop (${which} templates)`, () => {
    const given = readSharedJson('cases/a-hold-with-user-prestop/input.json') as {
      pod: JsonObject;
      proxyLifecycle: { id: string; value: JsonObject | null }[];
    };
    const sleep = { exec: { command: ['sleep', '15'] } };
    const rows: Readonly<Record<string, readonly [JsonValue, JsonValue, boolean]>> = {
      none: [waits, { sleep: { seconds: 15 } }, false],
      preStop: [waits, sleep, false],
      postStart: [{ exec: { command: ['true'] } }, { sleep: { seconds: 15 } }, true],
      both: [{ exec: { command: ['true'] } }, sleep, true],
    };
    for (const { id, value } of given.proxyLifecycle) {
      const { pod, warnings } = run(given.pod, which, {
        lifecycle: value === null ? {} : value,
      });
      const lifecycle = proxyOf(pod)['lifecycle'] as JsonObject;
      assert.deepEqual([lifecycle['postStart'], lifecycle['preStop'], warnings.length > 0], rows[id], id);
    }
  });

  test(`a-native-restartpolicy-stripped (${which} templates)`, () => {
    const { request } = readSharedJson('cases/a-native-restartpolicy-stripped/input.json') as { request: JsonObject };
    const context = {
      config: configs[which],
      revision,
      nativeSidecars: true,
      proxyEnv: {},
      compat: 'fairway',
    } as const;
    const result = injectReview(request, context);
    assert.equal(result.kind, 'injected');
    const pod = applyPatch(
      structuredClone(request['object'] ?? null),
      result.kind === 'injected' ? [...result.patch] : [],
    ) as JsonObject;
    assert.deepEqual(names(listOf(pod, 'initContainers')), ['istio-init', 'istio-proxy', 'tracer-copy']);
    assert.deepEqual(names(listOf(pod, 'containers')), ['app']);
    assert.equal(proxyOf(pod)['restartPolicy'], 'Always');
    const volumes = names(listOf(pod, 'volumes'));
    assert.equal(new Set(volumes).size, volumes.length);
    JSON.parse(metadataOf(pod, 'annotations')['sidecar.istio.io/status'] ?? '');
    const second = injectReview({ ...request, object: pod }, context);
    assert.deepEqual(second.kind === 'injected' ? second.patch : second, []);
  });

  test(`f-reinvocation (${which} templates)`, () => {
    const { request } = readSharedJson('cases/f-reinvocation/input.json') as { request: JsonObject };
    const context = {
      config: configs[which],
      revision,
      nativeSidecars: false,
      proxyEnv: {},
      compat: 'fairway',
    } as const;
    const before = listOf(request['object'] as JsonObject, 'containers')[0];
    const result = injectReview(request, context);
    assert.ok(result.kind === 'injected');
    const pod = applyPatch(structuredClone(request['object'] ?? null), [...result.patch]) as JsonObject;
    assert.deepEqual(names(listOf(pod, 'initContainers')), ['vault-copy', 'istio-init']);
    assert.deepEqual(names(listOf(pod, 'containers')), ['app', 'policy', 'istio-proxy']);
    const [app, policy] = listOf(pod, 'containers');
    assert.deepEqual(app, before);
    assert.deepEqual(policy?.['readinessProbe'], { httpGet: { path: '/app-health/policy/readyz', port: 15020 } });
    const env = proxyOf(pod)['env'] as unknown as { name: string; value: string }[];
    assert.deepEqual(JSON.parse(env.find(({ name }) => name === 'ISTIO_KUBE_APP_PROBERS')?.value ?? ''), {
      '/app-health/app/livez': { httpGet: { path: '/live', port: 8080 } },
      '/app-health/policy/readyz': { httpGet: { path: '/ready', port: 8282 } },
    });
    const third = injectReview({ ...request, object: pod }, context);
    assert.deepEqual(third.kind === 'injected' ? third.patch : third, []);
  });

  for (const native of [false, true]) {
    test(`c-inject-idempotent (${which} templates, ${native ? 'native' : 'classic'})`, () => {
      const once = run(readYamlCase('c-inject-idempotent'), which, { nativeSidecars: native }).pod;
      const all = [...listOf(once, 'containers'), ...listOf(once, 'initContainers')];
      assert.deepEqual(
        names(all)
          .map((name) => JSON.stringify(name))
          .sort(),
        ['"app"', '"istio-init"', '"istio-proxy"'],
      );
      assert.ok(all.every(({ image }) => typeof image === 'string' && !image.endsWith('1.22.0')));
      const volumes = names(listOf(once, 'volumes'));
      assert.equal(new Set(volumes).size, volumes.length);
      const annotations = metadataOf(once, 'annotations');
      assert.equal(JSON.parse(annotations['sidecar.istio.io/status'] ?? '').revision, revision);
      const probe = all.find(({ name }) => name === 'app')?.['livenessProbe'];
      assert.deepEqual(probe, { httpGet: { path: '/app-health/app/livez', port: 15020 } });
      const env = proxyOf(once)['env'] as unknown as { name: string; value: string }[];
      const table = env.find(({ name }) => name === 'ISTIO_KUBE_APP_PROBERS')?.value ?? '';
      assert.deepEqual(JSON.parse(table), { '/app-health/app/livez': { httpGet: { path: '/live', port: 8080 } } });
      assert.equal(
        env.find(({ name }) => name === 'ISTIO_PROMETHEUS_ANNOTATIONS'),
        undefined,
      );
      assert.deepEqual(run(once, which, { nativeSidecars: native }).pod, once);
    });
  }

  test(`d-canonical-name-trunc (${which} templates)`, () => {
    const { pod } = run(readYamlCase('d-canonical-name-trunc'), which);
    const labels = metadataOf(pod, 'labels');
    assert.equal(labels['service.istio.io/canonical-name'], `${'a'.repeat(30)}-${'b'.repeat(31)}`);
    const legal = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
    for (const value of Object.values(labels)) assert.ok(value.length <= 63 && legal.test(value), value);
  });
}

test('d-canonical-name-trunc: the helper', () => {
  const a = (count: number) => 'a'.repeat(count);
  const rows = [
    [`${a(62)}.b`, a(62)],
    [`${a(62)}_-.b`, a(62)],
    [a(63), a(63)],
    [a(64), a(63)],
    ['short', 'short'],
    ['...', ''],
  ];
  for (const [text = '', result] of rows) assert.equal(legalLabelValue(text), result);
});

interface MatrixRow {
  readonly nsInjection: string | null;
  readonly podLabel: string | null;
  readonly podAnnotation: string | null;
}

/** Rows 3 and 4 of the default revision's webhooks (Istio's chart istio-discovery, templates/mutatingwebhook.yaml): who reaches the injector at all. */
function reaches({ nsInjection, podLabel }: MatrixRow): boolean {
  const namespace = nsInjection === 'enabled' && podLabel !== 'false';
  const object = nsInjection === null && podLabel === 'true';
  return namespace || object;
}

test('c-inject-matrix', () => {
  const { rows } = readSharedJson('cases/c-inject-matrix/input.json') as { rows: readonly MatrixRow[] };
  const yes = [
    '-/true/-',
    '-/true/true',
    '-/true/false',
    'enabled/-/-',
    'enabled/-/true',
    'enabled/true/-',
    'enabled/true/true',
    'enabled/true/false',
  ];
  assert.equal(rows.length, 18);
  for (const row of rows) {
    const key = 'sidecar.istio.io/inject';
    const labels: JsonObject = row.podLabel === null ? {} : { [key]: row.podLabel };
    const annotations: JsonObject = row.podAnnotation === null ? {} : { [key]: row.podAnnotation };
    const injected =
      reaches(row) && decide(configs.own, { metadata: { labels, annotations }, spec: {} }, 'team-a').inject;
    const id = [row.nsInjection, row.podLabel, row.podAnnotation].map((value) => value ?? '-').join('/');
    assert.equal(injected, yes.includes(id), id);
  }
});

test('f-no-name-no-namespace: no name, no namespace, no crash; the request says where', () => {
  const reviews = readSharedJson('cases/f-no-name-no-namespace/input.json') as { request: JsonObject }[];
  const shown = reviews.map(({ request }) => {
    const result = injectReview(request, {
      config: configs.own,
      revision,
      nativeSidecars: true,
      proxyEnv: {},
      compat: 'fairway',
    });
    assert.equal(result.kind, 'injected');
    return displayName(request['object'] as JsonObject, 'pay-eu');
  });
  assert.deepEqual(shown, ['pay-eu/web-7d9c5b-*', 'pay-eu/once-*', 'pay-eu/bare']);
});

test('f-pointer-escape: keys with slashes and tildes survive', () => {
  const { request } = readSharedJson('cases/f-pointer-escape/input.json') as { request: { object: JsonObject } };
  const { object } = request;
  const metadata = object['metadata'] as JsonObject;
  const labelled = {
    ...object,
    metadata: { ...metadata, labels: { ...(metadata['labels'] as JsonObject), 'istio.io/rev': '1-24-5' } },
  };
  const patch = diff(object, labelled);
  assert.deepEqual(patch, [{ op: 'add', path: '/metadata/labels/istio.io~1rev', value: '1-24-5' }]);
  const applied = applyPatch(structuredClone(object), patch) as { metadata: { labels: JsonObject } };
  assert.deepEqual(applied.metadata.labels, {
    app: 'esc',
    'a/b~c': '1',
    'istio.io~1rev': 'keep',
    'istio.io/rev': '1-24-5',
  });
});
