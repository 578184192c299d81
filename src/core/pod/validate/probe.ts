// Probes: bounds of their numbers and what each kind forbids.

import type { Problem } from '../../std/errors.ts';
import type { Gates } from '../policy.ts';
import { type Fields, forbidden, int, invalid, type Kind, nonNegative, object, shapeProblems } from './field.ts';
import { handlerProblems, probeHandlers } from './handler.ts';

export const probeFields = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const numbers = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];
const shape: Readonly<Record<string, Kind>> = {
  exec: 'object',
  httpGet: 'object',
  tcpSocket: 'object',
  grpc: 'object',
  terminationGracePeriodSeconds: 'int',
  ...Object.fromEntries(numbers.map((name) => [name, 'int32' as const])),
};

/** Problems of a container's three probes. */
export function probeProblems(path: string, container: Fields, gates: Gates): readonly Problem[] {
  return probeFields.flatMap((name) => {
    const probe = object(container, name);
    return probe === undefined ? [] : oneProbe(`${path}.${name}`, name, probe, gates);
  });
}

function oneProbe(path: string, name: (typeof probeFields)[number], probe: Fields, gates: Gates): readonly Problem[] {
  return [
    ...shapeProblems(path, probe, shape),
    ...handlerProblems(path, probe, probeHandlers, { graceSeconds: undefined, gates }),
    ...numbers.flatMap((field) => nonNegative(`${path}.${field}`, int(probe, field))),
    ...thresholdProblems(path, name, probe),
    ...graceProblems(path, name, probe),
  ];
}

function thresholdProblems(path: string, name: string, probe: Fields): readonly Problem[] {
  const threshold = int(probe, 'successThreshold') ?? 0;
  if (name === 'readinessProbe' || threshold <= 0 || threshold === 1) return [];
  return [invalid(`${path}.successThreshold`, threshold, 'must be 1')];
}

function graceProblems(path: string, name: string, probe: Fields): readonly Problem[] {
  const at = `${path}.terminationGracePeriodSeconds`;
  const grace = int(probe, 'terminationGracePeriodSeconds');
  if (grace === undefined) return [];
  return [
    ...(name === 'readinessProbe' ? [forbidden(at, 'must not be set for readinessProbes')] : []),
    ...(grace <= 0 ? [invalid(at, grace, 'must be greater than 0')] : []),
  ];
}
