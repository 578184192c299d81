// The rights of the admission server, one role a need, so that a reader sees what each is for and can take one away.
import { watchedTypes } from '../reach/index.ts';
import {
  appName,
  caSecretName,
  configName,
  type InstallOptions,
  type KubeObject,
  leaseName,
  ownLabels,
  sightsName,
} from './options.ts';
import { tableResource } from './policy.ts';
import { injectConfigurationName, krisprConfigurationName } from './webhooks.ts';

interface Role {
  /** undefined: in the whole cluster. */
  readonly namespace?: string;
  readonly need: string;
  readonly rules: readonly Rule[];
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

const follow = ['get', 'list', 'watch'];

/** The server's account, its roles and their bindings. */
export function rights(options: InstallOptions): readonly KubeObject[] {
  const account = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: appName, namespace: options.namespace, labels: ownLabels },
  };
  return [account, ...roles(options).flatMap((role) => [roleObject(role), binding(role, options.namespace)])];
}

function roles(options: InstallOptions): readonly Role[] {
  const { namespace, inject } = options;
  if (options.mode === 'policy') return policyRoles(options);
  return [
    { need: 'owners', rules: ownerRules(options) },
    { need: 'webhooks', rules: webhookRules(options) },
    { need: 'events', rules: [{ apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] }] },
    ...(inject.length > 0 ? [nodesRole, proxyConfigsRole, injectorRole(inject.map(({ name }) => name))] : []),
    configRole(namespace),
    { namespace, need: 'sights', rules: sightRules },
    ...(options.tlsSecret === undefined ? [{ namespace, need: 'certificates', rules: certificateRules }] : []),
  ];
}

/** Owners only as far as a selector has to be seen, and the tables; nobody is warned, and nothing is signed. */
function policyRoles(options: InstallOptions): readonly Role[] {
  const { group, plural } = tableResource;
  const tables = { apiGroups: [group], resources: [plural] };
  return [
    { need: 'owners', rules: ownerRules(options).filter(({ apiGroups }) => !apiGroups.includes('batch')) },
    { need: 'webhooks', rules: [{ ...configurationRules, verbs: follow }] },
    // The number of tables is in their names.
    { need: 'tables', rules: [{ ...tables, verbs: [...follow, 'create', 'update', 'delete'] }] },
    configRole(options.namespace),
    { namespace: options.namespace, need: 'lease', rules: leaseRules },
  ];
}

/** Metadata only is asked for, but the right to list metadata is the right to list. */
function ownerRules({ kinds }: InstallOptions): readonly Rule[] {
  const watched = [
    { group: '', resource: 'namespaces' },
    ...watchedTypes.map(({ group, plural: resource }) => ({ group, resource })),
  ];
  return [...rulesByGroup(watched), ...rulesByGroup(kinds)];
}

function rulesByGroup(types: InstallOptions['kinds']): readonly Rule[] {
  const groups = Map.groupBy(types, ({ group }) => group);
  return Array.from(groups, ([group, list]) => ({
    apiGroups: [group],
    resources: list.map(({ resource }) => resource),
    verbs: follow,
  }));
}

/** Reads everybody's configurations, to know which revisions are served; writes its own only, to keep their caBundle right. */
function webhookRules({ inject, tlsSecret }: InstallOptions): readonly Rule[] {
  const resourceNames = [krisprConfigurationName, ...inject.map(({ name }) => injectConfigurationName(name))];
  return [
    { ...configurationRules, verbs: follow },
    ...(tlsSecret === undefined ? [{ ...configurationRules, resourceNames, verbs: ['patch'] }] : []),
  ];
}

const configurationRules = {
  apiGroups: ['admissionregistration.k8s.io'],
  resources: ['mutatingwebhookconfigurations'],
};

/** The oldest kubelet decides whether sidecars may be native. */
const nodesRole: Role = { need: 'nodes', rules: [{ apiGroups: [''], resources: ['nodes'], verbs: follow }] };

/** What Istio's own injector reads of them for a pod's proxy. */
const proxyConfigsRole: Role = {
  need: 'proxy-configs',
  rules: [{ apiGroups: ['networking.istio.io'], resources: ['proxyconfigs'], verbs: follow }],
};

function injectorRole(revisions: readonly string[]): Role {
  const resourceNames = revisions.flatMap((name) =>
    name === 'default' ? ['istio-sidecar-injector', 'istio'] : [`istio-sidecar-injector-${name}`, `istio-${name}`],
  );
  return {
    namespace: 'istio-system',
    need: 'templates',
    rules: [{ apiGroups: [''], resources: ['configmaps'], resourceNames, verbs: follow }],
  };
}

/** rollouts.yml and its neighbours. */
function configRole(namespace: string): Role {
  const rules = [{ apiGroups: [''], resources: ['configmaps'], resourceNames: [configName], verbs: follow }];
  return { namespace, need: 'config', rules };
}

/** `create` cannot be limited by name. */
const leaseRules: readonly Rule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], resourceNames: [leaseName], verbs: ['get', 'update'] },
];

/** When owners of kinds that nobody watches were first seen. */
const sightRules: readonly Rule[] = [
  { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
  { apiGroups: [''], resources: ['configmaps'], resourceNames: [sightsName], verbs: [...follow, 'patch'] },
];

const certificateRules: readonly Rule[] = [
  { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
  { apiGroups: [''], resources: ['secrets'], resourceNames: [caSecretName], verbs: ['get', 'update'] },
  ...leaseRules,
];

function roleObject({ namespace, need, rules }: Role): KubeObject {
  return { ...rbac(namespace === undefined ? 'ClusterRole' : 'Role', namespace, need), rules };
}

function binding({ namespace, need }: Role, accountNamespace: string): KubeObject {
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  return {
    ...rbac(`${kind}Binding`, namespace, need),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: `${appName}-${need}` },
    subjects: [{ kind: 'ServiceAccount', name: appName, namespace: accountNamespace }],
  };
}

function rbac(kind: string, namespace: string | undefined, need: string): KubeObject {
  const place = namespace === undefined ? {} : { namespace };
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: { name: `${appName}-${need}`, ...place, labels: ownLabels },
  };
}
