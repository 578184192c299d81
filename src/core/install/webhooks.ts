// The mutating webhook configurations: Krispr's, and one for each revision that Fairway injects. Rows 1 to 5 of Istio's own
// configuration (the chart istio-discovery, templates/mutatingwebhook.yaml) decide which pods a revision's injector is asked about.
import { appName, type InjectedRevision, type InstallOptions, type KubeObject, ownLabels } from './options.ts';

/** Names in the order in which API servers call them. */
export const krisprConfigurationName = 'fairway-1-krispr';

export function injectConfigurationName(revision: string): string {
  return `fairway-2-inject-${revision}`;
}

/** Nobody's pods there are in the mesh. */
const systemNamespaces = ['kube-system', 'kube-public', 'kube-node-lease'];
const nameLabel = 'kubernetes.io/metadata.name';
const revisionLabel = 'istio.io/rev';
const injectionLabel = 'istio-injection';
const injectLabel = 'sidecar.istio.io/inject';

export function krisprConfiguration(options: InstallOptions): KubeObject {
  const { selectors, conditions } = krisprSelectors(options);
  const webhook = {
    name: 'krispr.fairway.dev',
    clientConfig: clientConfig(options, '/krispr'),
    ...createPods,
    ...selectors,
    matchConditions: conditions,
    // The label that CI left is valid, so an outage costs nothing but time; a long wait would.
    failurePolicy: 'Ignore',
    timeoutSeconds: 2,
    sideEffects: 'NoneOnDryRun',
    reinvocationPolicy: 'Never',
  };
  return configuration(krisprConfigurationName, { 'app.kubernetes.io/component': 'krispr' }, [webhook]);
}

/** Which pods Krispr is asked about, the webhook and the policy alike. */
export function krisprSelectors({ namespace }: InstallOptions) {
  return {
    selectors: {
      namespaceSelector: { matchExpressions: [notNamed([...systemNamespaces, 'istio-system', namespace])] },
      objectSelector: { matchExpressions: [notIn(injectLabel, ['false'])] },
    },
    conditions: [onPodNetwork, noMirrorPod],
  } as const;
}

export function injectConfiguration(options: InstallOptions, revision: InjectedRevision): KubeObject {
  const webhooks = rows(revision).map(({ name, namespaces, pods }) => ({
    name: `${name}.inject.fairway.dev`,
    clientConfig: clientConfig(options, `/inject/${revision.name}`),
    ...createPods,
    namespaceSelector: {
      matchExpressions: [...namespaces, notNamed([...systemNamespaces, ...outsideOf(name), options.namespace])],
    },
    objectSelector: { matchExpressions: pods },
    matchConditions: [onPodNetwork],
    // A pod without its sidecar would talk in clear text: better no pod.
    failurePolicy: 'Fail',
    timeoutSeconds: 10,
    sideEffects: 'None',
    // Containers that webhooks after this one add need their probes rewritten.
    reinvocationPolicy: 'IfNeeded',
  }));
  const labels = { 'app.kubernetes.io/component': 'injector', 'fairway.dev/revision': revision.name };
  return configuration(injectConfigurationName(revision.name), labels, webhooks);
}

interface Row {
  readonly name: string;
  readonly namespaces: readonly KubeObject[];
  readonly pods: readonly KubeObject[];
}

/** Disjoint by construction: at most one row of one revision matches a pod, and rows of two revisions never both. */
function rows({ name, isDefault, everyNamespace }: InjectedRevision): readonly Row[] {
  const neither = [absent(revisionLabel), absent(injectionLabel)];
  const named: readonly Row[] = [
    {
      name: 'rev.namespace',
      namespaces: [isIn(revisionLabel, [name]), absent(injectionLabel)],
      pods: [notIn(injectLabel, ['false'])],
    },
    { name: 'rev.object', namespaces: neither, pods: [notIn(injectLabel, ['false']), isIn(revisionLabel, [name])] },
  ];
  if (!isDefault) return named;
  const byDefault: readonly Row[] = [
    { name: 'namespace', namespaces: [isIn(injectionLabel, ['enabled'])], pods: [notIn(injectLabel, ['false'])] },
    { name: 'object', namespaces: neither, pods: [isIn(injectLabel, ['true']), absent(revisionLabel)] },
  ];
  const auto: Row = { name: 'auto', namespaces: neither, pods: [absent(injectLabel), absent(revisionLabel)] };
  return [...named, ...byDefault, ...(everyNamespace ? [auto] : [])];
}

/** Where nothing asks for a sidecar, the control plane's own pods must not get one. */
function outsideOf(row: string): readonly string[] {
  return row === 'auto' ? ['istio-system', 'local-path-storage'] : [];
}

export const createPods = {
  admissionReviewVersions: ['v1'],
  rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: 'Namespaced' }],
  matchPolicy: 'Equivalent',
} as const;

const onPodNetwork = {
  name: 'on-pod-network',
  expression: '!has(object.spec.hostNetwork) || !object.spec.hostNetwork',
} as const;

const noMirrorPod = {
  name: 'no-mirror-pod',
  expression: "!has(object.metadata.annotations) || !('kubernetes.io/config.mirror' in object.metadata.annotations)",
} as const;

function configuration(
  name: string,
  labels: Readonly<Record<string, string>>,
  webhooks: readonly KubeObject[],
): KubeObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name, labels: { ...ownLabels, ...labels } },
    webhooks,
  };
}

function clientConfig({ namespace, caBundle }: InstallOptions, path: string): KubeObject {
  return { service: { namespace, name: appName, path, port: 443 }, ...(caBundle === '' ? {} : { caBundle }) };
}

function notNamed(namespaces: readonly string[]): KubeObject {
  return notIn(nameLabel, namespaces);
}

function isIn(key: string, values: readonly string[]): KubeObject {
  return { key, operator: 'In', values };
}

function notIn(key: string, values: readonly string[]): KubeObject {
  return { key, operator: 'NotIn', values };
}

function absent(key: string): KubeObject {
  return { key, operator: 'DoesNotExist' };
}
