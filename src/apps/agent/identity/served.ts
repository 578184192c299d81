// Whether another program serves a unix socket; a file that nobody listens on is taken away.
import type { Host } from '../../../ports/host.ts';

const probeTimeoutMs = 1000;

/** A socket's file that nobody listens on is of an agent that was killed: it is removed. */
export async function isServed(host: Host, path: string): Promise<boolean> {
  if (!host.files.exists(path)) return false;
  const target = { at: { kind: 'unix', path }, tls: undefined, connectTimeoutMs: probeTimeoutMs } as const;
  const channel = host.grpc.connect(target);
  const limits = { timeoutMs: probeTimeoutMs, maxBytes: 1024 };
  const answer = await channel.unary('/grpc.health.v1.Health/Check', new Uint8Array(0), limits);
  channel.close();
  // Any status that a server chose tells that there is one, whether or not it knows this service.
  if (answer.kind === 'answer' || !['UNAVAILABLE', 'DEADLINE_EXCEEDED'].includes(answer.status.code)) return true;
  host.files.remove(path);
  return false;
}
