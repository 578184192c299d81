// An API server that has just enough of one: paged lists and silent watches over HTTP, without a store. It makes objects as they are asked
// for, so that a cluster of any size costs it nothing. A program of its own (`node fake-api.ts SETTING.json`), whose time counts for nobody;
// it prints its port, and ends when its standard input does.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeCluster {
  readonly deployments: number;
  readonly replicaSetsEach: number;
  /** By name; all of them in istio-system. */
  readonly configMaps: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

interface Kind {
  readonly count: number;
  readonly at: (i: number, metadataOnly: boolean) => object;
}

const nothing: Kind = { count: 0, at: () => ({}) };
const createdMs = Date.UTC(2026, 0, 1);

function start(): void {
  const cluster = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as FakeCluster;
  const kinds: Readonly<Record<string, Kind>> = {
    deployments: { count: cluster.deployments, at: deployment },
    replicasets: {
      count: cluster.deployments * cluster.replicaSetsEach,
      at: (i) => replicaSet(i, cluster.replicaSetsEach),
    },
    namespaces: { count: namespaces, at: (i) => object('namespace', i, namespaceOf(i)) },
    nodes: {
      count: 1,
      at: () => ({ ...object('node', 0, 'node-0'), status: { nodeInfo: { kubeletVersion: 'v1.37.2' } } }),
    },
  };
  const server = createServer((request, response) => answer(request, response, { kinds, cluster }));
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
  process.stdin.resume().on('end', () => process.exit());
}

interface World {
  readonly kinds: Readonly<Record<string, Kind>>;
  readonly cluster: FakeCluster;
}

function answer({ url = '', headers }: IncomingMessage, response: ServerResponse, { kinds, cluster }: World): void {
  const { pathname, searchParams: query } = new URL(url, 'http://localhost');
  response.setHeader('content-type', 'application/json');
  if (query.has('watch')) return response.flushHeaders();
  const plural = pathname.split('/').at(-1) ?? '';
  const kind =
    plural === 'configmaps' ? configMapNamed(cluster, query.get('fieldSelector') ?? '') : (kinds[plural] ?? nothing);
  const from = Number(query.get('continue') ?? 0);
  const to = Math.min(kind.count, from + Number(query.get('limit') ?? kind.count));
  const metadataOnly = (headers.accept ?? '').includes('PartialObjectMetadata');
  const items = Array.from({ length: to - from }, (_, i) => kind.at(from + i, metadataOnly));
  const more = to < kind.count ? { continue: String(to) } : {};
  return void response.end(JSON.stringify({ metadata: { resourceVersion: '1', ...more }, items }));
}

function configMapNamed(cluster: FakeCluster, selector: string): Kind {
  const name = selector.replace(/^metadata\.name=/, '');
  const data = cluster.configMaps[name];
  return data === undefined ? nothing : { count: 1, at: () => ({ ...object('configmap', 0, name), data }) };
}

const namespaces = 500;

function namespaceOf(i: number): string {
  return `team-${i % namespaces}`;
}

/** What every object has, with the names that its fields have managers for, as an API server writes them. */
function object(kind: string, i: number, name: string, more: object = {}) {
  const metadata = {
    name,
    uid: `${kind}-${String(i).padStart(8, '0')}-4c1d-9a53-0f6f6f3c2a11`,
    resourceVersion: String(1000 + i),
    generation: 1,
    creationTimestamp: new Date(createdMs + i * 1000).toISOString().replace('.000', ''),
    managedFields: [manager('kube-controller-manager', 'Update'), manager('deployer', 'Apply')],
    ...more,
  };
  return { metadata };
}

function manager(name: string, operation: string): object {
  const fields = ['app', 'version', 'team', 'app.kubernetes.io/name', 'app.kubernetes.io/instance'];
  const labels = Object.fromEntries(fields.map((field) => [`f:${field}`, {}]));
  const metadata = {
    'f:labels': { '.': {}, ...labels },
    'f:ownerReferences': { '.': {}, 'k:{"uid":"deployment"}': {} },
  };
  const spec = { 'f:replicas': {}, 'f:selector': {}, 'f:template': { 'f:metadata': metadata, 'f:spec': labels } };
  return {
    manager: name,
    operation,
    apiVersion: 'apps/v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:metadata': metadata, 'f:spec': spec },
  };
}

function labelsOf(i: number): Record<string, string> {
  const name = `service-${i}`;
  return {
    app: name,
    version: 'v1',
    team: namespaceOf(i),
    'app.kubernetes.io/name': name,
    'app.kubernetes.io/instance': name,
  };
}

function deployment(i: number, metadataOnly: boolean): object {
  const base = object('deployment', i, `service-${i}`, {
    namespace: namespaceOf(i),
    labels: labelsOf(i),
    annotations: { 'deployment.kubernetes.io/revision': '10' },
  });
  if (metadataOnly) return base;
  const env = Array.from({ length: 20 }, (_, k) => ({ name: `SETTING_${k}`, value: `a value of service ${i}` }));
  const container = { name: 'app', image: `registry.test/service-${i}:1`, env, ports: [{ containerPort: 8080 }] };
  const template = { metadata: { labels: labelsOf(i) }, spec: { containers: [container], serviceAccountName: 'app' } };
  const spec = { replicas: 1, selector: { matchLabels: { app: `service-${i}` } }, template };
  return { ...base, spec, status: { replicas: 1, readyReplicas: 1, observedGeneration: 1 } };
}

function replicaSet(i: number, each: number): object {
  const owner = Math.floor(i / each);
  const name = `service-${owner}`;
  const hash = (0x7d9c5b00 + (i % each)).toString(16);
  const reference = { apiVersion: 'apps/v1', kind: 'Deployment', name, uid: deploymentUid(owner), controller: true };
  return object('replicaset', i, `${name}-${hash}`, {
    namespace: namespaceOf(owner),
    labels: { ...labelsOf(owner), 'pod-template-hash': hash },
    annotations: {
      'deployment.kubernetes.io/desired-replicas': '1',
      'deployment.kubernetes.io/max-replicas': '2',
      'deployment.kubernetes.io/revision': String(i % each),
    },
    ownerReferences: [{ ...reference, blockOwnerDeletion: true }],
  });
}

function deploymentUid(i: number): string {
  return uidOf('deployment', i);
}

export function uidOf(kind: 'deployment' | 'replicaSet', i: number): string {
  return `${kind}-${String(i).padStart(8, '0')}-4c1d-9a53-0f6f6f3c2a11`;
}

if (process.argv[1] === import.meta.filename) start();
