// Ports by name: probes and hooks may name a container's port instead of numbering it.
import type { Container } from '../pod/index.ts';
import { containerSetup } from './shape.ts';

/** The number of a port given by number, digits or name; undefined where the container declares no such name. */
export function portNumber(container: Container, port: number | string): number | undefined {
  if (typeof port === 'number') return port;
  if (/^\d+$/.test(port)) return Number(port);
  return containerSetup(container).ports.find(({ name }) => name === port)?.containerPort;
}
