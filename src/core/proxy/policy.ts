// What an agent was told about the end of its Envoy, settled once at start: which drain, how long at most, and which of
// Fairway's improvements over Istio's agent are on. Refuses to read flags or environment; the agent's table does that.

/** What Fairway does otherwise than Istio's agent. Each can be left out by name; `--compat istio` leaves all out. */
export const improvementDocs = {
  'drain-deadline': 'a drain ends before the grace period does, whatever the counters say',
  'wait-for-app':
    "Envoy stays until the application's processes have ended or its TCP ports refuse, so that it can still call out while it shuts down",
  'listeners-by-address':
    "address and port tell the agent's own listeners, not literal names, which miss IPv6 and loopback",
  'missing-counter':
    'a counter that a custom bootstrap may not emit means "wait for the drain duration", not "stop at once"',
  'exit-on-zero': '`--exit-on-zero` is heeded: requests as well as connections, which idle ones would hold',
  'prompt-exit':
    'with exit on zero, the counters are looked at up to four times a second, and what was active must be gone twice in a row; Istio looks once a second',
  'finish-after-drain': 'after /drain, SIGTERM still waits for the last connection where exit on zero is asked for',
  hasten: 'a second SIGTERM ends the drain, a third kills Envoy',
  'soft-stop': 'Envoy is ended by SIGTERM and, a second later, by SIGKILL, so that it writes out its access logs',
  'status-until-exit': 'the status port answers until exit; `/healthz/ready` is 503 from SIGTERM on',
  'held-certificate': 'a certificate is served until it ends, also while the CA fails to renew it',
  'exit-code':
    'the agent leaves with the status of an Envoy that ended by itself (128+n for a signal), and tells it in the termination log',
} as const;

export type Improvement = keyof typeof improvementDocs;

export const improvements = Object.keys(improvementDocs) as readonly Improvement[];

/** What counts as work for "exit on zero". */
export type CountUnit = 'connections' | 'requests';

export interface ProxyPolicy {
  /** Sidecars drain inbound listeners only: the application may still call out. */
  readonly inboundOnly: boolean;
  readonly exitOnZero: 'off' | CountUnit;
  readonly terminationDrainMs: number;
  readonly minimumDrainMs: number;
  /** Longest time from the first of /drain and SIGTERM to the stop; undefined: no end, as upstream. */
  readonly deadline: Deadline | undefined;
  /** Who must have gone before outbound may stop. */
  readonly app: AppToOutlive;
  /** The agent made the bootstrap itself, so a missing counter means that nobody ever connected. */
  readonly countersAreSure: boolean;
  readonly has: Readonly<Record<Improvement, boolean>>;
}

/** How the agent sees that the application has gone. */
export type AppToOutlive =
  | { readonly kind: 'nobody' }
  /** TCP ports that must refuse. */
  | { readonly kind: 'ports'; readonly ports: readonly number[] }
  /** Files of whoever runs the pod, each there as long as a container of the application runs. */
  | { readonly kind: 'processes'; readonly files: readonly string[] };

interface Deadline {
  readonly ms: number;
  readonly source: 'given' | 'assumed';
}

export interface DrainSettings {
  readonly role: 'sidecar' | 'router';
  readonly compat: 'istio' | 'none';
  readonly without: readonly Improvement[];
  readonly exitOnZero: 'off' | CountUnit;
  readonly terminationDrainMs: number;
  readonly minimumDrainMs: number;
  /** FAIRWAY_DRAIN_DEADLINE; undefined when nobody told the grace period. */
  readonly deadlineMs: number | undefined;
  readonly waitForApp: boolean;
  readonly appPorts: readonly number[];
  /** FAIRWAY_APP_RUNNING; told, they count instead of the ports. */
  readonly appFiles?: readonly string[];
  readonly bootstrap: 'own' | 'custom';
}

/** Grace period 30 s, less 2 s to stop in, less 3 s for what the agent cannot see (istio/istio#44690). */
export const assumedDeadlineMs = 25_000;

/** The policy of one Envoy's life. */
export function proxyPolicy(settings: DrainSettings): ProxyPolicy {
  const has = switches(settings);
  return {
    inboundOnly: settings.role === 'sidecar',
    exitOnZero: settings.exitOnZero,
    terminationDrainMs: settings.terminationDrainMs,
    minimumDrainMs: settings.minimumDrainMs,
    deadline: has['drain-deadline'] ? deadline(settings) : undefined,
    app: has['wait-for-app'] && settings.role === 'sidecar' ? appToOutlive(settings) : { kind: 'nobody' },
    countersAreSure: settings.bootstrap === 'own',
    has,
  };
}

/** Whether an improvement is on, as far as names and `--compat` decide. */
export function isOn(name: Improvement, { compat, without }: Pick<DrainSettings, 'compat' | 'without'>): boolean {
  return compat !== 'istio' && !without.includes(name);
}

function switches(settings: DrainSettings): Record<Improvement, boolean> {
  const on = (name: Improvement): boolean => isOn(name, settings) && (name !== 'wait-for-app' || settings.waitForApp);
  return Object.fromEntries(improvements.map((name) => [name, on(name)])) as Record<Improvement, boolean>;
}

/** Processes are sure; a port refuses as well while its application still finishes what it has. */
function appToOutlive({ appPorts, appFiles = [] }: DrainSettings): AppToOutlive {
  if (appFiles.length > 0) return { kind: 'processes', files: appFiles };
  return appPorts.length > 0 ? { kind: 'ports', ports: appPorts } : { kind: 'nobody' };
}

/** A drain that somebody configured to be longer than the assumption tells that the grace period is longer too. */
function deadline({ deadlineMs, exitOnZero, minimumDrainMs, terminationDrainMs }: DrainSettings): Deadline {
  if (deadlineMs !== undefined) return { ms: deadlineMs, source: 'given' };
  const configured = exitOnZero === 'off' ? terminationDrainMs : minimumDrainMs;
  return { ms: Math.max(assumedDeadlineMs, configured), source: 'assumed' };
}
