// The shell around the reflector's machine: sends its requests, feeds what comes back, keeps its one timer, and hands objects on.
import {
  type Effect,
  type Input,
  initialState,
  type Policy,
  type State,
  transition,
  usualPolicy,
} from '../../core/reflector/index.ts';
import type { Prng } from '../../core/std/prng.ts';
import type { Following, Resource, Sink } from '../../ports/cluster.ts';
import type { StreamEnd, Transport } from './transport.ts';

export interface Surroundings {
  readonly transport: Transport;
  readonly nowMs: () => number;
  readonly prng: Prng;
  readonly policy?: Partial<Policy>;
  /** One line for each connection, failure and complete list. */
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** Follows one resource until stopped. */
export function followResource(
  resource: Resource,
  what: 'metadata' | 'objects',
  sink: Sink,
  world: Surroundings,
): Following {
  const follower = new Follower(resource, what, sink, world);
  follower.feed({ kind: 'start' });
  return {
    synced: () => follower.state.synced,
    absent: () => follower.absent,
    silentMs: () => Math.max(0, world.nowMs() - follower.state.heardMs),
    stop: () => follower.feed({ kind: 'stop' }),
  };
}

interface Seen {
  readonly uid: string;
  readonly version: string;
  readonly object: unknown;
}

class Follower {
  state: State;
  absent = false;
  private readonly policy: Policy;
  private timer: NodeJS.Timeout | undefined;
  private running: { readonly abort: () => void } | undefined;
  /** Of the input that is being fed: effects name them by uid. */
  private objects: ReadonlyMap<string, unknown> = new Map();
  private readonly resource: Resource;
  private readonly what: 'metadata' | 'objects';
  private readonly sink: Sink;
  private readonly world: Surroundings;

  constructor(resource: Resource, what: 'metadata' | 'objects', sink: Sink, world: Surroundings) {
    this.resource = resource;
    this.what = what;
    this.sink = sink;
    this.world = world;
    this.policy = { ...usualPolicy, ...world.policy };
    this.state = initialState(world.nowMs());
  }

  feed(input: Input, seen: readonly Seen[] = []): void {
    this.objects = new Map(seen.map(({ uid, object }) => [uid, object]));
    const before = this.state.at;
    const [next, effects] = transition(this.state, input, {
      policy: this.policy,
      prng: this.world.prng,
      nowMs: this.world.nowMs(),
    });
    this.state = next;
    if (next.at === 'stopped') clearTimeout(this.timer);
    if (before !== next.at)
      this.world.log('watch', { resource: this.resource.plural, at: next.at, failures: next.failures });
    for (const effect of effects) this.perform(effect);
  }

  private perform(effect: Effect): void {
    switch (effect.kind) {
      case 'list':
        return this.list(effect);
      case 'watch':
        return this.watch(effect);
      case 'abort':
        this.running?.abort();
        this.running = undefined;
        return;
      case 'timer':
        return this.setTimer(effect.atMs);
      case 'put':
        return this.sink.put(this.objects.get(effect.key));
      case 'remove':
        return this.sink.remove(effect.key);
      case 'synced':
        return this.world.log('complete', { resource: this.resource.plural, objects: this.state.known.size });
    }
  }

  private setTimer(atMs: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.feed({ kind: 'due' }), Math.max(0, atMs - this.world.nowMs()));
  }

  private list(effect: Extract<Effect, { kind: 'list' }>): void {
    const query = {
      ...(effect.limit > 0 ? { limit: String(effect.limit) } : {}),
      ...(effect.continue === undefined ? {} : { continue: effect.continue }),
    };
    let live = true;
    this.running = { abort: () => (live = false) };
    const path = pathOf(this.resource, query);
    const accept = this.what === 'metadata' ? metadataList : 'application/json';
    void this.world.transport
      .send({ method: 'GET', path, accept })
      .then(
        ({ status, body, retryAfterMs }) =>
          () =>
            status === 200
              ? this.takePage(body)
              : this.fail({
                  kind: 'failed',
                  status,
                  message: `HTTP ${status}`,
                  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
                }),
        (error: unknown) => () => this.fail({ kind: 'failed', message: String(error) }),
      )
      .then((act) => (live ? act() : undefined));
  }

  private takePage(body: unknown): void {
    this.absent = false;
    const { metadata, items } = body as {
      metadata?: { resourceVersion?: string; continue?: string };
      items?: readonly unknown[];
    };
    const seen = (items ?? []).flatMap(seenOf);
    const more = metadata?.continue;
    this.feed(
      {
        kind: 'page',
        items: seen.map(({ uid, version }) => ({ key: uid, version })),
        version: metadata?.resourceVersion ?? '',
        ...(more === undefined ? {} : { continue: more }),
      },
      seen,
    );
  }

  private watch({ version, seconds }: Extract<Effect, { kind: 'watch' }>): void {
    const query = {
      watch: '1',
      allowWatchBookmarks: 'true',
      resourceVersion: version,
      timeoutSeconds: String(seconds),
    };
    const accept = this.what === 'metadata' ? metadataEvents : 'application/json';
    let live = true;
    const stream = this.world.transport.stream(
      { method: 'GET', path: pathOf(this.resource, query), accept },
      {
        value: (value) => {
          if (live) this.takeEvent(value);
        },
        end: (ended) => {
          if (live) this.end(ended);
        },
      },
    );
    this.running = {
      abort: () => {
        live = false;
        stream.abort();
      },
    };
  }

  private takeEvent(value: unknown): void {
    const { type, object } = value as {
      type?: string;
      object?: { code?: number; metadata?: { resourceVersion?: string } };
    };
    if (type === 'ERROR') {
      this.running?.abort();
      return this.fail({
        kind: 'failed',
        message: 'ERROR event',
        ...(object?.code === undefined ? {} : { status: object.code }),
      });
    }
    if (type === 'BOOKMARK') return this.feed({ kind: 'bookmark', version: object?.metadata?.resourceVersion ?? '' });
    for (const seen of seenOf(object)) {
      const item = { key: seen.uid, version: seen.version };
      this.feed({ kind: type === 'DELETED' ? 'deleted' : 'changed', item }, [seen]);
    }
  }

  private end(ended: StreamEnd): void {
    if (ended.kind === 'closed') this.feed(ended);
    else this.fail(ended);
  }

  private fail({ status, retryAfterMs, message }: Extract<StreamEnd, { kind: 'failed' }>): void {
    if (status === 404) this.absent = true;
    this.world.log('failed', { resource: this.resource.plural, message, status });
    this.feed({
      kind: 'failed',
      ...(status === undefined ? {} : { status }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  }
}

const metadataList = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const metadataEvents = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';

function pathOf(
  { group, version, plural, namespace, name }: Resource,
  query: Readonly<Record<string, string>>,
): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const place = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const one = name === undefined ? {} : { fieldSelector: `metadata.name=${name}` };
  return `${root}${place}/${plural}?${new URLSearchParams({ ...query, ...one })}`;
}

function seenOf(object: unknown): Seen[] {
  const metadata = (object as { metadata?: { uid?: string; resourceVersion?: string } } | null)?.metadata;
  if (metadata?.uid === undefined) return [];
  return [{ uid: metadata.uid, version: metadata.resourceVersion ?? '', object }];
}
