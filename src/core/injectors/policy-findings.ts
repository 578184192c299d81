// Krispr as a policy of the API server: what that mode does not do, and whether its parts are there and say what rollouts.yml says.
import type { Problem } from '../std/errors.ts';

export interface PolicyFacts {
  readonly name: string;
  readonly isBound: boolean;
  readonly hasWebhook: boolean;
  readonly tables: number;
  /** Where the rules and the injectors give a namespace another entry than it has, or one and it has none. */
  readonly stale: readonly {
    readonly namespace: string;
    readonly has: string | undefined;
    readonly wanted: string | undefined;
  }[];
  /** fairway.yml switches the shutdown guard on. */
  readonly wantsGuard: boolean;
}

export function policyFindings(facts: PolicyFacts): readonly Problem[] {
  return [noAge(facts), ...noGuard(facts), ...incomplete(facts), ...besideWebhook(facts), ...stale(facts)];
}

function noAge({ name: path }: PolicyFacts): Problem {
  const message =
    'Krispr is a policy of the API server: it has no age rule, so every new pod follows rollouts.yml at once, an owner who deploys an old build does not go back, and nobody is warned; a namespace without an entry keeps its labels';
  const hint = 'install the webhook where age has to count: fairway admission manifests --mode webhook';
  return { code: 'policy-no-age', severity: 'warning', path, message, hint };
}

function noGuard({ name: path, wantsGuard }: PolicyFacts): readonly Problem[] {
  if (!wantsGuard) return [];
  const message = 'fairway.yml switches the shutdown guard on, and a policy adds none';
  return [
    { code: 'policy-no-guard', severity: 'warning', path, message, hint: 'run fairway mutate in CI, which does' },
  ];
}

function incomplete({ name: path, isBound, tables }: PolicyFacts): readonly Problem[] {
  const missing = [...(isBound ? [] : ['its binding']), ...(tables > 0 ? [] : ['its tables'])];
  if (missing.length === 0) return [];
  const message = `the policy does nothing without ${missing.join(' and ')}`;
  const hint = 'apply its manifests again, and look at the log of fairway-admission';
  return [{ code: 'policy-incomplete', severity: 'error', path, message, hint }];
}

function besideWebhook({ name: path, hasWebhook }: PolicyFacts): readonly Problem[] {
  if (!hasWebhook) return [];
  const message = "API servers run the policy before Krispr's webhook, so the webhook's age rule has no effect";
  return [{ code: 'policy-and-webhook', severity: 'warning', path, message, hint: 'delete one of the two' }];
}

function stale({ name: path, stale: entries }: PolicyFacts): readonly Problem[] {
  const [first] = entries;
  if (first === undefined) return [];
  const { namespace, has = 'no entry', wanted = 'none' } = first;
  const message = `the tables of ${entries.length} namespaces are not what rules and cluster give: ${namespace} has ${has}, and should have ${wanted}`;
  const hint = 'look at the log of fairway-admission; it may follow other files than --config names';
  return [{ code: 'policy-stale', severity: 'error', path, message, hint }];
}
