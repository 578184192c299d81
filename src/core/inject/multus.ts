// The annotation of the multus meta-plugin: a network is appended to the list that is there, in its form (names or JSON).
import { isObject, type JsonValue } from '../std/json.ts';

/** The list with the network; as it is where it has it already or is broken JSON. */
export function appendMultusNetwork(existing: string, network: string): string {
  if (existing === '') return network;
  const end = existing.lastIndexOf(']');
  if (end >= 0) return appendJson(existing, network, end);
  const present = existing.split(',').some((name) => name.trim() === network);
  return present ? existing : `${existing}, ${network}`;
}

function appendJson(existing: string, network: string, end: number): string {
  const slash = network.indexOf('/');
  const [namespace, name] = slash < 0 ? ['', network] : [network.slice(0, slash), network.slice(slash + 1)];
  const networks = parse(existing);
  const known = networks?.some(
    (each) => isObject(each) && each['name'] === name && (each['namespace'] ?? '') === namespace,
  );
  if (networks === undefined || known === true) return existing;
  const item = namespace === '' ? `{"name": "${name}"}` : `{"name": "${name}", "namespace": "${namespace}"}`;
  return `${existing.slice(0, end)}, ${item}${existing.slice(end)}`;
}

function parse(text: string): JsonValue[] | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
