// The simulated node: its sandboxes, runs, images and files, and how time passes on it.
import type { Container, InstanceId, RuntimeInput } from '../../core/pod/index.ts';
import type { Behaviour } from './behaviour.ts';
import type { Clock } from './clock.ts';
import type { Cost, Costs } from './costs.ts';
import type { NodeHappening } from './happening.ts';
import type { FileView } from './process/files.ts';
import { type PodFiles, podFiles } from './process/files.ts';
import type { Process } from './process/process.ts';
import { spanMs } from './scenario/duration.ts';

/** One run of a container. */
export interface Run {
  readonly instance: InstanceId;
  readonly container: Container;
  readonly sandbox: string;
  /** Which start of this container it is, from 0. */
  readonly number: number;
  readonly files: FileView;
  readonly process: Process;
  readonly deliver: (input: RuntimeInput) => void;
  startedAtMs: number;
  state: 'starting' | 'running' | 'ended';
  /** The wake-up that counts; older ones are stale. */
  wake: number;
}

export interface ToldImage {
  readonly present: boolean;
  readonly takes?: string | number | undefined;
  readonly fails?: string | undefined;
  readonly message?: string | undefined;
  readonly times?: number | undefined;
}

export interface Node {
  readonly clock: Clock;
  readonly behaviour: Behaviour;
  readonly observe: (happening: NodeHappening) => void;
  readonly files: PodFiles;
  readonly runs: Map<InstanceId, Run>;
  readonly sandboxes: string[];
  /** Hooks under way, by call. */
  readonly hooks: Map<number, { readonly run: Run | undefined; readonly hook: 'postStart' | 'preStop' }>;
  /** Images pulled during this life. */
  readonly present: Set<string>;
  readonly cost: Costs;
  in(ms: number, call: () => void): void;
  after(cost: Cost, call: () => void): void;
  /** A told time, or else the cost. */
  spanOr(told: string | number | undefined, cost: Cost): number;
  /** Counts attempts of one kind: 0, 1, 2, … */
  attempt(key: string): number;
  image(name: string): ToldImage;
  newest(container: string): Run | undefined;
}

/** A node on which nothing has run yet. */
export function createNode(options: {
  readonly clock: Clock;
  readonly costs: Costs;
  readonly behaviour: Behaviour;
  readonly observe: Node['observe'];
}): Node {
  const { clock, costs, behaviour, observe } = options;
  const attempts = new Map<string, number>();
  const present = new Set<string>();
  const runs: Node['runs'] = new Map();
  const wait = (ms: number, call: () => void) => clock.at(clock.nowMs + ms, call);
  return {
    clock,
    behaviour,
    observe,
    files: podFiles(),
    runs,
    sandboxes: [],
    hooks: new Map(),
    present,
    cost: costs,
    in: wait,
    after: (cost, call) => wait(costs(cost), call),
    spanOr: (told, cost) => (told === undefined ? costs(cost) : spanMs(told)),
    attempt: (key) => {
      const count = attempts.get(key) ?? 0;
      attempts.set(key, count + 1);
      return count;
    },
    image: (name) => toldImage(behaviour, name, present),
    newest: (container) => [...runs.values()].filter((run) => run.container.name === container).at(-1),
  };
}

function toldImage(behaviour: Behaviour, name: string, pulled: ReadonlySet<string>): ToldImage {
  const images = behaviour.scenario.images ?? {};
  const told = Object.hasOwn(images, name) ? images[name] : undefined;
  if (told === undefined) return { present: true };
  if (told === 'absent') return { present: pulled.has(name) };
  return { ...told, present: pulled.has(name) || (told.present ?? told.fails === undefined) };
}
