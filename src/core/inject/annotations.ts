// The pod annotations that injection reads, checked before anything is rendered (istio/istio pkg/kube/inject/validate.go): all problems at once.

import { type JsonObject, textAt } from '../std/json.ts';
import { InjectError } from './error.ts';
import { parseMesh, proxyConfigOf, withProxyConfig } from './mesh.ts';
import { canonicalQuantity } from './schema/quantity.ts';

/** What is wrong with a value; undefined for nothing. */
type Check = (value: string) => string | undefined;

const checks: Readonly<Record<string, Check>> = {
  'sidecar.istio.io/interceptionMode': (value) => {
    return ['REDIRECT', 'TPROXY', 'NONE'].includes(value)
      ? undefined
      : `interceptionMode invalid, use REDIRECT,TPROXY,NONE: ${value}`;
  },
  'status.sidecar.istio.io/port': (value) => port(value) && `status port invalid: ${port(value)}`,
  'readiness.status.sidecar.istio.io/initialDelaySeconds': uint32,
  'readiness.status.sidecar.istio.io/periodSeconds': uint32,
  'readiness.status.sidecar.istio.io/failureThreshold': uint32,
  'traffic.sidecar.istio.io/includeOutboundIPRanges': (value) =>
    value === '*' ? undefined : cidrs('includeIPRanges', value),
  'traffic.sidecar.istio.io/excludeOutboundIPRanges': (value) => cidrs('excludeIPRanges', value),
  'traffic.sidecar.istio.io/includeInboundPorts': (value) =>
    value === '*' ? undefined : ports('includeInboundPorts', value),
  'traffic.sidecar.istio.io/excludeInboundPorts': (value) => ports('excludeInboundPorts', value),
  'traffic.sidecar.istio.io/excludeOutboundPorts': (value) => ports('excludeOutboundPorts', value),
  'traffic.sidecar.istio.io/excludeInterfaces': interfaces,
  'traffic.sidecar.istio.io/kubevirtInterfaces': interfaces,
  'istio.io/reroute-virtual-interfaces': interfaces,
  'prometheus.istio.io/merge-metrics': (value) => (parseGoBool(value) === undefined ? 'want true or false' : undefined),
  'proxy.istio.io/config': proxyConfig,
  'sidecar.istio.io/proxyCPU': quantity,
  'sidecar.istio.io/proxyMemory': quantity,
  'sidecar.istio.io/proxyCPULimit': quantity,
  'sidecar.istio.io/proxyMemoryLimit': quantity,
};

/** @throws InjectError with every annotation whose value is not legal */
export function checkAnnotations(annotations: Readonly<Record<string, string>>): void {
  const problems: string[] = [];
  for (const name of Object.keys(annotations).sort()) {
    const value = annotations[name] ?? '';
    const problem = Object.hasOwn(checks, name) ? checks[name]?.(value) : undefined;
    if (problem !== undefined) problems.push(`invalid value '${value}' for annotation '${name}': ${problem}`);
  }
  if (problems.length > 0) throw new InjectError(problems.join('; '));
}

/** Go's strconv.ParseBool; undefined for what it refuses. */
export function parseGoBool(text: string): boolean | undefined {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  return ['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text) ? false : undefined;
}

function port(text: string): string | undefined {
  const trimmed = text.trim();
  return /^\d+$/.test(trimmed) && Number(trimmed) <= 65535 ? undefined : `failed parsing port '${text}'`;
}

function ports(name: string, list: string): string | undefined {
  if (list.trim() === '') return undefined;
  const problem = list
    .split(',')
    .map(port)
    .find((each) => each !== undefined);
  return problem === undefined ? undefined : `${name} invalid: ${problem}`;
}

function uint32(text: string): string | undefined {
  return /^\d+$/.test(text) && Number(text) < 2 ** 32 ? undefined : 'want a whole number';
}

function cidrs(name: string, list: string): string | undefined {
  if (list === '') return undefined;
  const broken = list.split(',').find((cidr) => !isPrefix(cidr));
  return broken === undefined ? undefined : `${name} invalid: failed parsing cidr '${broken}'`;
}

function isPrefix(text: string): boolean {
  const [, address = '', bits = ''] = /^(.*)\/(0|[1-9]\d*)$/.exec(text) ?? [];
  if (bits === '') return false;
  return address.includes(':') ? Number(bits) <= 128 && isV6(address) : Number(bits) <= 32 && isV4(address);
}

function isV4(address: string): boolean {
  const parts = address.split('.');
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

function isV6(address: string): boolean {
  const halves = address.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const tail = last.includes('.') ? 2 : 1;
  const count = groups.length === 0 ? 0 : groups.length - 1 + tail;
  const legal = groups.every(
    (group, i) => /^[0-9a-fA-F]{1,4}$/.test(group) || (i === groups.length - 1 && isV4(group)),
  );
  return legal && (halves.length === 2 ? count < 8 : count === 8);
}

function interfaces(list: string): string | undefined {
  if (list === '') return undefined;
  for (const name of list.split(',').map((each) => each.trim())) {
    if (name === '') return 'empty interface name';
    if (name.length > 15) return `interface name "${name}" too long (max 15 chars)`;
    if (!/^[a-zA-Z][a-zA-Z0-9_.-]*$/.test(name)) return `interface name "${name}" contains invalid characters`;
  }
  return undefined;
}

function quantity(text: string): string | undefined {
  if (/\p{Cc}/u.test(text)) return 'value contains control characters';
  return canonicalQuantity(text) === undefined ? 'not a quantity' : undefined;
}

function proxyConfig(yaml: string): string | undefined {
  try {
    return checkProxyConfig(proxyConfigOf(withProxyConfig(parseMesh(''), yaml)));
  } catch (error) {
    if (error instanceof InjectError) return error.message;
    throw error;
  }
}

/** What would keep the agent from starting. */
function checkProxyConfig(config: JsonObject): string | undefined {
  for (const name of ['configPath', 'binaryPath', 'discoveryAddress']) if (!config[name]) return `${name} must be set`;
  if (!config['serviceCluster'] && config['tracingServiceName'] === undefined) return 'serviceCluster must be set';
  if (!/^.+:\d+$/.test(textAt(config, 'discoveryAddress') ?? '')) return 'discoveryAddress: want host:port';
  for (const name of ['proxyAdminPort', 'statusPort']) {
    const number = Number(config[name] ?? 0);
    if (number < 1 || number > 65535) return `${name}: want a port from 1 to 65535`;
  }
  const drain = textAt(config, 'drainDuration') ?? '';
  if (!/^[1-9]\d*s$/.test(drain)) return 'drainDuration: want whole seconds, at least one';
  return undefined;
}
