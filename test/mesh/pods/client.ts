// A client in a pod, told from outside what to ask for: the port of its orders is excluded from interception, its requests are not.
//   /fetch?url=URL                                                         one request: its status, headers and body
//   /load?name=NAME&kind=KIND&url=URL&perSecond=N&least=COUNT&most=COUNT   calls (callers.ts) begin, until stopped; several loads at once
//   /progress?name=NAME                                                    how many calls were made, why some were lost, and whether it goes on
//   /stop?name=NAME                                                        the load ends, once the least is made
//   /report?of=JSON                                                        an application tells how it fared; /reports gives all of them
// On another port, which is intercepted, it answers who calls.
import { Agent, createServer } from 'node:http';
import { ask, type Caller, callerOf, type Kind } from './callers.ts';

interface Load {
  running: boolean;
  sent: number;
  readonly lost: string[];
  stopped: boolean;
}

/** What a machine that stood still has missed is not made up for: a storm would follow, and be measured. */
const stallMs = 100;
const mostAtOnce = 400;

const loads = new Map<string, Load>();
const reports: unknown[] = [];

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://client');
  response.setHeader('connection', 'close'); // orders are rare, and a kept connection may end under the next one
  obey(pathname, searchParams).then(
    (result) => response.end(JSON.stringify(result)),
    (error: unknown) => response.writeHead(502).end(JSON.stringify({ error: String(error) })),
  );
}).listen(9000);
createServer((_request, response) => response.end('heard')).listen(9001);
process.on('SIGTERM', () => process.exit(0));

async function obey(path: string, values: URLSearchParams): Promise<object> {
  const [name, url] = [values.get('name') ?? '', values.get('url') ?? ''];
  switch (path) {
    case '/fetch':
      return await ask(url, new Agent());
    case '/load':
      load(name, callerOf(values.get('kind') as Kind, url), values);
      return {};
    case '/report':
      return { reports: reports.push(JSON.parse(values.get('of') ?? '')) };
    case '/reports':
      return reports;
    case '/stop':
      loadOf(name).stopped = true;
      return {};
    case '/progress':
      return loadOf(name);
    default:
      throw new Error(`no such order: ${path}`);
  }
}

function loadOf(name: string): Load {
  const found = loads.get(name);
  if (found === undefined) throw new Error(`no such load: ${name}`);
  return found;
}

function load(name: string, caller: Caller, values: URLSearchParams): void {
  const [perSecond = 0, least = 0, most = 0] = ['perSecond', 'least', 'most'].map((key) => Number(values.get(key)));
  const state: Load = { running: true, sent: 0, lost: [], stopped: false };
  loads.set(name, state);
  const beganMs = performance.now();
  const running = new Set<Promise<void>>();
  const passedMs = (): number => Math.round(performance.now() - beganMs);
  const send = (): void => {
    const atMs = passedMs();
    state.sent++;
    const done: Promise<void> = caller.call().then(
      () => void running.delete(done),
      (error: unknown) => {
        state.lost.push(`sent at ${atMs} ms, lost at ${passedMs()} ms: ${String(error)}`);
        running.delete(done);
      },
    );
    running.add(done);
  };
  let [lastMs, due] = [performance.now(), 0];
  const timer = setInterval(() => {
    const nowMs = performance.now();
    due += (Math.min(nowMs - lastMs, stallMs) / 1000) * perSecond;
    lastMs = nowMs;
    for (; due >= 1 && running.size < mostAtOnce && state.sent < most; due--) send();
    due = Math.min(due, 1);
    const enough = (state.stopped && state.sent >= least) || state.sent >= most;
    if (enough) return (clearInterval(timer), void Promise.all(running).then(end));
  }, 5);
  const end = (): void => {
    caller.close();
    state.running = false;
  };
}
