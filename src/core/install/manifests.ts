// Everything that is installed, in the order in which it has to be applied: what others need first, the webhooks last, so that none
// is called before its server is there.
import { type InstallOptions, type KubeObject, ownLabels } from './options.ts';
import { admissionPolicy, policyBinding, tableDefinition } from './policy.ts';
import { rights } from './rights.ts';
import { injectConfiguration, krisprConfiguration } from './webhooks.ts';
import { serverObjects } from './workload.ts';

/** The objects of an installation. */
export function installManifests(options: InstallOptions): readonly KubeObject[] {
  if (options.mode === 'webhook')
    return [namespace(options), ...rights(options), ...serverObjects(options), ...webhookConfigurations(options)];
  const policy = [admissionPolicy(options), policyBinding()];
  return [namespace(options), tableDefinition(), ...rights(options), ...serverObjects(options), ...policy];
}

/** What puts Krispr and the injectors into the way of pods: applied last, deleted first. */
export function isInTheWay({ kind }: KubeObject): boolean {
  return admissionKinds.has(kind);
}

const admissionKinds: ReadonlySet<unknown> = new Set([
  'MutatingWebhookConfiguration',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
]);

/** The configurations alone: what the server keeps right. */
export function webhookConfigurations(options: InstallOptions): readonly KubeObject[] {
  return [krisprConfiguration(options), ...options.inject.map((revision) => injectConfiguration(options, revision))];
}

function namespace({ namespace: name }: InstallOptions): KubeObject {
  const secured = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { ...ownLabels, ...secured } } };
}
