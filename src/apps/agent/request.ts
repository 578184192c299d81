// `request METHOD PATH [BODY]`: one request to the agent or to Envoy's administration, for hooks and for istioctl, which reads
// the printed body. Only the proxy's own ports may be asked; upstream's list lacks the annotated status port, and so a native
// sidecar's preStop never drained there (istio/istio pilot/pkg/request/command.go).
import { effectiveProxyConfig, parseDownwardApi } from '../../core/proxy/index.ts';
import type { Host } from '../../ports/host.ts';
import { port } from './kinds.ts';
import { readTable } from './table.ts';

export const requestTable = {
  debugPort: port('15000', {
    flag: 'debug-port',
    doc: 'port to ask: 15000, 15004, 15020, 15021 or the status port of this proxy',
  }),
};

const ownPorts: readonly number[] = [15_000, 15_004, 15_020, 15_021];
const timeoutMs = 60_000;

/** 0 with the body on stdout; 1 for an answer above 399 other than 404; 69 without an answer; 2 for a wrong call. */
export async function runRequest(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  host: Host,
): Promise<number> {
  const { values, words, errors } = readTable(requestTable, args, {});
  const [method, path, body] = words;
  const { config } = effectiveProxyConfig({
    environmentYaml: env['PROXY_CONFIG'],
    annotations: parseDownwardApi(host.files.read('./etc/istio/pod/annotations') ?? ''),
  });
  const problems = [...errors];
  if (method === undefined || path === undefined) problems.push('what to ask is missing: request METHOD PATH [BODY]');
  const allowed = [...new Set([...ownPorts, config.statusPort])];
  if (!allowed.includes(values.debugPort))
    problems.push(`--debug-port ${values.debugPort}: none of the proxy's ports (${allowed.join(', ')})`);
  for (const problem of problems) host.complain(`error: ${problem}`);
  if (method === undefined || path === undefined || problems.length > 0) return 2;
  const answer = await host.net.fetch({
    method,
    host: 'localhost',
    port: values.debugPort,
    path: path.startsWith('/') ? path : `/${path}`,
    timeoutMs,
    maxBytes: 2 ** 30,
    ...(body === undefined ? {} : { body }),
  });
  if (answer.kind === 'failed') {
    host.complain(`error: nobody answers at port ${values.debugPort}; is the proxy up? ${answer.problem}`);
    return 69;
  }
  const text = new TextDecoder().decode(answer.body);
  if (answer.status > 399 && answer.status !== 404) {
    host.complain(`error: status ${answer.status}: ${text}`);
    return 1;
  }
  host.print(text);
  return 0;
}
