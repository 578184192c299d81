// A cluster in memory, for tests of the server: objects are put into it by hand and told to whoever follows; requests are answered by
// a function and remembered.
import type { Cluster, ClusterAnswer, ClusterRequest, Sink } from '../../ports/cluster.ts';

export interface FakeCluster extends Cluster {
  readonly put: (plural: string, object: object) => void;
  readonly remove: (plural: string, uid: string) => void;
  /** Completes every first list. */
  readonly sync: () => void;
  readonly sent: readonly ClusterRequest[];
  readonly followed: readonly string[];
}

export function fakeCluster(
  answer: (request: ClusterRequest) => ClusterAnswer = () => ({ status: 201, body: {} }),
): FakeCluster {
  const sinks = new Map<string, Sink>();
  const sent: ClusterRequest[] = [];
  let synced = false;
  return {
    sent,
    get followed() {
      return [...sinks.keys()].sort();
    },
    put: (plural, object) => sinks.get(plural)?.put(object),
    remove: (plural, uid) => sinks.get(plural)?.remove(uid),
    sync: () => {
      synced = true;
    },
    send: (request) => {
      sent.push(request);
      return Promise.resolve(answer(request));
    },
    follow: (resource, _what, sink) => {
      sinks.set(resource.plural, sink);
      return { synced: () => synced, silentMs: () => 0, stop: () => void sinks.delete(resource.plural) };
    },
  };
}
