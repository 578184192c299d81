// The health of a workload outside Kubernetes, where no kubelet probes it: the readiness probe of its ProxyConfig, and when its result is told to
// the control plane. Owns defaults and thresholds; performs nothing. After Istio's pkg/istio-agent/health.
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from '../std/json.ts';
import type { Health } from './stream.ts';

export type HealthCheck =
  | {
      readonly kind: 'http';
      /** Empty: the workload's own address; so in the other kinds. */
      readonly host: string;
      readonly port: number;
      readonly path: string;
      readonly tls: boolean;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'grpc'; readonly port: number; readonly service: string }
  | { readonly kind: 'exec'; readonly command: readonly string[] };

export interface HealthPolicy {
  readonly check: HealthCheck;
  readonly initialDelayMs: number;
  readonly periodMs: number;
  readonly timeoutMs: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

/** Of `readinessProbe` in a ProxyConfig; undefined: there is none, or none that can be performed. */
export function healthPolicyOf(proxyConfig: JsonObject): HealthPolicy | undefined {
  const probe = objectAt(proxyConfig, 'readinessProbe');
  const check = checkOf(probe);
  if (check === undefined) return undefined;
  // As Kubernetes' defaults, but for the failure threshold, which is one here.
  const at = (key: string, unset: number): number => positive(probe[key]) ?? unset;
  return {
    check,
    initialDelayMs: at('initialDelaySeconds', 0) * 1000,
    periodMs: at('periodSeconds', 10) * 1000,
    timeoutMs: at('timeoutSeconds', 1) * 1000,
    successThreshold: at('successThreshold', 1),
    failureThreshold: at('failureThreshold', 1),
  };
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}

function checkOf(probe: JsonObject): HealthCheck | undefined {
  const { httpGet, tcpSocket, grpc, exec } = probe;
  if (isObject(httpGet)) return httpOf(httpGet);
  if (isObject(tcpSocket)) return { kind: 'tcp', host: textAt(tcpSocket, 'host') ?? '', port: portIn(tcpSocket) };
  if (isObject(grpc)) return { kind: 'grpc', port: portIn(grpc), service: textAt(grpc, 'service') ?? '' };
  const command = isObject(exec) && Array.isArray(exec['command']) ? exec['command'] : [];
  const words = command.filter((word) => typeof word === 'string');
  return words.length > 0 ? { kind: 'exec', command: words } : undefined;
}

/** Istio compares the scheme with HTTPS after it was made lower case, and never finds it; here `HTTPS` is HTTPS. */
function httpOf(http: JsonObject): HealthCheck {
  const headers = objectsAt(http, 'httpHeaders').map((header) => [
    (textAt(header, 'name') ?? '').toLowerCase(),
    textAt(header, 'value') ?? '',
  ]);
  const path = textAt(http, 'path') ?? '';
  return {
    kind: 'http',
    host: textAt(http, 'host') ?? '',
    port: portIn(http),
    path: path.startsWith('/') ? path : `/${path}`,
    tls: (textAt(http, 'scheme') ?? '').toLowerCase() === 'https',
    headers: { 'user-agent': 'istio-probe/1.0', ...Object.fromEntries(headers) },
  };
}

function portIn(check: JsonObject): number {
  return positive(check['port']) ?? 0;
}

export interface HealthState {
  readonly told: Health['kind'] | 'nothing';
  /** Results of one kind in a row. */
  readonly row: { readonly kind: Health['kind']; readonly count: number };
}

export const unknownHealth: HealthState = { told: 'nothing', row: { kind: 'healthy', count: 0 } };

/** The next state, and what is to be told now. */
export function healthStep(
  policy: HealthPolicy,
  { told, row }: HealthState,
  result: Health,
): readonly [HealthState, Health | undefined] {
  const count = row.kind === result.kind ? row.count + 1 : 1;
  const threshold = result.kind === 'healthy' ? policy.successThreshold : policy.failureThreshold;
  const isNews = count >= threshold && told !== result.kind;
  return [{ told: isNews ? result.kind : told, row: { kind: result.kind, count } }, isNews ? result : undefined];
}
