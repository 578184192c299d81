// Which Kubernetes the API server is, asked again now and then: a cluster is upgraded while the server runs.
import type { Cluster } from '../../ports/cluster.ts';
import type { Log } from './log.ts';

export interface ClusterVersion {
  /** 37 of 1.37; undefined while it is not known. */
  readonly minor: () => number | undefined;
  readonly stop: () => void;
}

const everyMs = 600_000;

export function followVersion(cluster: Cluster, log: Log): ClusterVersion {
  let minor: number | undefined;
  const ask = async (): Promise<void> => {
    try {
      const { body } = await cluster.send({ method: 'GET', path: '/version' });
      // Hosted clusters write "30+".
      const found = Number.parseInt((body as { minor?: string } | undefined)?.minor ?? '', 10);
      if (Number.isInteger(found)) minor = found;
    } catch (error) {
      log.warn({ error: String(error) }, "the cluster's version could not be asked for");
    }
  };
  void ask();
  const timer = setInterval(() => void ask(), everyMs);
  timer.unref();
  return { minor: () => minor, stop: () => clearInterval(timer) };
}
