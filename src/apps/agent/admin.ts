// Requests to Envoy's administration. Loopback by number: a name would need a resolver that the proxy itself may serve.
import type { StatsAnswer } from '../../core/proxy/index.ts';
import type { Host } from '../../ports/host.ts';

/** Where Envoy's administration listens. */
export interface Admin {
  /** 127.0.0.1, or ::1 in a pod that has IPv6 only. */
  readonly host: string;
  readonly port: number;
}

interface AdminRequest {
  readonly method: 'GET' | 'POST';
  readonly admin: Admin;
  readonly path: string;
  readonly timeoutMs: number;
}

/** The text of an answer with status 200; everything else is a problem. */
export async function askEnvoy(host: Host, { method, admin, path, timeoutMs }: AdminRequest): Promise<StatsAnswer> {
  const answer = await host.net.fetch({ method, ...admin, path, timeoutMs });
  if (answer.kind === 'failed') return answer;
  if (answer.cut) return { kind: 'failed', problem: `an answer of more than ${answer.body.length} bytes` };
  const text = new TextDecoder().decode(answer.body);
  return answer.status === 200
    ? { kind: 'body', text }
    : { kind: 'failed', problem: `status ${answer.status}: ${text.slice(0, 200).trim()}` };
}
