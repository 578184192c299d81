// Krispr without a server in the way: a MutatingAdmissionPolicy (Kubernetes 1.36 and newer) that looks up a namespace's revision in tables which a
// controller keeps, the binding that finds them, and the resource that they are. The API server runs policies before all webhooks, so every
// injector reads the new label. What expressions cannot know (ages, warnings) the policy does not do.
import { tableLabel } from '../policy-table/index.ts';
import { type InstallOptions, type KubeObject, ownLabels } from './options.ts';
import { createPods, krisprConfigurationName, krisprSelectors } from './webhooks.ts';

export const tableResource = { group: 'fairway.dev', version: 'v1alpha1', plural: 'revisiontables' } as const;
const tableKind = { apiVersion: `${tableResource.group}/${tableResource.version}`, kind: 'RevisionTable' } as const;
/** The policy's and the binding's; the webhook of the same name takes its place in the other mode. */
export const policyName = krisprConfigurationName;
/** The first Kubernetes 1.x that serves MutatingAdmissionPolicies as v1. */
export const leastPolicyMinor = 36;
const admissionVersion = 'admissionregistration.k8s.io/v1';
const labels = { ...ownLabels, 'app.kubernetes.io/component': 'krispr' };

/** One table as the API server gets it. */
export function tableObject(name: string, spec: object, resourceVersion?: string): KubeObject {
  const version = resourceVersion === undefined ? {} : { resourceVersion };
  return { ...tableKind, metadata: { name, labels: { ...labels, [tableLabel]: 'krispr' }, ...version }, spec };
}

export function tableDefinition(): KubeObject {
  const { group, version, plural } = tableResource;
  const { kind } = tableKind;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels },
    spec: {
      group,
      scope: 'Cluster',
      names: { kind, listKind: `${kind}List`, plural, singular: 'revisiontable' },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: tableSchema } }],
    },
  };
}

/** Atomic: or the API server would note the writer of each entry, which doubles the object. */
const texts = (description: string): KubeObject => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string' },
  'x-kubernetes-map-type': 'atomic',
});

const tableSchema: KubeObject = {
  type: 'object',
  description: 'Written by fairway admission serve --mode policy; what is written by hand is overwritten.',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['revisions', 'unlabelled', 'tags', 'selecting'],
      properties: {
        revisions: texts("Today's revision, by namespace."),
        unlabelled: texts('Namespaces whose pods are labelled though they carry no label.'),
        tags: texts('Revision tags: such a label stands.'),
        selecting: texts('Owners that select their pods by the label, as namespace/Kind/name.'),
      },
    },
  },
};

export function admissionPolicy(options: InstallOptions): KubeObject {
  return {
    apiVersion: admissionVersion,
    kind: 'MutatingAdmissionPolicy',
    metadata: { name: policyName, labels },
    spec: {
      paramKind: tableKind,
      matchConstraints: {
        resourceRules: createPods.rules,
        matchPolicy: createPods.matchPolicy,
        ...krisprSelectors(options).selectors,
      },
      matchConditions: [...krisprSelectors(options).conditions, ...conditions],
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: patch } }],
      // The label that CI left is valid.
      failurePolicy: 'Ignore',
      reinvocationPolicy: 'Never',
    },
  };
}

export function policyBinding(): KubeObject {
  return {
    apiVersion: admissionVersion,
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name: policyName, labels },
    spec: {
      policyName,
      paramRef: { selector: { matchLabels: { [tableLabel]: 'krispr' } }, parameterNotFoundAction: 'Allow' },
    },
  };
}

// Expressions of conditions cannot use a policy's variables (apiserver, plugin/policy/mutating): the parts are put together here.
const revisionLabel = 'istio.io/rev';
const label = `object.metadata.?labels[?"${revisionLabel}"].orValue("")`;
const wanted = 'params.spec.revisions[?request.namespace].orValue("")';
const annotation = (key: string): string => `object.metadata.?annotations[?"${key}"].orValue("")`;

const isSelecting = (name: string): string =>
  `(request.namespace + "/" + o.kind + "/" + ${name}) in params.spec.selecting`;
/** A ReplicaSet's name less the hash of its template, as Deployments and Argo Rollouts make it. */
const workloadName = 'o.name.substring(0, o.name.size() - h.size() - 1)';
const hashes =
  '["pod-template-hash", "rollouts-pod-template-hash"].map(k, object.metadata.?labels[?k].orValue("")).filter(h, h != "")';
const controllers = 'object.metadata.?ownerReferences.orValue([]).filter(o, o.?controller.orValue(false))';

/** In the order of Krispr's own checks (`../admission/decide.ts`), with an age that is always enough. */
const conditions: readonly KubeObject[] = [
  { name: 'known-namespace', expression: `${wanted} != ""` },
  { name: 'another-label', expression: `${label} != ${wanted}` },
  { name: 'not-opted-out', expression: `${annotation('sidecar.istio.io/inject')} != "false"` },
  { name: 'not-local', expression: `${annotation('config.kubernetes.io/local-config')} != "true"` },
  { name: 'labelled-or-opted-in', expression: `${label} != "" || request.namespace in params.spec.unlabelled` },
  { name: 'no-tag', expression: `!(${label} in params.spec.tags)` },
  {
    name: 'not-selected-by-label',
    expression: `!${controllers}.exists(o, ${isSelecting('o.name')} || ${hashes}.exists(h, o.name.endsWith("-" + h) && ${isSelecting(workloadName)}))`,
  },
];

/** A JSON patch, because applying a configuration refuses pods with a list that holds a key twice, which the API allows. */
const patch = `has(object.metadata.labels)
  ? [JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("${revisionLabel}"), value: ${wanted}}]
  : [JSONPatch{op: "add", path: "/metadata/labels", value: {"${revisionLabel}": ${wanted}}}]`;
