import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { stringify } from 'yaml';
import { compareCodePoints } from '../std/order.ts';
import { installManifests } from './manifests.ts';
import type { InstallOptions, KubeObject } from './options.ts';
import { resourceOf } from './resource.ts';
import { injectConfigurationName, krisprConfigurationName } from './webhooks.ts';

const usual: InstallOptions = {
  mode: 'webhook',
  namespace: 'fairway-system',
  image: 'example.test/fairway:1',
  replicas: 2,
  caBundle: '',
  tlsSecret: undefined,
  inject: [],
  cluster: undefined,
  files: { 'rollouts.yml': 'production:\n  1-25-2: 100\n' },
  kinds: [],
};
const inject = [
  { name: '1-25-2', isDefault: true, everyNamespace: true },
  { name: '1-26-0', isDefault: false, everyNamespace: false },
];
const goldens: Readonly<Record<string, InstallOptions>> = {
  'krispr.yaml': usual,
  'injectors.yaml': { ...usual, inject, kinds: [{ group: 'argoproj.io', resource: 'rollouts' }] },
  'policy.yaml': { ...usual, mode: 'policy' },
  'given-certificate.yaml': { ...usual, caBundle: 'Q0E=', tlsSecret: 'from-cert-manager', replicas: 3 },
};
const folder = new URL('testdata/', import.meta.url);

for (const [name, options] of Object.entries(goldens))
  test(`manifests equal ${name}`, () => {
    const made = installManifests(options)
      .map((object) => `---\n${stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })}`)
      .join('');
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(new URL(name, folder), made);
    assert.equal(made, readFileSync(new URL(name, folder), 'utf8'));
  });

test('no golden is left over', () => assert.deepEqual(readdirSync(folder).sort(), Object.keys(goldens).sort()));

const configurations = installManifests({ ...usual, inject }).filter(
  ({ kind }) => kind === 'MutatingWebhookConfiguration',
);

test('API servers call Krispr before every injector, of Fairway and of Istio', () => {
  const istio = ['istio-sidecar-injector', 'istio-sidecar-injector-1-25-2', 'istio-revision-tag-default'];
  const ours = configurations.map(nameOf);
  assert.deepEqual(ours, [krisprConfigurationName, ...inject.map(({ name }) => injectConfigurationName(name))]);
  assert.deepEqual([...istio, ...ours].sort(compareCodePoints).slice(0, ours.length), ours);
});

test('istiod takes none of the configurations for its own', () => {
  for (const configuration of configurations) {
    assert.equal(labelsOf(configuration)['istio.io/rev'], undefined);
    for (const { name } of webhooksOf(configuration)) assert.doesNotMatch(name, /sidecar-injector\.istio\.io$/);
  }
});

test('no webhook selects kube-system or its own namespace, and every name is one of its kind', () => {
  const webhooks = configurations.flatMap(webhooksOf);
  for (const { namespaceSelector } of webhooks) {
    const named = namespaceSelector.matchExpressions.find(({ key }) => key === 'kubernetes.io/metadata.name');
    assert.equal(named?.operator, 'NotIn');
    assert.ok(['kube-system', 'fairway-system'].every((namespace) => named?.values?.includes(namespace)));
  }
  for (const configuration of configurations) {
    const names = webhooksOf(configuration).map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    for (const name of names) assert.match(name, /^[a-z0-9-]+(?:\.[a-z0-9-]+){2,}$/);
  }
});

test('what is written by name is granted by name', () => {
  const roles = installManifests({ ...usual, inject }).filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role');
  const rules = roles.flatMap(
    (role) => role['rules'] as readonly { resources: string[]; verbs: string[]; resourceNames?: string[] }[],
  );
  for (const { resources, verbs, resourceNames } of rules.filter((rule) =>
    rule.verbs.some((verb) => ['patch', 'update', 'delete', '*'].includes(verb)),
  )) {
    if (resources.includes('events')) continue;
    assert.ok((resourceNames?.length ?? 0) > 0, `${resources.join()} ${verbs.join()}`);
  }
});

const plurals: readonly (readonly [kind: string, resource: string])[] = [
  ['Rollout', 'rollouts'],
  ['CloneSet', 'clonesets'],
  ['Policy', 'policies'],
  ['Gateway', 'gateways'],
  ['Ingress', 'ingresses'],
];
for (const [kind, resource] of plurals) test(`resource of ${kind}`, () => assert.equal(resourceOf(kind), resource));

interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}
interface Webhook {
  readonly name: string;
  readonly namespaceSelector: { readonly matchExpressions: readonly Expression[] };
}

function webhooksOf(configuration: KubeObject): readonly Webhook[] {
  return configuration['webhooks'] as readonly Webhook[];
}

function nameOf({ metadata }: KubeObject): string {
  return (metadata as { name: string }).name;
}

function labelsOf({ metadata }: KubeObject): Readonly<Record<string, string>> {
  return (metadata as { labels: Record<string, string> }).labels;
}
