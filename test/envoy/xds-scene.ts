// A pod whose configuration comes from a control plane: the small xDS server behind the agent's xDS proxy, Envoy in front of it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Authority, newAuthority } from '../xds/authority.ts';
import { cluster, endpoints, listener, type Resource, routes } from '../xds/resources.ts';
import { startXdsServer, type XdsServer, type XdsServerOptions } from '../xds/server.ts';
import type { Ports } from './bootstrap.ts';
import { freePorts, type Scene, type SceneOptions, startScene } from './scene.ts';

export type Variant = 'DELTA_GRPC' | 'GRPC';

export interface Mesh {
  readonly authority: Authority;
  /** The control plane's certificate, for `istiod.test`. */
  readonly tls: NonNullable<XdsServerOptions['tls']>;
}

export async function newMesh(): Promise<Mesh> {
  const authority = await newAuthority();
  return { authority, tls: { pair: await authority.issue({ type: 'dns', value: 'istiod.test' }) } };
}

/** A control plane that ends with the test; on the port of an earlier one, or on one that stays free while nobody listens. */
export async function startPlane(t: TestContext, { tls }: Mesh, earlier?: number): Promise<XdsServer> {
  const [port = 0] = earlier === undefined ? await freePorts(1) : [earlier];
  const plane = await startXdsServer({ tls, port });
  t.after(() => plane.end());
  return plane;
}

/** Of the mesh, in the pod's folder. */
export const rootFile = 'root.pem';

/** What tells an agent of a control plane and of whom to trust. */
export function planeAt(port: number) {
  return {
    config: { discoveryAddress: `127.0.0.1:${port}` },
    env: { ISTIOD_SAN: 'istiod.test', XDS_ROOT_CA: rootFile },
  };
}

export interface XdsSceneOptions extends Omit<SceneOptions, 'prepare'> {
  readonly mesh: Mesh;
  /** Of the control plane. */
  readonly port: number;
  readonly variant?: Variant;
  /** Below the pod's working folder, there before the agent starts. */
  readonly files?: Readonly<Record<string, string>>;
}

/** The pod; it shows a token and trusts the mesh's root. */
export function startXdsScene(t: TestContext, options: XdsSceneOptions): Promise<Scene> {
  const { mesh, port, variant = 'DELTA_GRPC', files = {}, ...rest } = options;
  const plane = planeAt(port);
  return startScene(t, {
    ...rest,
    config: { ...plane.config, ...rest.config },
    env: { ...plane.env, ISTIO_META_CLUSTER_ID: 'c1', ...rest.env },
    prepare: ({ folder, ports }) => {
      for (const [name, text] of Object.entries({ [rootFile]: mesh.authority.root, ...files }))
        writeBelow(folder, name, text);
      writeFileSync(
        join(folder, 'bootstrap.json'),
        JSON.stringify(xdsBootstrap({ socket: join(folder, 'config', 'XDS'), adminPort: ports.admin, variant })),
      );
    },
  });
}

export function writeBelow(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

interface XdsBootstrap {
  /** Of the agent's xDS proxy. */
  readonly socket: string;
  readonly adminPort: number;
  readonly variant: Variant;
}

/** What of Istio's bootstrap the agent and ADS need. */
export function xdsBootstrap({ socket, adminPort, variant }: XdsBootstrap): object {
  const ads = { ads: {}, resource_api_version: 'V3' };
  return {
    node: { id: 'sidecar~127.0.0.1~pod.ns~ns.svc.cluster.local', cluster: 'pod.ns' },
    admin: { address: address(adminPort) },
    dynamic_resources: {
      lds_config: ads,
      cds_config: ads,
      ads_config: {
        api_type: variant,
        transport_api_version: 'V3',
        set_node_on_first_message_only: true,
        grpc_services: [{ envoy_grpc: { cluster_name: 'xds-grpc' } }],
      },
    },
    static_resources: { clusters: [agentCluster(socket)] },
  };
}

function agentCluster(socket: string): object {
  return {
    name: 'xds-grpc',
    connect_timeout: '1s',
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
        explicit_http_config: { http2_protocol_options: {} },
      },
    },
    load_assignment: loadAssignment('xds-grpc', { pipe: { path: socket } }),
  };
}

function loadAssignment(name: string, endpointAddress: object): object {
  return { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint: { address: endpointAddress } }] }] };
}

function address(port: number): object {
  return { socket_address: { address: '127.0.0.1', port_value: port } };
}

/** Inbound to the application, by listener, routes, cluster and endpoints. */
export function inbound({ inbound: port, app }: Ports): readonly Resource[] {
  return [
    cluster('app'),
    endpoints('app', [app]),
    listener('in', { port, routes: 'in', direction: 'inbound' }),
    routes('in', 'app'),
  ];
}
