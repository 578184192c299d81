// What is rolled out, and with what: the applications, the two kinds of sidecar, and what Fairway adds, each alone and together. Data only: the measurement, CI's four cells
// and the test of docs/how-to/drain.md read it.
import type { Kind } from '../pods/callers.ts';

interface Profile {
  /** As the pages tell it. */
  readonly words: string;
  readonly kind: Kind;
  readonly path: string;
  readonly perSecond: number;
  /** Calls of one measured roll-out, at least. */
  readonly least: number;
  /** See ../pods/app.ts. */
  readonly env: Readonly<Record<string, string>>;
  /** terminationGracePeriodSeconds, where it is not Kubernetes' own 30. */
  readonly graceSeconds?: number;
}

const short = { kind: 'http1', path: '/', perSecond: 100, least: 4000 } as const;

export const applications = {
  exit: {
    ...short,
    words: 'requests of 50 ms; exits at once on SIGTERM',
    env: { ON_TERM: 'exit', DELAY_MS: '50' },
  },
  close: {
    ...short,
    words: 'requests of 50 ms; closes its listener and finishes what runs',
    env: { ON_TERM: 'close', DELAY_MS: '50' },
  },
  long: {
    ...short,
    words: 'requests of 8 s; closes its listener and finishes what runs',
    perSecond: 20,
    least: 800,
    env: { ON_TERM: 'close', DELAY_MS: '8000' },
  },
  http2: {
    ...short,
    words: 'HTTP/2, requests of 50 ms; sends GOAWAY and finishes what runs',
    kind: 'http2',
    env: { ON_TERM: 'close', DELAY_MS: '50', PROTOCOL: 'http2' },
  },
  'call-out': {
    ...short,
    words: 'requests of 50 ms; serves and calls out for 10 s, over a new connection each, then closes its listener',
    perSecond: 20,
    least: 800,
    env: {
      ON_TERM: 'call-out',
      DELAY_MS: '50',
      CALL_URL: 'http://client:9001/',
      REPORT_URL: 'http://client:9000/report',
    },
    graceSeconds: 60,
  },
  stream: {
    words: 'streams of 20 s; closes its listener and finishes what runs',
    kind: 'http1',
    path: '/stream',
    perSecond: 10,
    least: 400,
    env: { ON_TERM: 'close', DELAY_MS: '20000' },
    graceSeconds: 60,
  },
  websocket: {
    words: 'WebSockets; closes its listener, and each WebSocket with 1001 after 8 s',
    kind: 'websocket',
    path: '/',
    perSecond: 5,
    least: 200,
    env: { ON_TERM: 'close', GOODBYE_MS: '8000' },
    graceSeconds: 60,
  },
} as const satisfies Record<string, Profile>;

export type Application = keyof typeof applications;

export function profileOf(application: Application): Profile {
  return applications[application];
}

export const sidecars = ['native', 'classic'] as const;

export interface Cell {
  readonly application: Application;
  readonly sidecar: (typeof sidecars)[number];
}

export function cellName({ application, sidecar }: Cell): string {
  return `${application}-${sidecar}`;
}

export const allCells: readonly Cell[] = (Object.keys(applications) as Application[]).flatMap((application) =>
  sidecars.map((sidecar) => ({ application, sidecar })),
);

interface Equipment {
  readonly injector: 'istiod' | 'fairway';
  readonly agent: 'istio' | 'fairway';
  /** The mutator `shutdown-guard`, 5 s. */
  readonly guard: boolean;
  /** `lifecycle.exitOnZeroActiveConnections` of fairway.yml. */
  readonly exitOnZero: boolean;
}

/** In this order: injectors are taken over once, and an agent is put into the images once. */
export const equipments = {
  istio: { injector: 'istiod', agent: 'istio', guard: false, exitOnZero: false },
  guard: { injector: 'fairway', agent: 'istio', guard: true, exitOnZero: false },
  agent: { injector: 'fairway', agent: 'fairway', guard: false, exitOnZero: true },
  fairway: { injector: 'fairway', agent: 'fairway', guard: true, exitOnZero: true },
} as const satisfies Record<string, Equipment>;

export type EquipmentName = keyof typeof equipments;

/** CI rolls these out once, with all of Fairway: what Istio loses most of, and each protocol. */
export const cellsOfCi: readonly Cell[] = [
  { application: 'long', sidecar: 'classic' },
  { application: 'http2', sidecar: 'native' },
  { application: 'websocket', sidecar: 'classic' },
  { application: 'call-out', sidecar: 'classic' },
];

/** Those that lose most as Istio comes and behind a preStop: measured in many roll-outs. */
export const worstCells: readonly Cell[] = [
  { application: 'exit', sidecar: 'classic' },
  { application: 'long', sidecar: 'classic' },
];
