// Hooks and the stop signal of a container.

import type { Problem } from '../../std/errors.ts';
import type { Gates } from '../policy.ts';
import { type Fields, forbidden, type Kind, object, remark, shapeProblems, text, unsupported } from './field.ts';
import { handlerProblems, hookHandlers } from './handler.ts';

const shape: Readonly<Record<string, Kind>> = { postStart: 'object', preStop: 'object', stopSignal: 'text' };
const hookShape: Readonly<Record<string, Kind>> = {
  exec: 'object',
  httpGet: 'object',
  tcpSocket: 'object',
  sleep: 'object',
};

const plainSignals =
  'ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ RTMIN RTMAX';
const realTime = [
  ...Array.from({ length: 15 }, (_, i) => `RTMIN+${i + 1}`),
  ...Array.from({ length: 14 }, (_, i) => `RTMAX-${i + 1}`),
];
/** The stop signals of Linux: 65, real-time ones included. */
export const linuxSignals: readonly string[] = [...plainSignals.split(' '), ...realTime]
  .map((name) => `SIG${name}`)
  .sort();
const windowsSignals: readonly string[] = ['SIGKILL', 'SIGTERM'];

export interface HookSurroundings {
  /** The pod's grace period after defaulting; undefined where it cannot be known. */
  readonly graceSeconds: number | undefined;
  readonly osName: string | undefined;
  readonly gates: Gates;
}

/** Problems of `lifecycle` of one container. */
export function hookProblems(path: string, container: Fields, around: HookSurroundings): readonly Problem[] {
  const lifecycle = object(container, 'lifecycle');
  if (lifecycle === undefined) return [];
  const at = `${path}.lifecycle`;
  return [
    ...shapeProblems(at, lifecycle, shape),
    ...['postStart', 'preStop'].flatMap((name) => oneHook(`${at}.${name}`, object(lifecycle, name), around)),
    ...stopSignalProblems(`${at}.stopSignal`, text(lifecycle, 'stopSignal'), around),
  ];
}

function oneHook(path: string, hook: Fields | undefined, around: HookSurroundings): readonly Problem[] {
  if (hook === undefined) return [];
  return [...shapeProblems(path, hook, hookShape), ...handlerProblems(path, hook, hookHandlers, around)];
}

function stopSignalProblems(path: string, signal: string | undefined, around: HookSurroundings): readonly Problem[] {
  if (signal === undefined) return [];
  if (!around.gates.ContainerStopSignals)
    return [
      remark(
        path,
        'dropped: the feature gate ContainerStopSignals is off',
        '--feature-gates ContainerStopSignals=true',
      ),
    ];
  if (around.osName === undefined) return [forbidden(path, 'may not be set for containers with empty `spec.os.name`')];
  const supported = around.osName === 'windows' ? windowsSignals : linuxSignals;
  return supported.includes(signal) ? [] : [unsupported(path, signal, supported)];
}
