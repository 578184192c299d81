// What a probe or a hook does: exactly one handler of its kind, each with the fields that it needs.

import type { Problem } from '../../std/errors.ts';
import type { Gates } from '../policy.ts';
import {
  type Fields,
  forbidden,
  has,
  int,
  invalid,
  type Kind,
  list,
  object,
  own,
  required,
  shapeProblems,
  text,
  unsupported,
} from './field.ts';
import { portProblems } from './names.ts';

const shapes: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  exec: { command: 'texts' },
  httpGet: {
    path: 'text',
    port: 'int-or-text',
    host: 'text',
    scheme: 'text',
    httpHeaders: 'objects',
    protocol: 'text',
  },
  tcpSocket: { port: 'int-or-text', host: 'text' },
  grpc: { port: 'int', service: 'text', mode: 'text' },
  sleep: { seconds: 'int' },
};

export const probeHandlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'] as const;
export const hookHandlers = ['exec', 'httpGet', 'tcpSocket', 'sleep'] as const;

/** Problems of the handlers below `path`; `check` adds what a kind needs beyond its shape. */
export function handlerProblems(
  path: string,
  owner: Fields,
  kinds: readonly string[],
  sleep: { readonly graceSeconds: number | undefined; readonly gates: Gates },
): readonly Problem[] {
  const set = kinds.filter((kind) => has(owner, kind));
  if (set.length === 0) return [required(path, 'must specify a handler type')];
  return set.flatMap((kind, index) => {
    const handler = object(owner, kind);
    const at = `${path}.${kind}`;
    if (index > 0) return [forbidden(at, 'may not specify more than 1 handler type')];
    if (handler === undefined) return [];
    const shape = shapeProblems(at, handler, shapes[kind] ?? {});
    if (kind === 'sleep')
      return [...shape, ...sleepProblems(at, int(handler, 'seconds') ?? 0, sleep.graceSeconds, sleep.gates)];
    return [...shape, ...contentProblems(at, kind, handler)];
  });
}

/**
 * A sleep of a hook: 0 (or 1 before PodLifecycleSleepActionAllowZero) to the pod's grace period. No grace period at all allows
 * only 0; on a whole pod the API server has filled in 30 before.
 */
export function sleepProblems(
  path: string,
  seconds: number,
  graceSeconds: number | undefined,
  gates: Gates,
): readonly Problem[] {
  const zero = gates.PodLifecycleSleepActionAllowZero;
  const most = graceSeconds ?? 0;
  if (seconds <= most && (zero ? seconds >= 0 : seconds > 0)) return [];
  const least = zero ? 'non-negative' : 'greater than 0';
  return [invalid(path, seconds, `must be ${least} and less than terminationGracePeriodSeconds (${most})`)];
}

function contentProblems(path: string, kind: string, handler: Fields): readonly Problem[] {
  switch (kind) {
    case 'exec':
      return list(handler, 'command').length === 0 ? [required(`${path}.command`)] : [];
    case 'httpGet':
      return httpProblems(path, handler);
    case 'grpc':
      return [
        ...portProblems(`${path}.port`, own(handler, 'port')),
        ...oneOf(path, handler, 'mode', ['Plaintext', 'TLS']),
      ];
    default:
      return portProblems(`${path}.port`, own(handler, 'port'));
  }
}

function httpProblems(path: string, handler: Fields): readonly Problem[] {
  const headers = list(handler, 'httpHeaders').flatMap((header, index) => {
    const name = (header as Fields | null)?.['name'];
    return typeof name === 'string' && /^[-A-Za-z0-9]+$/.test(name)
      ? []
      : [invalid(`${path}.httpHeaders[${index}]`, name, 'must be the name of an HTTP header')];
  });
  return [
    ...portProblems(`${path}.port`, own(handler, 'port')),
    ...oneOf(path, handler, 'scheme', ['HTTP', 'HTTPS']),
    ...oneOf(path, handler, 'protocol', ['HTTP1', 'HTTP2']),
    ...headers,
  ];
}

function oneOf(path: string, handler: Fields, name: string, supported: readonly string[]): readonly Problem[] {
  const value = text(handler, name);
  return value === undefined || supported.includes(value) ? [] : [unsupported(`${path}.${name}`, value, supported)];
}
