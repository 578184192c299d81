// `fairway admission take-over` and `give-back`: istiod's own injector of a revision off, and on again.
import { connect } from '../adapters/kube/connect.ts';
import { type Configuration, injectorsOf, uncovered } from '../core/injectors/index.ts';
import { giveBack, injectConfigurationName, type Switch, takeOver } from '../core/install/index.ts';
import { TransientError, UsageError } from '../core/std/errors.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Io } from './io.ts';

const collection = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';

export interface TakeOverFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Refuses to switch istiod's injector off where nobody stands in for it: pods would start without a sidecar. */
export async function switchInjector(
  what: 'take-over' | 'give-back',
  revision: string,
  flags: TakeOverFlags,
  io: Io,
): Promise<void> {
  const { kubeconfig, context } = flags;
  const cluster = await connect({ kubeconfig, context, nowMs: io.nowMs, log: () => {} });
  try {
    const all = await configurations(cluster);
    const istiods = all.filter((each) => isIstiods(each, revision));
    if (istiods.length === 0) throw noIstiod(revision);
    if (what === 'take-over') {
      requireOwn(all, istiods, revision);
      await requireAnswer(cluster, revision);
    }
    for (const configuration of istiods)
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

async function configurations(cluster: Cluster): Promise<readonly Configuration[]> {
  const { status, body } = await cluster.send({ method: 'GET', path: collection });
  if (status === 200) return (body as { items: readonly Configuration[] }).items;
  throw new TransientError(`listing webhook configurations: HTTP ${status}`, {
    hint: 'the account needs the rights to list and patch them',
  });
}

/** Istiod's own, not those of tags, which lead to a revision by other labels. */
function isIstiods({ metadata: { labels = {} } }: Configuration, revision: string): boolean {
  return labels['istio.io/rev'] === revision && labels['istio.io/tag'] === undefined;
}

function noIstiod(revision: string): UsageError {
  return new UsageError(`no configuration of istiod serves revision ${revision}`, {
    hint: 'kubectl get mutatingwebhookconfigurations -L istio.io/rev lists them',
  });
}

/** Fairway's has to be there, to be trusted by API servers, and to take every pod that istiod's takes. */
function requireOwn(all: readonly Configuration[], istiods: readonly Configuration[], revision: string): void {
  const name = injectConfigurationName(revision);
  const webhooks = all.find(({ metadata }) => metadata.name === name)?.webhooks ?? [];
  const isTrusted = ({ clientConfig }: (typeof webhooks)[number]): boolean => (clientConfig?.caBundle ?? '') !== '';
  if (webhooks.length === 0 || !webhooks.every(isTrusted))
    throw new UsageError(`${name} cannot be called yet, so pods of ${revision} would start without a sidecar`, {
      hint: `install it first: fairway admission manifests --inject ${revision}`,
    });
  const others = all.filter((each) => !istiods.includes(each));
  const left = uncovered(injectorsOf(istiods), injectorsOf(others));
  if (left === undefined) return;
  throw new UsageError(`${name} does not stand in for all of istiod's: nobody would inject ${left}`, {
    hint: `install it with --default-revision ${revision}, and with --every-namespace where istiod injects pods that nothing asks for`,
  });
}

/** A dry-run pod finds out: API servers may trust a server that is not there, where its roots were given by hand. Who may make no pods learns nothing. */
async function requireAnswer(cluster: Cluster, revision: string): Promise<void> {
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'fairway-take-over-', labels: { 'istio.io/rev': revision } },
    spec: { containers: [{ name: 'probe', image: 'fairway.invalid/take-over:0' }] },
  };
  const answer = await cluster.send({ method: 'POST', path: '/api/v1/namespaces/default/pods?dryRun=All', body });
  const { message = '' } = (answer.body ?? {}) as { readonly message?: string };
  if (!/failed calling webhook "[^"]*inject\.fairway\.dev"/.test(message)) return;
  throw new UsageError(
    `${injectConfigurationName(revision)} does not answer, so no pod of ${revision} could start: ${message}`,
    {
      hint: 'wait until the server is ready: kubectl -n fairway-system rollout status deployment/fairway-admission',
    },
  );
}

async function change(cluster: Cluster, { metadata }: Configuration, wanted: Switch, io: Io): Promise<void> {
  if (wanted.kind === 'nothing') return void io.stdout.write(`${metadata.name}: nothing to do\n`);
  if (wanted.kind === 'lost')
    throw new UsageError(`${metadata.name}: what selected pods for ${wanted.webhook} is not kept in it`, {
      hint: "delete the configuration, and install istiod's chart again",
    });
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
