// The application's TCP ports, as the injector writes them into ISTIO_META_POD_PORTS: a JSON list of container ports.
// Refuses to guess: what is no such list is a problem, never a port.

type PodPorts =
  | { readonly kind: 'ports'; readonly tcp: readonly number[] }
  | { readonly kind: 'invalid'; readonly problem: string };

export const podPortsVariable = 'ISTIO_META_POD_PORTS';

/** TCP is Kubernetes' default protocol; an empty text means no ports. Sorted, each once. */
export function parsePodPorts(text: string): PodPorts {
  if (text.trim() === '') return { kind: 'ports', tcp: [] };
  const list = parseJson(text);
  if (!Array.isArray(list)) return { kind: 'invalid', problem: `${podPortsVariable} is not a JSON list` };
  const tcp = new Set<number>();
  for (const entry of list as readonly unknown[]) {
    const { containerPort, protocol = 'TCP' } = (entry ?? {}) as { containerPort?: unknown; protocol?: unknown };
    if (
      typeof containerPort !== 'number' ||
      !Number.isInteger(containerPort) ||
      containerPort < 1 ||
      containerPort > 65535
    )
      return { kind: 'invalid', problem: `${podPortsVariable} holds no port: ${JSON.stringify(entry)}` };
    if (protocol === 'TCP') tcp.add(containerPort);
  }
  return { kind: 'ports', tcp: [...tcp].sort((a, b) => a - b) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
