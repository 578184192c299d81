// Wasm modules as a part of the agent: what of the plan they need.
import type { Host } from '../../../ports/host.ts';
import type { Log } from '../log.ts';
import type { Plan } from '../plan.ts';
import type { Convert } from '../xds/relay.ts';
import { extensionConverter } from './convert.ts';
import { keepModules } from './modules.ts';

interface Context {
  readonly plan: Plan;
  readonly host: Host;
  readonly log: Log;
}

/** Undefined: extensions pass as they are. */
export function startWasm({
  plan,
  host,
  log,
}: Context): { readonly convert: Convert; readonly end: () => void } | undefined {
  const { settings } = plan;
  if (!settings.wasmConversion) return undefined;
  const insecure = settings.wasmInsecureRegistries.split(',').map((name) => name.trim());
  const modules = keepModules({
    host,
    folder: settings.wasmFolder,
    expiryMs: settings.wasmExpiryMs,
    purgeMs: settings.wasmPurgeMs,
    downloads: {
      host,
      insecure: (name) => insecure.includes('*') || insecure.includes(name),
      requestTimeoutMs: settings.wasmRequestTimeoutMs,
      attempts: settings.wasmAttempts,
      maxBytes: settings.wasmMaxBytes,
    },
  });
  return { convert: extensionConverter(modules, log), end: modules.end };
}
