// The stage of the suite: a node, Istio's control planes of two revisions, an image with the suite's programs, and a namespace.
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buildAgent } from '../../../scripts/build-agent.ts';
import type { Connection } from '../../../src/adapters/kube/connect.ts';
import { apply, kubectl, newNamespace, nodeUp, runRig } from '../../cluster/kube.ts';
import { put, withLibraries } from '../../rig/root-folder.ts';

export const revisions = ['1-25-2', '1-26-0'] as const;
export type Revision = (typeof revisions)[number];
/** The Envoy of each revision's sidecars. */
export const envoys: Readonly<Record<Revision, string>> = { '1-25-2': '1.39.3', '1-26-0': '1.40.0' };
export const namespace = 'shop';

/** Takes a minute; Istio's own injectors inject. */
export async function stageUp(): Promise<Connection> {
  const connection = await nodeUp();
  importPrograms();
  for (const revision of revisions) runRig('istio', revision, envoys[revision]);
  await newNamespace(namespace);
  return connection;
}

/** Whose agent runs in sidecars that start from now on; it begins with Istio's. */
export type Agent = 'istio' | 'fairway';

export function useAgent(agent: Agent): void {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-agent-'));
  const own = agent === 'fairway' ? [buildAgent('linux-x64', folder)] : [];
  for (const revision of revisions) runRig('proxy-image', `rig.test/proxyv2:${revision}`, envoys[revision], ...own);
  rmSync(folder, { recursive: true });
}

/** `rig.test/programs:1`: Node, and the programs of ../pods. */
function importPrograms(): void {
  const root = mkdtempSync(join(tmpdir(), 'fairway-mesh-'));
  withLibraries(root, process.execPath, '/bin/node');
  for (const file of globSync(join(import.meta.dirname, '../pods/*.ts'))) put(root, file, `/${basename(file)}`);
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  runRig('image', 'rig.test/programs:1', root, '/bin/node');
  rmSync(root, { recursive: true });
}

export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly initContainers?: readonly Container[]; readonly containers: readonly Container[] };
  readonly status: { readonly podIP?: string };
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

/** The pods of a workload that are not about to end. */
export function podsOf(app: string): readonly Pod[] {
  const { items } = JSON.parse(kubectl(['-n', namespace, 'get', 'pods', '-l', `app=${app}`, '-o', 'json'])) as {
    items: readonly Pod[];
  };
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

export function proxyOf({ spec }: Pod): Container | undefined {
  return [...(spec.initContainers ?? []), ...spec.containers].find(({ name }) => name === 'istio-proxy');
}

/** Waits until every replica of these Deployments is the new one and ready, and the old ones are told to go. */
export function rolledOut(...names: readonly string[]): void {
  for (const name of names) kubectl(['-n', namespace, 'rollout', 'status', `deployment/${name}`, '--timeout', '300s']);
}

/** An order to the client's pod (see ../pods/client.ts). */
export async function client<T>(path: string): Promise<T> {
  const address = podsOf('client')[0]?.status.podIP;
  const response = await fetch(`http://${address}:9000${path}`);
  if (!response.ok) throw new Error(`client ${path}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** Starts the client anew on a revision, and waits until it takes orders. */
export async function startClient(revision: Revision): Promise<void> {
  kubectl(['-n', namespace, 'delete', 'pod', 'client', '--ignore-not-found', '--grace-period', '1']);
  apply(clientPod(revision), clientService);
  kubectl(['-n', namespace, 'wait', '--for', 'condition=Ready', 'pod/client', '--timeout', '180s']);
}

/** Whom applications may call. */
const clientService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'client', namespace },
  spec: {
    selector: { app: 'client' },
    ports: [
      { name: 'tcp-orders', port: 9000 },
      { name: 'http', port: 9001 },
    ],
  },
};

function clientPod(revision: Revision): object {
  const annotations = { 'traffic.sidecar.istio.io/excludeInboundPorts': '9000' };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'client', namespace, labels: { app: 'client', 'istio.io/rev': revision }, annotations },
    spec: { containers: [{ name: 'client', image: 'rig.test/programs:1', args: ['/client.ts'] }] },
  };
}
