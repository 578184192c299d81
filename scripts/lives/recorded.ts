// A recorded life, as scripts that watch a real kubelet write it, and the same shape of a simulated one: what is compared.
import type { ContainerStatus, Pod } from '../../src/core/pod/index.ts';
import type { Scenario } from '../../src/sim/pod/index.ts';

/** One file of lives: name to life. */
export type RecordedLives = Readonly<Record<string, RecordedLife>>;

export interface RecordedLife {
  readonly what: string;
  readonly pod: { readonly spec: Pod['spec'] };
  /** Seconds after the client began, then the arguments of kubectl, or of the node where they begin with `!`. */
  readonly actions: readonly (readonly [at: number, ...args: string[]])[];
  readonly timeline: readonly (RecordedStatus | RecordedAction)[];
  readonly events: readonly { readonly ms: number; readonly reason: string; readonly container: string | null }[];
}

interface RecordedAction {
  readonly ms: number;
  readonly action: readonly string[];
}

export interface RecordedStatus {
  readonly ms: number;
  readonly type: string;
  readonly phase: string;
  readonly reason: string | null;
  readonly deleting: boolean;
  readonly conditions: Readonly<Record<string, { readonly status: string; readonly reason?: string }>>;
  readonly init: Containers;
  readonly containers: Containers;
  readonly ephemeral: Containers;
}

type Containers = Readonly<Record<string, RecordedContainer>>;

interface RecordedContainer {
  readonly state: Readonly<Record<string, unknown>>;
  readonly last: { readonly reason: string; readonly exitCode: number } | null;
  readonly restarts: number;
  readonly ready: boolean | null;
  readonly started: boolean | null;
}

/** The statuses of a life, without the actions between them. */
export function statusesOf(life: RecordedLife): readonly RecordedStatus[] {
  return life.timeline.filter((entry): entry is RecordedStatus => !('action' in entry));
}

/** What counts of a status, as text: two statuses are the same when their texts are. */
export function comparable(status: Omit<RecordedStatus, 'ms'>): string {
  const { type, phase, reason, deleting } = status;
  const conditions = Object.entries(status.conditions)
    .map(([name, value]) => `${name}=${value.status}${value.reason === undefined ? '' : `(${value.reason})`}`)
    .sort();
  const containers = [status.init, status.containers].flatMap((each) =>
    Object.entries(each).map(([name, container]) => containerText(name, container)),
  );
  const ephemeral = Object.values(status.ephemeral).map((container, index) =>
    containerText(`ephemeral ${index}`, container),
  );
  return [
    `${type} ${phase}${reason === null ? '' : `/${reason}`}${deleting ? ' deleting' : ''}`,
    ...containers,
    ...ephemeral,
    ...conditions,
  ].join('; ');
}

/** A waiting state with an empty reason is shown as an empty state by the recorder, and absent booleans as null. */
function containerText(name: string, container: RecordedContainer): string {
  const state = Object.entries(container.state)
    .map(([key, value]) => (key === 'running' ? 'running' : `${key}:${String(value)}`))
    .join(' ');
  const last = container.last === null ? '' : ` last ${container.last.reason} ${container.last.exitCode}`;
  return `${name} ${state}${last} restarts ${container.restarts}${container.ready === true ? ' ready' : ''}${container.started === true ? ' started' : ''}`;
}

/** The recorder's view of a write of the simulated API object. */
export function summaryOf(pod: Pod, type: string): Omit<RecordedStatus, 'ms'> {
  const { status, metadata } = pod;
  return {
    type,
    phase: status.phase,
    reason: status.reason ?? null,
    deleting: metadata.deletionTimestamp !== undefined,
    conditions: Object.fromEntries(
      status.conditions.map((condition) => [
        condition.type,
        { status: condition.status, ...((condition.reason ?? '') === '' ? {} : { reason: condition.reason ?? '' }) },
      ]),
    ),
    init: group(status.initContainerStatuses),
    containers: group(status.containerStatuses),
    ephemeral: group(status.ephemeralContainerStatuses),
  };
}

function group(statuses: readonly ContainerStatus[] = []): Containers {
  return Object.fromEntries(statuses.map((status) => [status.name, containerOf(status)]));
}

