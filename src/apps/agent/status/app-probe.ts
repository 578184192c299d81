// Plays the kubelet towards the application: a probe or hook that came to the status server is repeated at the application,
// from an address that interception leaves alone. Source: Istio's pilot/cmd/pilot-agent/status/server.go.
import type { AppProbe } from '../../../core/proxy/index.ts';
import type { Answer, Asked, Fetched, Handler, Host, HttpRequest } from '../../../ports/host.ts';

interface Probing {
  readonly host: Host;
  readonly probes: ReadonlyMap<string, AppProbe>;
  /** The pod's address, or localhost. */
  readonly appHost: string;
  readonly statusPort: number;
  /** As the kubelet: an HTTPS probe may speak HTTP/2. */
  readonly http2: boolean;
}

const bodyAtMost = 10 * 1024;
const redirectsAtMost = 10;
/** Kubernetes' default; a map that tells none would otherwise wait for ever. */
const grpcTimeoutMs = 1000;

/** Answers for `/app-health/…` and `/app-lifecycle/…`; an unknown path is 400. */
export function appProbeHandler(probing: Probing): Handler {
  return async (asked) => {
    const probe = probing.probes.get(asked.path);
    if (probe === undefined) return { status: 400, body: `no probe of the application has this path: ${asked.path}\n` };
    switch (probe.kind) {
      case 'http':
        return probeHttp(probing, probe, asked);
      case 'tcp':
        return probeTcp(probing, probe);
      case 'grpc':
        return probeGrpc(probing, probe);
    }
  };
}

async function probeTcp({ host, appHost }: Probing, probe: Extract<AppProbe, { kind: 'tcp' }>): Promise<Answer> {
  const { port, timeoutMs } = probe;
  const result = await host.net.dial({ ...from(appHost), host: appHost, port, timeoutMs });
  return verdict(result.kind === 'open', result.kind);
}

async function probeGrpc({ host, appHost }: Probing, probe: Extract<AppProbe, { kind: 'grpc' }>): Promise<Answer> {
  const { port, service, timeoutMs = grpcTimeoutMs } = probe;
  const result = await host.net.grpcHealth({ ...from(appHost), host: appHost, port, timeoutMs }, service);
  return verdict(result.kind === 'open', result.kind);
}

function verdict(good: boolean, why: string): Answer {
  return good ? { status: 200, body: '' } : { status: 500, body: `${why}\n` };
}

async function probeHttp(probing: Probing, probe: Extract<AppProbe, { kind: 'http' }>, asked: Asked): Promise<Answer> {
  const first: HttpRequest = {
    method: 'GET',
    host: probing.appHost,
    port: probe.port,
    path: probe.path,
    headers: forwarded(probing, probe, asked),
    tls: probe.tls,
    timeoutMs: probe.timeoutMs,
    maxBytes: bodyAtMost,
    http2: probing.http2,
    ...from(probing.appHost),
  };
  const answer = await follow(probing.host, first, redirectsAtMost);
  if (answer.kind === 'failed') return { status: 500, body: `${answer.problem}\n` };
  if (answer.status >= 300 && answer.status < 400) return { status: 200, body: '' };
  const type = answer.headers['content-type'];
  return {
    status: answer.status,
    body: answer.body,
    headers: typeof type === 'string' ? { 'content-type': type } : {},
  };
}

/** Like the kubelet: a redirect to the same host is followed, one to another host is an answer. */
async function follow(host: Host, request: HttpRequest, left: number): Promise<Fetched> {
  const answer = await host.net.fetch(request);
  if (answer.kind === 'failed' || answer.status < 300 || answer.status >= 400) return answer;
  const { location } = answer.headers;
  if (typeof location !== 'string') return answer;
  const base = `${request.tls === true ? 'https' : 'http'}://${bracketed(request.host)}:${request.port}${request.path}`;
  if (!URL.canParse(location, base)) return answer;
  const to = new URL(location, base);
  if (to.hostname !== new URL(base).hostname) return answer;
  if (left === 0) return { kind: 'failed', problem: `more than ${redirectsAtMost} redirects` };
  const tls = to.protocol === 'https:';
  const port = to.port === '' ? (tls ? 443 : 80) : Number(to.port);
  return follow(host, { ...request, tls, port, path: `${to.pathname}${to.search}` }, left - 1);
}

/** All of the kubelet's headers; the host with the application's port instead of the status port. */
function forwarded(
  { statusPort }: Probing,
  probe: Extract<AppProbe, { kind: 'http' }>,
  { headers }: Asked,
): Record<string, string | readonly string[]> {
  const kept = Object.entries(headers).filter(([name, value]) => value !== undefined && !hopByHop.has(name));
  const given = Object.fromEntries(kept) as Record<string, string | readonly string[]>;
  if (typeof given['host'] === 'string')
    given['host'] = given['host'].replace(new RegExp(`:${statusPort}$`), `:${probe.port}`);
  return given;
}

const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'content-length',
]);

function from(target: string): { readonly localAddress?: string } {
  if (target.includes(':')) return { localAddress: '::6' };
  return { localAddress: '127.0.0.6' };
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
