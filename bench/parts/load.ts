// Sends reviews as API servers do: HTTP/1.1 over TLS, connections kept. Bounded by a count, and by a time for each answer.
import { Agent, request } from 'node:https';

export interface Target {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly ca: string;
  readonly serverName: string;
}

export interface Load {
  /** Sends so many reviews, each connection one after the other. */
  readonly run: (bodies: Bodies, count: number) => Promise<void>;
  readonly close: () => void;
}

/** The body of the i-th review. */
export type Bodies = (i: number) => Buffer;

const answerMs = 30_000;

export function connect(target: Target, connections: number): Load {
  const { ca, serverName: servername } = target;
  const agent = new Agent({ keepAlive: true, maxSockets: connections, ca, servername });
  return {
    run: async (bodies, count) => {
      let sent = 0;
      const worker = async (): Promise<void> => {
        while (sent < count) await post(target, agent, bodies(sent++));
      };
      await Promise.all(Array.from({ length: connections }, worker));
    },
    close: () => agent.destroy(),
  };
}

async function post({ host, port, path }: Target, agent: Agent, body: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const sent = request({ host, port, path, method: 'POST', agent, headers, timeout: answerMs }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => void chunks.push(chunk));
    response.on('error', reject);
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      if (response.statusCode === 200 && text.includes('"allowed":true')) resolve();
      else reject(new Error(`HTTP ${response.statusCode}: ${text.slice(0, 300)}`));
    });
  });
  sent.on('timeout', () => sent.destroy(new Error(`no answer within ${answerMs} ms`)));
  sent.on('error', reject);
  sent.end(body);
  return promise;
}
