// Opens a stream to the control plane: files are read again for each one, since roots, certificates and tokens are rotated under way.
import { tokenFile } from '../../../core/identity/index.ts';
import { metadataOf, type UpstreamSettings, upstreamOf } from '../../../core/xds-proxy/index.ts';
import type { GrpcChannel, GrpcClientCall } from '../../../ports/grpc.ts';
import type { Host } from '../../../ports/host.ts';
import { tlsFrom } from '../grpc-tls.ts';

export interface UpstreamOptions {
  readonly host: Pick<Host, 'files' | 'grpc' | 'keys' | 'clock'>;
  readonly upstream: UpstreamSettings;
  /** For XDS_HEADER_*. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type Opened =
  | { readonly kind: 'open'; readonly call: GrpcClientCall; readonly channel: GrpcChannel }
  | { readonly kind: 'problem'; readonly problem: string };

const connectTimeoutMs = 5000;
/** As Istio's agent; a control plane that is gone without a word is noticed within 40 s. */
const keepalive = { everyMs: 30_000, timeoutMs: 10_000 };

export function openUpstream({ host, upstream: settings, env }: UpstreamOptions, method: string): Opened {
  const { files, grpc } = host;
  const upstream = upstreamOf(settings, files.exists);
  if (upstream.kind === 'problem') return upstream;
  const tls = upstream.tls === undefined ? undefined : tlsFrom(upstream.tls, host);
  if (typeof tls === 'string') return { kind: 'problem', problem: tls };
  const at = { kind: 'tcp', host: upstream.host, port: upstream.port } as const;
  const channel = grpc.connect({ at, tls, authority: settings.discoveryAddress, connectTimeoutMs, keepalive });
  const metadata = metadataOf({ clusterId: settings.clusterId, token: files.read(tokenFile), env });
  try {
    return { kind: 'open', channel, call: channel.open(method, { metadata }) };
  } catch (error) {
    channel.close();
    return { kind: 'problem', problem: error instanceof Error ? error.message : String(error) };
  }
}
