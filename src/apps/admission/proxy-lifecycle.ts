// What fairway.yml says of proxies' lives, for the Kubernetes that the cluster is: it decides whether hooks may sleep without a command.
import type { ReadRules } from '../../core/admission/index.ts';
import type { ProxyLifecycle } from '../../core/inject/index.ts';

interface Sources {
  readonly rules: () => Pick<ReadRules, 'fleet'> | undefined;
  /** Of the API server; undefined while it is not known. */
  readonly minor: () => number | undefined;
}

/** The same value as long as both are the same. The API server itself is believed before `kubernetes` of fairway.yml. */
export function proxyLifecycle({ rules, minor }: Sources): () => ProxyLifecycle {
  let from: readonly unknown[] = [];
  let lifecycle: ProxyLifecycle = {};
  return () => {
    const [read, asked] = [rules(), minor()];
    if (read !== from[0] || asked !== from[1]) lifecycle = lifecycleOf(read, asked);
    from = [read, asked];
    return lifecycle;
  };
}

function lifecycleOf(rules: ReturnType<Sources['rules']>, minor: number | undefined): ProxyLifecycle {
  const { lifecycle, kubernetesMinor: said } = rules?.fleet ?? {};
  const kubernetesMinor = minor ?? said;
  return {
    ...(lifecycle as ProxyLifecycle | undefined),
    ...(kubernetesMinor === undefined ? {} : { kubernetesMinor }),
  };
}
