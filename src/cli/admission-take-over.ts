// `fairway admission take-over` and `give-back`: istiod's own injector of a revision off, and on again.
import { connect } from '../adapters/kube/connect.ts';
import { giveBack, injectConfigurationName, type Switch, takeOver } from '../core/install/index.ts';
import { TransientError, UsageError } from '../core/std/errors.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Io } from './io.ts';

export interface TakeOverFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

interface Configuration {
  readonly metadata: { readonly name: string };
  readonly webhooks?: readonly { readonly clientConfig: { readonly caBundle?: string } }[];
}

const collection = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';

/** Refuses to switch istiod's injector off before Fairway's can be called: pods would start without a sidecar. */
export async function switchInjector(
  what: 'take-over' | 'give-back',
  revision: string,
  flags: TakeOverFlags,
  io: Io,
): Promise<void> {
  const { kubeconfig, context } = flags;
  const cluster = await connect({ kubeconfig, context, nowMs: io.nowMs, log: () => {} });
  try {
    if (what === 'take-over') await requireOwn(cluster, revision);
    const found = await istiodsOf(cluster, revision);
    for (const configuration of found)
      await change(
        cluster,
        configuration,
        what === 'take-over' ? takeOver(configuration) : giveBack(configuration),
        io,
      );
  } finally {
    cluster.close();
  }
}

async function requireOwn(cluster: Cluster, revision: string): Promise<void> {
  const name = injectConfigurationName(revision);
  const { status, body } = await cluster.send({ method: 'GET', path: `${collection}/${name}` });
  if (status !== 200 && status !== 404)
    throw new TransientError(`reading ${name}: HTTP ${status}`, {
      hint: 'the account needs the rights to get, list and patch webhook configurations',
    });
  const webhooks = status === 200 ? ((body as Configuration).webhooks ?? []) : [];
  if (webhooks.length > 0 && webhooks.every(({ clientConfig }) => (clientConfig.caBundle ?? '') !== '')) return;
  throw new UsageError(`${name} cannot be called yet, so pods of ${revision} would start without a sidecar`, {
    hint: `install it first: fairway admission manifests --inject ${revision}`,
  });
}

/** Istiod's own, not those of tags, which lead to a revision by other labels. */
async function istiodsOf(cluster: Cluster, revision: string): Promise<readonly Configuration[]> {
  const selector = encodeURIComponent(`istio.io/rev=${revision},!istio.io/tag`);
  const { status, body } = await cluster.send({ method: 'GET', path: `${collection}?labelSelector=${selector}` });
  if (status !== 200) throw new TransientError(`listing webhook configurations: HTTP ${status}`);
  const found = (body as { items: readonly Configuration[] }).items;
  if (found.length === 0)
    throw new UsageError(`no configuration of istiod serves revision ${revision}`, {
      hint: 'kubectl get mutatingwebhookconfigurations -L istio.io/rev lists them',
    });
  return found;
}

async function change(cluster: Cluster, { metadata }: Configuration, wanted: Switch, io: Io): Promise<void> {
  if (wanted.kind === 'nothing') return void io.stdout.write(`${metadata.name}: nothing to do\n`);
  const answer = await cluster.send({
    method: 'PATCH',
    path: `${collection}/${metadata.name}`,
    body: wanted.patch,
    contentType: 'application/json-patch+json',
  });
  if (answer.status !== 200)
    throw new TransientError(`changing ${metadata.name}: HTTP ${answer.status}`, {
      hint: 'somebody else may have changed it: try again',
    });
  io.stdout.write(`${metadata.name}: changed\n`);
}
