// Requests to Envoy's administration port. Loopback by number: a name would need a resolver that the proxy itself may serve.
import type { StatsAnswer } from '../../core/proxy/index.ts';
import type { Host } from '../../ports/host.ts';

export interface AdminRequest {
  readonly method: 'GET' | 'POST';
  readonly adminPort: number;
  readonly path: string;
  readonly timeoutMs: number;
}

/** The text of an answer with status 200; everything else is a problem. */
export async function askEnvoy(host: Host, { method, adminPort, path, timeoutMs }: AdminRequest): Promise<StatsAnswer> {
  const answer = await host.net.fetch({ method, host: '127.0.0.1', port: adminPort, path, timeoutMs });
  if (answer.kind === 'failed') return answer;
  const text = new TextDecoder().decode(answer.body);
  return answer.status === 200
    ? { kind: 'body', text }
    : { kind: 'failed', problem: `status ${answer.status}: ${text.slice(0, 200).trim()}` };
}
