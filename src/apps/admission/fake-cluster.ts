// A cluster in memory, for tests of the server: objects are put into it by hand and told to whoever follows; requests are answered by
// a function and remembered.
import type { Cluster, ClusterAnswer, ClusterRequest, Sink } from '../../ports/cluster.ts';

export interface FakeCluster extends Cluster {
  /** Of a resource that is followed by name: "plural/name". */
  readonly put: (resource: string, object: object) => void;
  readonly remove: (resource: string, uid: string) => void;
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
    put: (resource, object) => sinks.get(resource)?.put(object),
    remove: (resource, uid) => sinks.get(resource)?.remove(uid),
    sync: () => {
      synced = true;
    },
    send: (request) => {
      sent.push(request);
      return Promise.resolve(answer(request));
    },
    follow: ({ plural, name }, _what, sink) => {
      const key = name === undefined ? plural : `${plural}/${name}`;
      sinks.set(key, sink);
      return { synced: () => synced, absent: () => false, silentMs: () => 0, stop: () => void sinks.delete(key) };
    },
  };
}
