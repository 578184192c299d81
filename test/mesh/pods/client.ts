// A client in a pod, told from outside what to ask for: the port of its orders is excluded from interception, its requests are not.
//   /fetch?url=URL                                     one request: its status, headers and body
//   /load?url=URL&perSecond=N&least=COUNT&most=COUNT   over kept connections, until stopped: how many were sent, and why some were lost
//   /progress                                          how many the load has sent so far
//   /stop                                              the load ends, once the least is sent
// A request is lost when no complete answer 200 came, whatever the reason. Nothing is tried again here.
import { Agent, createServer, get } from 'node:http';
import { text } from 'node:stream/consumers';

interface Answer {
  readonly status: number;
  readonly headers: object;
  readonly body: string;
}

const patienceMs = 60_000;
let sent = 0;
let stopped = false;

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://client');
  response.setHeader('connection', 'close'); // orders are rare, and a kept connection may end under the next one
  obey(pathname, searchParams).then(
    (result) => response.end(JSON.stringify(result)),
    (error: unknown) => response.writeHead(502).end(JSON.stringify({ error: String(error) })),
  );
}).listen(9000);
process.on('SIGTERM', () => process.exit(0));

async function obey(path: string, values: URLSearchParams): Promise<object> {
  const url = values.get('url') ?? '';
  const [perSecond, least, most] = ['perSecond', 'least', 'most'].map((name) => Number(values.get(name)));
  if (path === '/fetch') return await ask(url, new Agent());
  if (path === '/load') return await load(url, perSecond ?? 0, { least: least ?? 0, most: most ?? 0 });
  if (path === '/stop') stopped = true;
  return { sent };
}

async function load(url: string, perSecond: number, { least, most }: { least: number; most: number }): Promise<object> {
  [sent, stopped] = [0, false];
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const beganMs = performance.now();
  const lost: string[] = [];
  const running = new Set<Promise<void>>();
  const send = (): void => {
    sent++;
    const done: Promise<void> = ask(url, agent)
      .then(({ status, body }) => (status === 200 ? undefined : `status ${status} ${body}`), String)
      .then((why) => {
        if (why !== undefined) lost.push(`${Math.round(performance.now() - beganMs)} ms: ${why}`);
        running.delete(done);
      });
    running.add(done);
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setInterval(() => {
    if ((stopped && sent >= least) || sent >= most) return resolve();
    const due = Math.min(most, ((performance.now() - beganMs) / 1000) * perSecond);
    for (let missing = Math.floor(due) - sent; missing > 0; missing--) send();
  }, 5);
  await promise;
  clearInterval(timer);
  await Promise.all(running);
  agent.destroy();
  return { sent, lost };
}

function ask(url: string, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, timeout: patienceMs }, (response) => {
      const { statusCode = 0, headers } = response;
      text(response).then((body) => resolve({ status: statusCode, headers, body }), reject);
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${patienceMs} ms`)));
    request.on('error', reject);
  });
}
