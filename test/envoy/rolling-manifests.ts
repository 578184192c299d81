// The pods of the rolling restart: an application with Fairway's agent and a real Envoy beside it, classic or native, as an injector would
// write them; and clients that are nothing but a proxy.
import { fileURLToPath } from 'node:url';
import { envoyBinary } from './parts.ts';
import { xdsBootstrap } from './xds-scene.ts';

export type SidecarOrder = 'classic' | 'native';
export type RevisionName = 'a' | 'b';

/** What every pod of the mesh is given. */
export interface MeshFacts {
  /** The built agent. */
  readonly agent: string;
  /** PEM of the control planes' root. */
  readonly root: string;
  /** Of this machine, as pods see it. */
  readonly host: string;
  readonly planePorts: Readonly<Record<RevisionName, number>>;
}

/** The pods' ports; each pod has a network of its own. */
export const podPorts = { app: 8080, inbound: 9080, callOut: 15001, callWeb: 15080, status: 15020, admin: 15000 };

const node = process.execPath;
const appSource = fileURLToPath(new URL('./rolling-app.ts', import.meta.url));
const files = '/etc/istio/bootstrap';
const configPath = '/etc/istio/proxy';
/** As shutdown-guard writes it: until clients know that the endpoint is gone. */
const preStopSeconds = 1;

export function configMap({ root }: MeshFacts): object {
  const bootstrap = xdsBootstrap({
    socket: `${configPath}/XDS`,
    adminPort: podPorts.admin,
    variant: 'DELTA_GRPC',
  });
  return {
    kind: 'ConfigMap',
    metadata: { name: 'proxy' },
    data: { 'bootstrap.json': JSON.stringify(bootstrap), 'root.pem': root },
  };
}

/** A pod that calls the replicas through its own proxy. */
export function clientPod(mesh: MeshFacts, revision: RevisionName): object {
  const spec = { ...surroundings, containers: [proxy(mesh, revision)] };
  return { kind: 'Pod', metadata: { name: `client-${revision}`, labels: { app: 'client' } }, spec };
}

export interface WebOptions {
  readonly revision: RevisionName;
  readonly order: SidecarOrder;
  readonly replicas: number;
}

export function webDeployment(mesh: MeshFacts, { revision, order, replicas }: WebOptions): object {
  const sidecar = proxy(mesh, revision);
  const containers =
    order === 'classic'
      ? { containers: [held(sidecar, mesh), app()] }
      : { initContainers: [native(sidecar, mesh)], containers: [app()] };
  return {
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: {
        metadata: { labels: { app: 'web', 'istio.io/rev': revision } },
        spec: { ...surroundings, ...containers },
      },
    },
  };
}

const surroundings = {
  terminationGracePeriodSeconds: 30,
  volumes: [{ name: 'files', configMap: { name: 'proxy' } }],
};

interface Sidecar {
  readonly name: string;
}

function proxy({ agent, host, planePorts }: MeshFacts, revision: RevisionName): Sidecar {
  const config = {
    binaryPath: envoyBinary(),
    configPath,
    customConfigFile: `${files}/bootstrap.json`,
    discoveryAddress: `${host}:${planePorts[revision]}`,
    concurrency: 1,
    proxyAdminPort: podPorts.admin,
    statusPort: podPorts.status,
  };
  const env = {
    PROXY_CONFIG: JSON.stringify(config),
    XDS_ROOT_CA: `${files}/root.pem`,
    ISTIOD_SAN: 'istiod.test',
    FILE_MOUNTED_CERTS: 'true', // certificates come with the listeners
    EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'true',
    MINIMUM_DRAIN_DURATION: '1s',
    ISTIO_META_POD_PORTS: JSON.stringify([{ containerPort: podPorts.app }]),
    FAIRWAY_DRAIN_DEADLINE: '28s',
  };
  const sidecar = {
    name: 'istio-proxy',
    command: [agent, 'proxy', 'sidecar', '--log_as_json', '--proxyLogLevel=error'],
    env: listed(env),
    volumeMounts: [{ name: 'files', mountPath: files }],
    readinessProbe: { httpGet: { path: '/healthz/ready', port: podPorts.status }, periodSeconds: 1 },
  };
  return sidecar;
}

/** Classic: the application starts when its proxy is ready, and both get SIGTERM at once. */
function held(sidecar: Sidecar, { agent }: MeshFacts): object {
  const url = `http://localhost:${podPorts.status}/healthz/ready`;
  const wait = [agent, 'wait', `--url=${url}`, '--periodMillis=50'];
  return { ...sidecar, lifecycle: { postStart: { exec: { command: wait } } } };
}

/** Native: the kubelet starts it before the application and ends it after. */
function native(sidecar: Sidecar, { agent }: MeshFacts): object {
  const drain = [agent, 'request', `--debug-port=${podPorts.status}`, 'POST', 'drain'];
  return {
    ...sidecar,
    restartPolicy: 'Always',
    startupProbe: {
      httpGet: { path: '/healthz/ready', port: podPorts.status },
      periodSeconds: 1,
      failureThreshold: 60,
    },
    lifecycle: { preStop: { exec: { command: drain } } },
  };
}

function app(): object {
  return {
    name: 'app',
    command: [node, appSource],
    env: listed({ PORT: String(podPorts.app), CALL: `http://127.0.0.1:${podPorts.callOut}/` }),
    readinessProbe: { httpGet: { path: '/', port: podPorts.app }, periodSeconds: 1 },
    lifecycle: { preStop: { sleep: { seconds: preStopSeconds } } },
  };
}

function listed(env: Readonly<Record<string, string>>): readonly object[] {
  return Object.entries(env).map(([name, value]) => ({ name, value }));
}
