// Services beside istiod that a bootstrap reaches: the tracing collector, the metrics service, the access log service, statsd. Owns how
// ProxyConfig's wishes become clusters' parameters, with TLS through the agent's SDS socket.
import type { Problem } from '../std/errors.ts';
import { isObject, type JsonObject, objectAt, textAt } from '../std/json.ts';
import { type HostPort, hostPort } from './addresses.ts';
import { upstreamTls } from './tls.ts';

export interface Keepalive {
  readonly probes: number;
  readonly timeSeconds: number;
  readonly intervalSeconds: number;
}

export interface RemoteService {
  readonly address: HostPort;
  /** A transport socket; undefined: plain. */
  readonly tls: JsonObject | undefined;
  readonly keepalive: Keepalive | undefined;
}

export type Tracer =
  | { readonly kind: 'zipkin' | 'datadog'; readonly address: HostPort; readonly tls: JsonObject | undefined }
  | {
      readonly kind: 'lightstep';
      readonly address: HostPort;
      readonly tls: JsonObject | undefined;
      /** The agent writes the token into this file. */
      readonly tokenFile: string;
      readonly token: string;
    };

export interface Services {
  readonly tracer: Tracer | undefined;
  readonly metrics: RemoteService | undefined;
  readonly accessLog: RemoteService | undefined;
  readonly statsd: HostPort | undefined;
}

export interface ServiceSources {
  /** ProxyConfig. */
  readonly config: JsonObject;
  readonly configPath: string;
  /** The node's metadata: paths of certificates that win over those of ProxyConfig. */
  readonly metadata: JsonObject;
  /** Replaces `$(HOST_IP)`; empty: unknown. */
  readonly hostIp: string;
}

/** An address that cannot be read is a problem: Envoy would not start with it. */
export function servicesOf(sources: ServiceSources): {
  readonly services: Services;
  readonly problems: readonly Problem[];
} {
  const problems: Problem[] = [];
  const read = addressReader(sources.hostIp, problems);
  const { config } = sources;
  const services = {
    tracer: tracerOf(sources, read),
    metrics:
      remoteOf(sources, { field: 'envoyMetricsService', sni: 'envoy_metrics_service' }, read) ??
      bare(read('envoyMetricsServiceAddress', textAt(config, 'envoyMetricsServiceAddress') ?? '')),
    accessLog: remoteOf(sources, { field: 'envoyAccessLogService', sni: 'envoy_accesslog_service' }, read),
    statsd: read('statsdUdpAddress', textAt(config, 'statsdUdpAddress') ?? ''),
  };
  return { services, problems };
}

type ReadAddress = (field: string, text: string) => HostPort | undefined;

function addressReader(hostIp: string, problems: Problem[]): ReadAddress {
  return (path, text) => {
    if (text === '') return undefined;
    const found = hostPort(text);
    const message = `${text} is no HOST:PORT`;
    if (found === undefined) problems.push({ code: 'proxy-config-invalid', severity: 'error', path, message });
    return found?.address === '$(HOST_IP)' && hostIp !== '' ? { ...found, address: hostIp } : found;
  };
}

function bare(address: HostPort | undefined): RemoteService | undefined {
  return address === undefined ? undefined : { address, tls: undefined, keepalive: undefined };
}

/** The kinds that a bootstrap configures; others are configured by istiod. */
function tracerOf({ config, configPath, metadata }: ServiceSources, read: ReadAddress): Tracer | undefined {
  const tracing = objectAt(config, 'tracing');
  for (const kind of ['zipkin', 'lightstep', 'datadog'] as const) {
    const given = tracing[kind];
    if (!isObject(given)) continue;
    const address = read(`tracing.${kind}.address`, textAt(given, 'address') ?? '');
    if (address === undefined) return undefined;
    const settings = tracing['tlsSettings'];
    const tls = upstreamTls({ settings, sni: 'tracer', metadata, http2: kind === 'lightstep' });
    if (kind !== 'lightstep') return { kind, address, tls };
    const tokenFile = `${configPath.replace(/\/+$/, '').replace(/^\.\//, '')}/lightstep_access_token.txt`;
    return { kind, address, tls, tokenFile, token: textAt(given, 'accessToken') ?? '' };
  }
  return undefined;
}

function remoteOf(
  { config, metadata }: ServiceSources,
  { field, sni }: { readonly field: string; readonly sni: string },
  read: ReadAddress,
): RemoteService | undefined {
  const given = objectAt(config, field);
  const address = read(`${field}.address`, textAt(given, 'address') ?? '');
  if (address === undefined) return undefined;
  return {
    address,
    tls: upstreamTls({ settings: given['tlsSettings'], sni, metadata, http2: true }),
    keepalive: keepaliveOf(given['tcpKeepalive']),
  };
}

function keepaliveOf(given: unknown): Keepalive | undefined {
  if (!isObject(given)) return undefined;
  const seconds = (field: string): number => Math.trunc(Number.parseFloat(textAt(given, field) ?? '0'));
  return { probes: Number(given['probes'] ?? 0), timeSeconds: seconds('time'), intervalSeconds: seconds('interval') };
}
