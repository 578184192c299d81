// The status server (port 15020): who may ask what, and which answer that is. Owns paths, methods and who counts as this
// machine; what an answer holds comes from its neighbours. Source: Istio's pilot/cmd/pilot-agent/status/server.go.
import type { ProxyInput, Verdict } from '../../../core/proxy/index.ts';
import type { Answer, Asked, Handler } from '../../../ports/host.ts';

export interface StatusSources {
  readonly readiness: () => Promise<Verdict>;
  readonly feed: (input: ProxyInput) => void;
  readonly appProbe: Handler;
  readonly metrics: Handler;
  readonly metricsLocalhostOnly: boolean;
  /** The DNS proxy's table as JSON; undefined where there is none. */
  readonly names: () => string | undefined;
}

/** Answers every request; what is unknown is 404. */
export function statusHandler(sources: StatusSources): Handler {
  return async (asked) => {
    const { path } = asked;
    if (path.startsWith('/app-health/') || path.startsWith('/app-lifecycle/')) return sources.appProbe(asked);
    switch (path) {
      case '/healthz/ready':
        return readinessAnswer(await sources.readiness());
      case '/metrics':
      case '/stats/prometheus':
        return sources.metricsLocalhostOnly && !isLoopback(asked.remoteAddress) ? forbidden : sources.metrics(asked);
      case '/quitquitquit':
        return command(asked, () => sources.feed({ kind: 'quit' }));
      case '/drain':
        return command(asked, () => sources.feed({ kind: 'drain' }));
      case '/debug/ndsz':
        return isLoopback(asked.remoteAddress) ? namesAnswer(sources.names()) : forbidden;
      default:
        return { status: 404, body: 'not found\n' };
    }
  };
}

const forbidden: Answer = { status: 403, body: 'only from this machine\n' };

function readinessAnswer(verdict: Verdict): Answer {
  return verdict.ready ? { status: 200, body: '' } : { status: 503, body: `${verdict.because}\n` };
}

function namesAnswer(names: string | undefined): Answer {
  const headers = { 'content-type': 'application/json' };
  return names === undefined ? { status: 404, headers, body: '{}' } : { status: 200, headers, body: names };
}

/** The answer goes out first: what it asks for may end this server. */
function command({ method, remoteAddress }: Asked, run: () => void): Answer {
  if (!isLoopback(remoteAddress)) return forbidden;
  return method === 'POST' ? { status: 200, body: 'OK', afterwards: run } : { status: 405, body: 'POST only\n' };
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
