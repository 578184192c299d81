// The route of the injectors, `/inject/REVISION`, with Istio's URL parameters behind it. Fails closed, unlike Krispr: a pod that cannot be
// read or injected is refused with a message, and a revision whose templates are not known is not served at all.
import { readReview } from '../../core/admission/index.ts';
import {
  type Compat,
  displayName,
  type InjectorConfig,
  injectReview,
  type ProxyConfigs,
  type ProxyLifecycle,
  proxyEnvOfPath,
} from '../../core/inject/index.ts';
import type { Log } from './log.ts';
import { reviewMemory } from './review-memory.ts';
import type { Reviewed } from './reviewed.ts';
import type { Route } from './routes.ts';

export interface InjectWorld {
  readonly injectorOf: (revision: string) => InjectorConfig | undefined;
  /** Whether every node can run sidecars as init containers. */
  readonly native: () => boolean;
  readonly proxyConfigs: () => ProxyConfigs;
  readonly compat: Compat;
  /** The same value as long as the rules are the same. */
  readonly lifecycle: () => ProxyLifecycle;
  readonly log: Log;
}

/** The API's own objects nest some twenty levels deep. */
const deepest = 256;

export function injectRoute(world: InjectWorld): Route {
  return {
    prefix: '/inject',
    label: '/inject',
    deepest,
    memory: reviewMemory(),
    reviewer: (rest) => {
      const [revision = ''] = rest.split('/');
      const config = world.injectorOf(revision);
      if (config === undefined) return undefined;
      const [native, lifecycle, proxyConfigs] = [world.native(), world.lifecycle(), world.proxyConfigs()];
      const proxyEnv = proxyEnvOfPath(`/inject${rest.slice(revision.length)}`);
      return {
        review: (body) => review(body, { ...world, config, revision, native, lifecycle, proxyConfigs, proxyEnv }),
        circumstances: [rest, config, native, lifecycle, proxyConfigs],
      };
    },
  };
}

interface Setting extends Pick<InjectWorld, 'compat' | 'log'> {
  readonly config: InjectorConfig;
  readonly revision: string;
  readonly native: boolean;
  readonly lifecycle: ProxyLifecycle;
  readonly proxyConfigs: ProxyConfigs;
  readonly proxyEnv: Readonly<Record<string, string>>;
}

function review(body: unknown, setting: Setting): Reviewed {
  const incoming = readReview(body);
  if (incoming.kind === 'malformed') return incoming;
  if (incoming.kind === 'pass') {
    const refused = incoming.because === 'object' ? { refused: 'the pod cannot be read' } : {};
    const answer = { uid: incoming.uid, patch: [], warnings: [], audit: {}, ...refused };
    return { kind: 'answered', answer, verdict: 'pass', because: incoming.because, dryRun: false };
  }
  const { uid, namespace, dryRun } = incoming.request;
  const object = incoming.request.pod;
  const { native, log, ...rest } = setting;
  const { revision } = rest;
  const result = injectReview({ object, namespace }, { ...rest, nativeSidecars: native });
  const fields = { pod: displayName(object, namespace), revision, dryRun };
  if (result.kind === 'refused') {
    const afterwards = (): void => log.warn({ ...fields, message: result.message }, 'pod refused');
    const answer = { uid, patch: [], warnings: [], audit: {}, refused: result.message };
    return { kind: 'answered', answer, verdict: 'refuse', because: 'error', dryRun, afterwards };
  }
  const because = result.kind === 'skipped' ? result.because : 'injected';
  const patch = result.kind === 'injected' ? result.patch : [];
  const afterwards = (): void => log.debug({ ...fields, because }, 'pod reviewed by the injector');
  const answer = { uid, patch, warnings: result.warnings, audit: { revision } };
  return {
    kind: 'answered',
    answer,
    verdict: result.kind === 'injected' ? 'inject' : 'skip',
    because,
    dryRun,
    afterwards,
  };
}
