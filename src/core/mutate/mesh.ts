// Who is in the mesh, as far as a manifest tells (upgrades.md §3): a label on a workload that is not would inject it. The order of the
// checks is the order in which a reader would want to hear the reasons.
import type { StringMap } from '../manifest/index.ts';
import { skips, type Verdict } from './mutator.ts';
import type { Subject } from './subject.ts';

/** Labels of a namespace as far as they are known; undefined where the namespace was not given. */
export type NamespaceLabels = (namespace: string) => StringMap | undefined;

const systemNamespaces: ReadonlySet<string> = new Set([
  'kube-system',
  'kube-public',
  'kube-node-lease',
  'istio-system',
]);
const inject = 'sidecar.istio.io/inject';
export const localConfig = 'config.kubernetes.io/local-config';

/** Why a workload is not in the mesh, or has no pod template here; undefined where it is and has. */
export function outsideMesh(subject: Subject, labelsOf: NamespaceLabels): Verdict | undefined {
  const { pod, namespace } = subject;
  if (subject.annotations[localConfig] === 'true')
    return skips('local-config', 'not applied to a cluster (local-config)');
  if (pod === undefined) return withoutTemplate(subject);
  if (pod.hostNetwork) return skips('host-network', 'hostNetwork pods are not in the mesh');
  if (pod.labels[inject] === 'false' || pod.annotations[inject] === 'false') {
    return skips('inject-false', `${inject} is "false"`);
  }
  if (namespace === undefined) return undefined;
  if (systemNamespaces.has(namespace)) return skips('system-namespace', `namespace ${namespace} is not in the mesh`);
  if (labelsOf(namespace)?.['istio.io/dataplane-mode'] === 'ambient') {
    return skips('ambient', `namespace ${namespace} is ambient`);
  }
  return undefined;
}

function withoutTemplate({ name, workloadRef }: Subject): Verdict {
  if (workloadRef !== undefined) return skips('template-elsewhere', `${name}: template is in ${workloadRef}`);
  return skips('no-template', 'no pod template here');
}
