// A Kubernetes API server as programs here need it: single requests, and a copy of a kind of object kept in step.

export interface Resource {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  /** "replicasets" */
  readonly plural: string;
  /** Absent: in every namespace, or not in one at all. */
  readonly namespace?: string;
  /** Only the object of this name. */
  readonly name?: string;
}

export interface ClusterRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, from "/api" or "/apis" on. */
  readonly path: string;
  readonly body?: unknown;
  /** Of the body; JSON unless told. */
  readonly contentType?: string;
  /** Of the answer; JSON unless told. */
  readonly accept?: string;
}

/** Any answer of the server is a value; what keeps an answer from coming is an error. */
export interface ClusterAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Where the objects go. Whole objects, or their metadata alone. */
export interface Sink {
  readonly put: (object: unknown) => void;
  readonly remove: (uid: string) => void;
}

export interface Following {
  /** Whether the first complete copy was made. */
  readonly synced: () => boolean;
  /** Whether the server said, when it was last asked for a list, that it serves no such resource; it is asked again. */
  readonly absent: () => boolean;
  /** How long the server was not heard. */
  readonly silentMs: () => number;
  readonly stop: () => void;
}

export interface Cluster {
  readonly send: (request: ClusterRequest) => Promise<ClusterAnswer>;
  /** `metadata`: only the objects' metadata is asked for. */
  readonly follow: (resource: Resource, what: 'metadata' | 'objects', sink: Sink) => Following;
}
