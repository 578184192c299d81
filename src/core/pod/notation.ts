// The short notation of this folder's tables, read into records. Tests only.
//
//   –     no status            W     waiting, no history      W+0 / W+≠   waiting, last ended with 0 / not 0
//   W!    waiting because all containers restart              R / R*      running / running and started
//   T0 / T≠ / T42   ended with that exit code                 ok / no     running and ready / running, not ready
import type { PodSpec, RestartPolicy } from './spec.ts';
import type { Instance, RuntimeView } from './state.ts';
import type { ContainerStatus } from './status.ts';

export type Notation = string;

const blank = { image: 'i:1', restartCount: 0, ready: false, started: false } as const;

/** One container's status, or undefined for `–`. */
export function status(name: string, notation: Notation): ContainerStatus | undefined {
  const base = { ...blank, name };
  if (notation === '–') return undefined;
  if (notation === 'W') return { ...base, state: { waiting: { reason: 'PodInitializing' } } };
  if (notation === 'W!') {
    const terminated = { exitCode: 137, reason: 'RestartingAllContainers' };
    return { ...base, state: { waiting: { reason: 'RestartingAllContainers' } }, lastState: { terminated } };
  }
  if (notation.startsWith('W+')) {
    const exitCode = code(notation.slice(2));
    return { ...base, state: { waiting: { reason: 'Held' } }, lastState: { terminated: ended(exitCode) } };
  }
  if (notation.startsWith('T')) return { ...base, state: { terminated: ended(code(notation.slice(1))) } };
  const running = { running: { startedAt: 0 } };
  if (notation === 'R') return { ...base, state: running };
  if (notation === 'R*') return { ...base, state: running, started: true };
  return { ...base, state: running, started: true, ready: notation === 'ok' };
}

export function ended(exitCode: number) {
  return { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' };
}

const code = (text: string): number => (text === '≠' ? 1 : Number(text));

/** `a R, b T0` as a list of statuses; unknown ones are left out. */
export function statuses(text: string): readonly ContainerStatus[] {
  if (text === '') return [];
  return text.split(', ').flatMap((each) => {
    const [name = '', notation = '–'] = each.split(' ');
    const found = status(name, notation);
    return found === undefined ? [] : [found];
  });
}

/**
 * A spec in a line: inits before the bar, mains after it; `s*` is a sidecar, `a:Never` has a container policy, `a:Never!42`
 * restarts all containers at exit 42, `a:Never?1` restarts at 1.
 */
export function spec(text: string, restartPolicy: RestartPolicy = 'Always', more: Partial<PodSpec> = {}): PodSpec {
  const [inits = '', mains = ''] = text.includes('|') ? text.split('|') : ['', text];
  return { restartPolicy, initContainers: containers(inits), containers: containers(mains), ...more };
}

function containers(text: string) {
  return text.split(' ').flatMap((word) => {
    const found = /^(\w+)(\*?)(?::(\w+))?(?:([!?])(\d+))?$/.exec(word);
    if (found === null) return [];
    const [, name = '', star, policy, mark, exit] = found;
    const own = star ? 'Always' : policy;
    const action = mark === '!' ? ('RestartAllContainers' as const) : ('Restart' as const);
    const exitCodes = { operator: 'In' as const, values: [Number(exit)] };
    return [
      {
        name,
        image: 'i:1',
        ...(own === undefined ? {} : { restartPolicy: own as RestartPolicy }),
        ...(mark === undefined ? {} : { restartPolicyRules: [{ action, exitCodes }] }),
      },
    ];
  });
}

/** Runs of containers, newest first: `a R`, `a T1`, `a C` (created), `a U` (unknown); `a@1` lives in sandbox 1. */
export function runs(text: string): readonly Instance[] {
  if (text === '') return [];
  return text.split(', ').map((each, index) => {
    const [full = '', notation = 'R'] = each.split(' ');
    const [container = '', sandbox = '0'] = full.split('@');
    return {
      id: `${container}/${index}`,
      container,
      state: stateOf(notation),
      restartCount: 0,
      sandbox: `sandbox/${sandbox}`,
      image: 'i:1',
      resources: undefined,
      containerID: undefined,
      startedAtMs: 0,
      finishedAtMs: 0,
      exitCode: notation.startsWith('T') ? code(notation.slice(1)) : 0,
      signal: undefined,
      reason: notation.startsWith('T') ? ended(code(notation.slice(1))).reason : undefined,
      message: undefined,
    };
  });
}

function stateOf(notation: string): Instance['state'] {
  if (notation === 'C') return 'created';
  if (notation === 'U') return 'unknown';
  return notation.startsWith('T') ? 'exited' : 'running';
}

/** `none`, `0` or `1` ready with an address; `0-` not ready. */
export function view(sandbox: string, text: string): RuntimeView {
  if (sandbox === 'none') return { sandboxes: [], instances: runs(text) };
  const attempt = Number.parseInt(sandbox, 10);
  const ready = !sandbox.endsWith('-');
  const one = { id: `sandbox/${attempt}`, attempt, ready, ip: '10.0.0.9', hostNetwork: false, stopped: false };
  return { sandboxes: [one], instances: runs(text) };
}
