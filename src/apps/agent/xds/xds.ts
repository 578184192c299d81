// The xDS proxy: Envoy's streams come in by a unix socket, each gets a stream of its own to the control plane. Owns the socket and who is
// connected; refuses to decide: what is added and answered is in `core/xds-proxy`.
import { type Health, variantOf } from '../../../core/xds-proxy/index.ts';
import type { GrpcServer, GrpcServerCall, GrpcStatus } from '../../../ports/grpc.ts';
import type { Host } from '../../../ports/host.ts';
import type { Log } from '../log.ts';
import { type Convert, type Relay, relay } from './relay.ts';
import { openUpstream, type UpstreamOptions } from './upstream.ts';

export interface XdsProxyOptions extends UpstreamOptions {
  readonly host: Host;
  readonly log: Log;
  readonly socketPath: string;
  readonly own: OwnTypes;
  /** Undefined: extensions pass as they are. */
  readonly convert: Convert | undefined;
}

/** Types that the agent asks for itself, and who takes their one resource (giving back why not). */
export type OwnTypes = Readonly<Record<string, (value: Uint8Array) => string | undefined>>;

export interface XdsProxy {
  /** Told upstream now, and again on each new stream. */
  readonly health: (health: Health) => void;
  readonly end: () => void;
}

/** Rejects where the socket cannot be listened to. */
export async function serveXdsProxy(options: XdsProxyOptions): Promise<XdsProxy> {
  const relays = new Set<Relay>();
  let last: Health | undefined;
  const server: GrpcServer = await options.host.grpc.serve(options.socketPath, (call) =>
    answer(options, call, { relays, health: () => last }),
  );
  return {
    health: (health) => {
      last = health;
      for (const { feed } of relays) feed({ kind: 'health', health });
    },
    end: server.end,
  };
}

interface Shared {
  readonly relays: Set<Relay>;
  readonly health: () => Health | undefined;
}

async function answer(options: XdsProxyOptions, envoy: GrpcServerCall, shared: Shared): Promise<GrpcStatus> {
  const variant = variantOf(envoy.method);
  if (variant === undefined) return { code: 'UNIMPLEMENTED', message: `no method ${envoy.method}` };
  const opened = openUpstream(options, envoy.method);
  if (opened.kind === 'problem') {
    options.log('error', 'cannot ask the control plane', { problem: opened.problem });
    return { code: 'UNAVAILABLE', message: opened.problem };
  }
  const { own, convert } = options;
  const one = relay({
    variant,
    policy: { own: Object.keys(own), convertsExtensions: convert !== undefined },
    envoy,
    upstream: opened.call,
    take: (typeUrl, value) => own[typeUrl]?.(value),
    convert: convert ?? asItIs,
    health: shared.health,
  });
  shared.relays.add(one);
  const status = await told(options, one);
  shared.relays.delete(one);
  opened.channel.close();
  return status;
}

const asItIs: Convert = (_, message) => Promise.resolve({ kind: 'converted', message });

async function told({ log, host, upstream }: XdsProxyOptions, { ended }: Relay): Promise<GrpcStatus> {
  const beganMs = host.clock.nowMs();
  log('info', 'Envoy asks the control plane', { address: upstream.discoveryAddress });
  const status = await ended;
  const { code, message } = status;
  const lastedMs = host.clock.nowMs() - beganMs;
  log(code === 'CANCELLED' ? 'info' : 'warn', 'the stream to the control plane ended', { code, message, lastedMs });
  return status;
}
