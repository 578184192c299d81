// What fairway.yml says about a fleet, parsed: every default is filled in, every name checked, durations in milliseconds.
import type { Pattern } from '../pattern/index.ts';

export interface FleetRevision {
  readonly name: string;
  readonly proxyImage?: string;
  /** host:port of the revision's control plane, as PROXY_CONFIG names it. */
  readonly discoveryAddress?: string;
  /** When the revision was installed. */
  readonly sinceMs?: number;
  /** No injector serves it any more: a label that names it is always corrected. */
  readonly retired: boolean;
  /** Overrides the bucket's and the fleet's. */
  readonly remutateAfterMs?: number;
}

export interface FleetBucket {
  /** `exact` remembers names in the lock, so that the shares are exact for small buckets. */
  readonly mode: 'slots' | 'exact';
  readonly remutateAfterMs?: number;
}

/** A kind with a pod template beyond the built-in ones. */
export interface FleetKind {
  /** As in apiVersion: `argoproj.io/v1alpha1`, or the group alone for every version. */
  readonly apiVersion: string;
  readonly kind: string;
  /** JSON pointer (RFC 6901) to the pod template. */
  readonly template: string;
}

/** Where one cluster differs from the fleet. */
export interface FleetCluster {
  /** Path of its own rollouts.yml, beside fairway.yml. */
  readonly rollouts?: string;
  readonly exclude: readonly Pattern[];
}

export interface UnlabelledRule {
  readonly pattern: Pattern;
  readonly action: 'label' | 'leave';
}

/** How the fleet's proxies start and end; hooks are those of a container's `lifecycle`. */
export interface FleetLifecycle {
  readonly hold?: boolean;
  readonly postStart?: FleetHook;
  readonly preStop?: FleetHook;
  readonly lifecycleMode?: 'merge' | 'replace';
  readonly terminationDrainDurationMs?: number;
  readonly exitOnZero?: 'off' | 'connections' | 'requests';
  readonly minimumDrainDurationMs?: number;
}

/** A lifecycle handler of Kubernetes: `exec`, `httpGet`, `sleep` or `tcpSocket`. */
export type FleetHook = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Which workloads get a preStop that keeps the application while endpoints go away. */
export interface FleetShutdownGuard {
  /** Absent: every bucket. */
  readonly buckets?: readonly string[];
  readonly seconds: number | 'auto';
}

export interface Fleet {
  /** Absent: the file lists no revisions, and any name is known. */
  readonly revisions?: ReadonlyMap<string, FleetRevision>;
  readonly buckets: ReadonlyMap<string, FleetBucket>;
  /** Namespaces that are not in the mesh, besides Kubernetes' and Istio's own. */
  readonly exclude: readonly Pattern[];
  readonly salt: string;
  readonly defaultBucket: string;
  /** A pod whose workload was last deployed longer ago than this is labelled anew at admission. */
  readonly remutateAfterMs: number;
  readonly maxNodeLifetimeMs?: number;
  /** Absent: the file lists none, and any cluster is like the fleet. */
  readonly clusters?: ReadonlyMap<string, FleetCluster>;
  readonly kinds: readonly FleetKind[];
  /** The label of a workload or a namespace that names who owns it. */
  readonly ownerLabel?: string;
  /** Pods without the label at admission; of several patterns that match, the longest wins; `leave` where none does. */
  readonly unlabelled: readonly UnlabelledRule[];
  readonly lifecycle?: FleetLifecycle;
  readonly shutdownGuard?: FleetShutdownGuard;
  /** The minor version of the oldest Kubernetes in the fleet; absent: new enough for everything. */
  readonly kubernetesMinor?: number;
}
