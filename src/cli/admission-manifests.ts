// Prints what `fairway admission manifests` was asked for: reads the files of the configuration, checks them, and writes YAML.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readRules } from '../core/admission/index.ts';
import type { Fleet } from '../core/fleet/index.ts';
import {
  type InjectedRevision,
  type InstallOptions,
  installManifests,
  isInTheWay,
  leastPolicyMinor,
  resourceOf,
} from '../core/install/index.ts';
import { type Problem, SpecError, UsageError } from '../core/std/errors.ts';
import { isNamespaceName, namespaceRule } from '../core/std/object-name.ts';
import { revisionNameTrouble } from '../core/std/revision-name.ts';
import type { Io } from './io.ts';
import { missingRollouts, readRuleFiles } from './rule-files.ts';

export interface ManifestFlags {
  readonly mode: 'webhook' | 'policy';
  readonly image: string;
  readonly namespace: string;
  readonly replicas: number;
  readonly config: string;
  readonly cluster?: string;
  readonly inject: readonly string[];
  readonly defaultRevision?: string;
  readonly everyNamespace?: boolean;
  readonly tlsSecret?: string;
  readonly caFile?: string;
  readonly only: 'server' | 'webhooks' | 'all';
}

export async function printManifests(flags: ManifestFlags, io: Io): Promise<void> {
  const { yamlText } = await import('./yaml-text.ts');
  const { only } = flags;
  const objects = installManifests(await installOptions(flags, io.cwd)).filter(
    (object) => only === 'all' || isInTheWay(object) === (only === 'webhooks'),
  );
  io.stdout.write(objects.map(yamlText).join('---\n'));
}

async function installOptions(flags: ManifestFlags, cwd: string): Promise<InstallOptions> {
  const { mode, image, namespace, replicas, tlsSecret } = flags;
  refuseBadNames(flags);
  refuseShared(namespace);
  if (mode === 'policy') refuseServing(flags);
  if ((tlsSecret === undefined) !== (flags.caFile === undefined))
    throw new UsageError('--tls-secret and --ca-file belong together', {
      hint: 'give both, or none: then the server is its own authority',
    });
  const { kubernetesMinor, ...config } = await readConfig(resolve(cwd, flags.config), flags.cluster);
  if (mode === 'policy' && kubernetesMinor !== undefined && kubernetesMinor < leastPolicyMinor)
    throw new UsageError(
      `fairway.yml says Kubernetes 1.${kubernetesMinor}, and policies need 1.${leastPolicyMinor} or newer`,
      {
        hint: '--mode webhook serves older clusters',
      },
    );
  const caBundle = flags.caFile === undefined ? '' : readBytes(resolve(cwd, flags.caFile)).toString('base64');
  return { mode, namespace, image, replicas, caBundle, tlsSecret, inject: injected(flags), ...config };
}

/** What no API server would take, told here instead of object by object. */
function refuseBadNames({ image, namespace, inject }: ManifestFlags): void {
  if (!/^\S+$/.test(image)) throw new UsageError(`--image ${JSON.stringify(image)} is no image`);
  if (!isNamespaceName(namespace))
    throw new UsageError(`--namespace ${JSON.stringify(namespace)} is no name of a namespace`, { hint: namespaceRule });
  const troubles = inject.flatMap((name): Problem[] => {
    const trouble = revisionNameTrouble(name);
    return trouble === undefined ? [] : [{ severity: 'error', ...trouble }];
  });
  if (troubles.length > 0) throw new SpecError(troubles);
}

/** The namespace is among the objects: it gets labels of its own, and goes with what is deleted by the same manifests. */
function refuseShared(namespace: string): void {
  if (!/^(?:default|istio-system|kube-.*)$/.test(namespace)) return;
  throw new UsageError(`--namespace ${namespace} is not Fairway's alone`, {
    hint: 'name one that nothing else lives in: taking Fairway out deletes it',
  });
}

/** In policy mode nobody is called, so there is no certificate and no injector. */
function refuseServing({ inject, tlsSecret }: ManifestFlags): void {
  const hint = 'in policy mode the API server sets the label itself, and calls nobody';
  if (inject.length > 0) throw new UsageError('--mode policy and --inject exclude each other', { hint });
  if (tlsSecret !== undefined) throw new UsageError('--mode policy and --tls-secret exclude each other', { hint });
}

function injected({ inject, defaultRevision, everyNamespace }: ManifestFlags): readonly InjectedRevision[] {
  if (defaultRevision !== undefined && !inject.includes(defaultRevision))
    throw new UsageError(`--default-revision ${defaultRevision} is not among the revisions of --inject`);
  if (everyNamespace === true && defaultRevision === undefined)
    throw new UsageError('--every-namespace needs --default-revision');
  return inject.map((name) => ({
    name,
    isDefault: name === defaultRevision,
    everyNamespace: name === defaultRevision && everyNamespace === true,
  }));
}

/** What will be in the ConfigMap; refuses what the server would refuse. */
async function readConfig(
  folder: string,
  cluster: string | undefined,
): Promise<Pick<InstallOptions, 'files' | 'kinds' | 'cluster'> & Pick<Fleet, 'kubernetesMinor'>> {
  const files = await readRuleFiles(folder, cluster);
  const missing = missingRollouts(files, cluster);
  if (missing !== undefined)
    throw new UsageError(`${join(folder, missing)} does not exist`, {
      hint: '--config names the folder that holds it',
    });
  const rules = readRules(files, cluster);
  if (rules.kind === 'invalid') throw new SpecError(rules.problems);
  for (const name of Object.keys(files)) refuseNoKey(name);
  const kinds = rules.value.fleet.kinds.map(({ apiVersion, kind }) => ({
    group: apiVersion.split('/')[0] ?? '',
    resource: resourceOf(kind),
  }));
  const { kubernetesMinor } = rules.value.fleet;
  return { files, kinds, cluster, ...(kubernetesMinor === undefined ? {} : { kubernetesMinor }) };
}

/** A ConfigMap's keys (apimachinery, IsConfigMapKey). */
function refuseNoKey(name: string): void {
  if (/^[-._a-zA-Z0-9]{1,253}$/.test(name) && !name.startsWith('..')) return;
  throw new UsageError(`${name} cannot be a key of a ConfigMap`, { hint: 'put it beside fairway.yml' });
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new UsageError(`cannot read ${path}`, { cause });
  }
}
