// Who is in the mesh, as far as a manifest tells (docs/reference/mutate.md): a label on a workload that is not would inject it. The order of the
// checks is the order in which a reader would want to hear the reasons.
import type { StringMap } from '../manifest/index.ts';
import { skips, type Verdict } from './mutator.ts';
import { membersOf, type Subject, textOf } from './subject.ts';

/** Labels of a namespace as far as they are known; undefined where the namespace was not given. */
export type NamespaceLabels = (namespace: string) => StringMap | undefined;

const systemNamespaces: ReadonlySet<string> = new Set([
  'kube-system',
  'kube-public',
  'kube-node-lease',
  'istio-system',
]);
const inject = 'sidecar.istio.io/inject';
const injectPaths = [
  ['metadata', 'labels', inject],
  ['metadata', 'annotations', inject],
];
const localConfig = ['metadata', 'annotations', 'config.kubernetes.io/local-config'];

/** Why a workload is not in the mesh, or has no pod template here; undefined where it is and has. */
export function outsideMesh(subject: Subject, labelsOf: NamespaceLabels): Verdict | undefined {
  const { namespace } = subject;
  if (textOf(subject.at('workload', localConfig)) === 'true') {
    return skips('local-config', 'not applied to a cluster (local-config)');
  }
  if (subject.stateAt('template', []) !== 'map') return withoutTemplate(subject);
  if (subject.at('template', ['spec', 'hostNetwork']) === true) {
    return skips('host-network', 'hostNetwork pods are not in the mesh');
  }
  if (injectPaths.some((path) => textOf(subject.at('template', path)) === 'false')) {
    return skips('inject-false', `${inject} is "false"`);
  }
  if (namespace === undefined) return undefined;
  if (systemNamespaces.has(namespace)) return skips('system-namespace', `namespace ${namespace} is not in the mesh`);
  if (labelsOf(namespace)?.['istio.io/dataplane-mode'] === 'ambient') {
    return skips('ambient', `namespace ${namespace} is ambient`);
  }
  return undefined;
}

/** An Argo Rollout may name a Deployment whose template it uses. */
function withoutTemplate(subject: Subject): Verdict {
  const reference = membersOf(subject.at('workload', ['spec', 'workloadRef']));
  const name = textOf(reference['name']);
  if (name === undefined) return skips('no-template', 'no pod template here');
  return skips(
    'template-elsewhere',
    `${subject.name}: template is in ${textOf(reference['kind']) ?? 'Deployment'}/${name}`,
  );
}
