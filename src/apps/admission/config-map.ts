// The files of the rules as a ConfigMap of the cluster holds them. Read from the API server, and followed there: a mounted ConfigMap shows an edit
// only when the kubelet comes by, a minute or more later.
import { setTimeout } from 'node:timers/promises';
import type { RuleFiles } from '../../core/admission/index.ts';
import { UsageError } from '../../core/std/errors.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { RulePorts } from './follow-rules.ts';
import type { Log } from './log.ts';

export interface ConfigMapFiles extends Pick<RulePorts, 'ruleFiles' | 'onRuleFiles'> {
  readonly stop: () => void;
}

interface Options {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly name: string;
  /** Between two tries of the first reading. */
  readonly againMs: number;
  readonly log: Log;
}

interface ConfigMap {
  readonly data?: RuleFiles;
}

/** A ConfigMap that is deleted leaves the last files. The first reading waits for the API server. @throws UsageError where there is none at first */
export async function configMapFiles(options: Options): Promise<ConfigMapFiles> {
  const { cluster, namespace, name } = options;
  let files = await firstReading(options);
  let tell = (): void => {};
  const following = cluster.follow({ group: '', version: 'v1', plural: 'configmaps', namespace, name }, 'objects', {
    put: (object) => {
      files = filesOf(object);
      tell();
    },
    remove: () => {},
  });
  return {
    ruleFiles: () => Promise.resolve(files),
    onRuleFiles: (changed) => void (tell = changed),
    stop: following.stop,
  };
}

async function firstReading({ cluster, namespace, name, againMs, log }: Options): Promise<RuleFiles> {
  const path = `/api/v1/namespaces/${namespace}/configmaps/${name}`;
  for (;;) {
    const answer = await cluster.send({ method: 'GET', path }).catch((error: unknown) => String(error));
    if (typeof answer === 'object' && answer.status === 200) return filesOf(answer.body);
    if (typeof answer === 'object' && answer.status === 404)
      throw new UsageError(`there is no ConfigMap ${namespace}/${name}`, {
        hint: 'fairway admission manifests --only server prints it',
      });
    const error = typeof answer === 'string' ? answer : `HTTP ${answer.status}`;
    log.warn({ configMap: `${namespace}/${name}`, error }, 'the rules could not be read yet');
    await setTimeout(againMs);
  }
}

function filesOf(object: unknown): RuleFiles {
  return (object as ConfigMap).data ?? {};
}
