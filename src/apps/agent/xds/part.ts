// The xDS proxy as a part of the agent: what of the plan it needs.
import { textAt } from '../../../core/std/json.ts';
import type { Host } from '../../../ports/host.ts';
import type { Log } from '../log.ts';
import type { Plan } from '../plan.ts';
import { type OwnTypes, serveXdsProxy, type XdsProxy } from './xds.ts';

interface XdsContext {
  readonly plan: Plan;
  readonly host: Host;
  readonly log: Log;
}

export type StartedXds =
  | { readonly kind: 'running'; readonly proxy: XdsProxy }
  | { readonly kind: 'failed'; readonly problem: string };

/** `own`: the types of resources that parts of the agent want, and who takes them. */
export async function startXds({ plan, host, log }: XdsContext, own: OwnTypes): Promise<StartedXds> {
  const { settings, config, env } = plan;
  const socketPath = `${config.configPath}/XDS`;
  const upstream = {
    ...settings,
    discoveryAddress: config.discoveryAddress,
    controlPlaneAuthPolicy: textAt(config.raw, 'controlPlaneAuthPolicy') ?? '',
    proxyMetadata: config.proxyMetadata,
  };
  try {
    const proxy = await serveXdsProxy({ host, log, socketPath, upstream, env, own, convert: undefined });
    return { kind: 'running', proxy };
  } catch (error) {
    return { kind: 'failed', problem: `the socket ${socketPath}: ${String(error)}` };
  }
}
