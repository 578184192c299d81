// Probes and hooks of the application that the injector moved to the status server: ISTIO_KUBE_APP_PROBERS, a JSON map from
// path to handler. Owns what such a map may hold; all its problems are told at once. A handler's `host` and
// headers are no matter here: the kubelet has found this pod by the one and sends the others itself. Source: Istio's pilot/cmd/pilot-agent/status/server.go.
import type { Problem } from '../std/errors.ts';

export type AppProbe = { readonly timeoutMs: number | undefined } & (
  | {
      readonly kind: 'http';
      readonly port: number;
      readonly path: string;
      readonly tls: boolean;
    }
  | { readonly kind: 'tcp'; readonly port: number }
  | { readonly kind: 'grpc'; readonly port: number; readonly service: string }
);

const pathForm = /^\/(?:app-health|app-lifecycle)\/[^/]+\/(?:livez|readyz|startupz|prestopz|poststartz)$/;

/** Parses the map. An empty text is an empty map. */
export function parseAppProbes(text: string): {
  readonly probes: ReadonlyMap<string, AppProbe>;
  readonly problems: readonly Problem[];
} {
  const probes = new Map<string, AppProbe>();
  const problems: Problem[] = [];
  if (text.trim() === '') return { probes, problems };
  const map = parseObject(text);
  if (map === undefined) return { probes, problems: [problem('', 'ISTIO_KUBE_APP_PROBERS is not a JSON map')] };
  for (const [path, handler] of Object.entries(map)) {
    if (!pathForm.test(path)) problems.push(problem(path, 'no path of a probe or hook of the application'));
    const probe = parseProbe(objectOf(handler));
    if (typeof probe === 'string') problems.push(problem(path, probe));
    else probes.set(path, probe);
  }
  return { probes, problems };
}

function parseProbe(handler: JsonObject): AppProbe | string {
  const kinds = ['httpGet', 'tcpSocket', 'grpc'].filter(
    (kind) => handler[kind] !== undefined && handler[kind] !== null,
  );
  if (kinds.length !== 1) return `${kinds.length} handlers instead of one of httpGet, tcpSocket, grpc`;
  const target = objectOf(handler[kinds[0] ?? '']);
  const { port } = target;
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65_535)
    return `port ${JSON.stringify(port)} is not a number from 1 to 65535`;
  const seconds = handler['timeoutSeconds'];
  const timeoutMs = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined;
  switch (kinds[0]) {
    case 'httpGet':
      return { kind: 'http', port, timeoutMs, ...httpParts(target) };
    case 'tcpSocket':
      return { kind: 'tcp', port, timeoutMs };
    default:
      return { kind: 'grpc', port, timeoutMs, service: textOf(target['service']) ?? '' };
  }
}

function httpParts(target: JsonObject): Pick<Extract<AppProbe, { kind: 'http' }>, 'path' | 'tls'> {
  const path = textOf(target['path']) ?? '';
  return {
    path: path.startsWith('/') ? path : `/${path}`,
    tls: textOf(target['scheme'])?.toUpperCase() === 'HTTPS',
  };
}

type JsonObject = Readonly<Record<string, unknown>>;

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function problem(path: string, message: string): Problem {
  return { code: 'app-probe-invalid', severity: 'error', message, ...(path === '' ? {} : { path }) };
}
