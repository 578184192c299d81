// Inside a network namespace whose loopback has the address of metadata servers: such a server for each case, asked by Istio's own code (the program of
// ./istio-bootstrap, first argument; its template, second) and by ours. Prints what either made of the answers, a line a case.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { nodeNet } from '../../src/adapters/node/net.ts';
import { discoverPlatform } from '../../src/apps/agent/bootstrap/platform.ts';
import { fakeHost } from '../../src/apps/agent/fake-host.ts';
import { azureAnswers, type Cloudy, clouds } from './platform-cases.ts';

interface Told {
  readonly metadata: object;
  readonly locality: object;
}

interface Pair {
  readonly istio: Told;
  readonly ours: Told;
}

const [oracle = '', template = ''] = process.argv.slice(2);

/** Path to answer; everything else is 404. */
function serve(answers: Cloudy['answers']): Promise<Server> {
  const server = createServer(({ method, url = '' }, response) => {
    const answer = answers[`${method} ${url}`] ?? answers[url];
    response.setHeader('Metadata-Flavor', 'Google');
    response.statusCode = answer === undefined ? 404 : url === azureAnswers.versions ? 400 : 200;
    response.end(answer ?? 'not found');
  });
  return new Promise((resolve) => server.listen(80, '169.254.169.254', () => resolve(server)));
}

async function istio(env: Cloudy['env']): Promise<Told> {
  const cwd = mkdtempSync(join(tmpdir(), 'platform-'));
  const given = { template, id: 'sidecar~10.0.0.7~a.b~c', addresses: ['10.0.0.7'], socketFile: 'socket' };
  try {
    const { stdout } = await promisify(execFile)(oracle, [JSON.stringify(given)], { cwd, env, maxBuffer: 1 << 26 });
    const { bootstrap, error = '' } = JSON.parse(stdout) as { readonly bootstrap?: string; readonly error?: string };
    if (bootstrap === undefined) throw new Error(error);
    const { node } = JSON.parse(bootstrap.replace(/,(\s*[}\]])/g, '$1')) as {
      readonly node: { readonly metadata: { readonly PLATFORM_METADATA?: object }; readonly locality?: object };
    };
    return { metadata: node.metadata.PLATFORM_METADATA ?? {}, locality: node.locality ?? {} };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

async function ours(env: Cloudy['env']): Promise<Told> {
  const host = { ...fakeHost(), net: nodeNet };
  const { metadata, locality } = await discoverPlatform({
    host,
    env,
    told: env['CLOUD_PLATFORM'] ?? '',
    addresses: ['10.0.0.7'],
  });
  return { metadata, locality };
}

const endMs = performance.now() + 120_000;

/** Both give a server a moment only, and a busy machine may take longer: then they are asked again. What really differs stays so. */
function isAnswered({ istio: theirs, ours: own }: Pair, { env, answers }: Pick<Cloudy, 'env' | 'answers'>): boolean {
  const isSilent = Object.keys(answers).length === 0 || env['CLOUD_PLATFORM'] === 'none';
  return isDeepStrictEqual(theirs, own) && (isSilent || Object.keys(theirs.metadata).length > 0);
}

for (const { what, env, answers } of clouds) {
  const server = await serve(answers);
  let told = { istio: await istio(env), ours: await ours(env) };
  while (!isAnswered(told, { env, answers }) && performance.now() < endMs)
    told = { istio: await istio(env), ours: await ours(env) };
  process.stdout.write(`${JSON.stringify({ what, ...told })}\n`);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
