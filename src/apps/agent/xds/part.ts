// The xDS proxy as a part of the agent: what of the plan it needs.
import { textAt } from '../../../core/std/json.ts';
import type { Host } from '../../../ports/host.ts';
import type { Log } from '../log.ts';
import type { Plan } from '../plan.ts';
import { startWasm } from '../wasm/part.ts';
import { type OwnTypes, serveXdsProxy, type XdsProxy } from './xds.ts';

interface XdsContext {
  readonly plan: Plan;
  readonly host: Host;
  readonly log: Log;
}

export type StartedXds =
  | { readonly kind: 'running'; readonly proxy: XdsProxy; readonly end: () => void }
  | { readonly kind: 'failed'; readonly problem: string };

/** `own`: the types of resources that parts of the agent want, and who takes them. */
export async function startXds(context: XdsContext, own: OwnTypes): Promise<StartedXds> {
  const { plan, host, log } = context;
  const { settings, config, env } = plan;
  const socketPath = `${config.configPath}/XDS`;
  const upstream = {
    ...settings,
    discoveryAddress: config.discoveryAddress,
    controlPlaneAuthPolicy: textAt(config.raw, 'controlPlaneAuthPolicy'),
    proxyMetadata: config.proxyMetadata,
  };
  const wasm = startWasm(context);
  try {
    const proxy = await serveXdsProxy({ host, log, socketPath, upstream, env, own, convert: wasm?.convert });
    const end = (): void => [proxy, wasm].forEach((part) => part?.end());
    return { kind: 'running', proxy, end };
  } catch (error) {
    wasm?.end();
    return { kind: 'failed', problem: `the socket ${socketPath}: ${String(error)}` };
  }
}
