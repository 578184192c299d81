// Pods tried by server-side dry run: what label they get, and which injector puts its proxy in.
import type { Probe } from '../../core/injectors/index.ts';
import type { Cluster, ClusterAnswer } from '../../ports/cluster.ts';

const revisionLabel = 'istio.io/rev';
/** A label that no injector serves: Krispr has to correct it. */
const unserved = 'fairway-doctor';

export interface Trial {
  readonly cluster: Cluster;
  readonly namespace: string;
  /** What injectors serve. */
  readonly revisions: readonly string[];
  /** Today's revision there, where Krispr ought to give it. */
  readonly wanted: string | undefined;
}

export async function tryPods({ cluster, namespace, revisions, wanted }: Trial): Promise<readonly Probe[]> {
  const probes: Probe[] = [];
  for (const revision of [...revisions, unserved]) probes.push(await tryPod(cluster, namespace, revision));
  // Where Krispr does not answer, the made-up label stays, and nobody promised to inject it.
  return probes.map((each) =>
    each.kind === 'made' && each.label === unserved ? { kind: 'silent', namespace, wanted } : each,
  );
}

async function tryPod(cluster: Cluster, namespace: string, revision: string): Promise<Probe> {
  const asked = `${revisionLabel}=${revision}`;
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'fairway-doctor-', labels: { [revisionLabel]: revision } },
    spec: { containers: [{ name: 'probe', image: 'fairway.invalid/doctor:0' }] },
  };
  const answer = await cluster.send({ method: 'POST', path: `/api/v1/namespaces/${namespace}/pods?dryRun=All`, body });
  return answer.status === 201
    ? made(asked, answer.body as Pod)
    : { kind: 'refused', asked, message: reasonOf(answer) };
}

interface Pod {
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

function made(asked: string, { metadata: { labels = {}, annotations = {} } }: Pod): Probe {
  const injected = injectedRevision(annotations['sidecar.istio.io/status']);
  return { kind: 'made', asked, label: labels[revisionLabel], injected };
}

function reasonOf({ status, body }: ClusterAnswer): string {
  return (body as { message?: string } | undefined)?.message ?? `HTTP ${status}`;
}

/** As Istio's injector writes it, and every injector that takes its place. */
function injectedRevision(status: string | undefined): string | undefined {
  if (status === undefined) return undefined;
  try {
    return (JSON.parse(status) as { revision?: string }).revision;
  } catch {
    return undefined;
  }
}
