// Which Kubernetes the API server is, asked again now and then: a cluster is upgraded while the server runs.
import type { Cluster } from '../../ports/cluster.ts';
import type { Log } from './log.ts';

export interface ClusterVersion {
  /** 37 of 1.37; undefined while it is not known. */
  readonly minor: () => number | undefined;
  readonly stop: () => void;
}

const everyMs = 600_000;
/** While it is not known: what needs it is left out until then. */
const againMs = 5_000;

export function followVersion(cluster: Cluster, log: Log): ClusterVersion {
  let minor: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const ask = async (): Promise<void> => {
    minor = (await minorOf(cluster, log)) ?? minor;
    if (!stopped) timer = setTimeout(() => void ask(), minor === undefined ? againMs : everyMs).unref();
  };
  void ask();
  return {
    minor: () => minor,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

async function minorOf(cluster: Cluster, log: Log): Promise<number | undefined> {
  try {
    const { body } = await cluster.send({ method: 'GET', path: '/version' });
    // Hosted clusters write "30+".
    const found = Number.parseInt((body as { minor?: string } | undefined)?.minor ?? '', 10);
    return Number.isInteger(found) ? found : undefined;
  } catch (error) {
    log.warn({ error: String(error) }, "the cluster's version could not be asked for");
    return undefined;
  }
}