function containerOf(status: ContainerStatus): RecordedContainer {
  const { running, terminated, waiting } = status.state;
  const last = status.lastState?.terminated;
  return {
    state:
      running !== undefined
        ? { running: true }
        : terminated !== undefined
          ? {
              terminated: terminated.reason,
              exitCode: terminated.exitCode,
              ...(terminated.signal === undefined ? {} : { signal: terminated.signal }),
            }
          : { waiting: waiting?.reason ?? null },
    last: last === undefined ? null : { reason: last.reason ?? '', exitCode: last.exitCode },
    restarts: status.restartCount,
    ready: status.ready,
    started: status.started,
  };
}

type Event = NonNullable<Scenario['events']>[number];

/** The actions of a recorded life as events of a scenario, for a scenario that lists none itself. */
export function eventsOf(life: RecordedLife): readonly Event[] {
  return life.actions.map(([at, ...args]) => eventOf(at, args, life));
}

function eventOf(at: number, args: readonly string[], life: RecordedLife): Event {
  const [verb = ''] = args;
  if (verb === '!restart') return { at, do: 'kubelet-restart', down: 2 };
  if (verb === '!kill-sandbox') return { at, do: 'lose-sandbox' };
  if (verb === 'delete') return { at, do: 'delete', ...graceOf(args) };
  if (verb === 'create' && args.some((arg) => arg.endsWith('/eviction'))) return { at, do: 'evict' };
  if (verb === 'debug') return { at, do: 'add-ephemeral-container', container: debugContainer(args) };
  if (verb === 'patch') return patchEvent(at, args, life);
  if (verb === 'label')
    return { at, do: 'label', labels: Object.fromEntries(args.slice(3).map((pair) => pair.split('='))) };
  throw new Error(`no scenario event for: ${args.join(' ')}`);
}

function graceOf(args: readonly string[]): { readonly force?: boolean; readonly grace?: number } {
  if (args.includes('--force')) return { force: true };
  const grace = flag(args, '--grace-period');
  return grace === undefined ? {} : { grace: Number(grace) };
}

function flag(args: readonly string[], name: string): string | undefined {
  return args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1);
}

function debugContainer(args: readonly string[]): { readonly name: string; readonly image?: string } {
  const image = flag(args, '--image');
  const imagePullPolicy = flag(args, '--image-pull-policy');
  const command = args.includes('--') ? args.slice(args.indexOf('--') + 1) : undefined;
  return {
    name: 'debugger',
    ...(image === undefined ? {} : { image }),
    ...(imagePullPolicy === undefined ? {} : { imagePullPolicy }),
    ...(command === undefined ? {} : { command }),
  };
}

interface Patch {
  readonly spec?: Record<string, unknown>;
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: 'True' | 'False' | 'Unknown' }[];
  };
}

interface Resized {
  readonly name: string;
  readonly resources?: Record<string, Record<string, string>>;
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

function patchEvent(at: number, args: readonly string[], life: RecordedLife): Event {
  const body = JSON.parse(args[args.indexOf('-p') + 1] ?? '{}') as Patch | readonly Operation[];
  if (Array.isArray(body)) return operationEvent(at, body as readonly Operation[], life);
  const patch = body as Patch;
  const condition = patch.status?.conditions?.[0];
  if (condition !== undefined) return { at, do: 'set-condition', type: condition.type, status: condition.status };
  const containers = (patch.spec?.['containers'] ?? []) as readonly Resized[];
  if (flag(args, '--subresource') === 'resize') {
    const resized = containers.map(({ name, resources = {} }) => [name, resources] as const);
    return { at, do: 'resize', containers: Object.fromEntries(resized) };
  }
  if (patch.spec === undefined) throw new Error(`a patch without a meaning here: ${JSON.stringify(body)}`);
  return { at, do: 'patch', spec: patch.spec };
}

/** A JSON patch that takes scheduling gates away, or gives a container another image. */
function operationEvent(at: number, operations: readonly Operation[], { pod }: RecordedLife): Event {
  const images = operations.flatMap(({ path, value }) => {
    const [, list, index] = /^\/spec\/(containers|initContainers)\/(\d+)\/image$/.exec(path) ?? [];
    const name =
      list === undefined ? undefined : pod.spec[list as 'containers' | 'initContainers']?.[Number(index)]?.name;
    return name === undefined ? [] : [[name, String(value)] as const];
  });
  if (images.length > 0) return { at, do: 'set-image', images: Object.fromEntries(images) };
  if (operations.some(({ op, path }) => op === 'remove' && path.startsWith('/spec/schedulingGates')))
    return { at, do: 'remove-scheduling-gates' };
  throw new Error(`a patch without a meaning here: ${JSON.stringify(operations)}`);
}
