// The Envoy that a plan asks for: its command line, environment and user, how it ends, and where its administration listens.
import { type OwnListeners, proxyPolicy } from '../../core/proxy/index.ts';
import type { Host } from '../../ports/host.ts';
import type { Program } from '../../ports/processes.ts';
import type { Admin } from './admin.ts';
import { envoyArguments } from './envoy-arguments.ts';
import { fipsCiphers } from './grpc-tls.ts';
import { loopbackOf, type Plan } from './plan.ts';

export function adminOf(plan: Plan): Admin {
  return { host: loopbackOf(plan), port: plan.config.adminPort };
}

export function policyOf({
  role,
  settings,
  config,
  appPorts,
  appFiles,
  exitOnZero,
}: Plan): ReturnType<typeof proxyPolicy> {
  return proxyPolicy({
    role: role === 'sidecar' ? 'sidecar' : 'router',
    compat: settings.compat,
    without: settings.without,
    exitOnZero,
    terminationDrainMs: config.terminationDrainMs,
    minimumDrainMs: settings.minimumDrainMs,
    deadlineMs: settings.drainDeadlineMs === 'none' ? undefined : settings.drainDeadlineMs,
    waitForApp: settings.waitForApp,
    appPorts,
    appFiles,
    bootstrap: config.customConfigFile === '' ? 'own' : 'custom',
  });
}

export function programOf({ settings, config, bootstrap, addresses }: Plan, host: Host): Program {
  const override = settings.bootstrapOverride === '' ? undefined : host.files.read(settings.bootstrapOverride);
  const isDns53 = host.processes.isRoot && settings.dnsProxyAddress.endsWith(':53');
  return {
    path: config.binaryPath,
    args: envoyArguments({ settings, config, bootstrapPath: bootstrap.path, addresses, override }),
    env: settings.compliancePolicy === '' ? {} : { GRPC_SSL_CIPHER_SUITES: fipsCiphers },
    user: isDns53 ? { uid: 1337, gid: 1337 } : undefined,
  };
}

/** The listeners that the agent itself uses: what they count is no work. */
export function ownListenersOf(plan: Plan): OwnListeners {
  const { settings } = plan;
  return {
    ports: [
      settings.envoyStatusPort,
      settings.envoyPrometheusPort,
      settings.envoySecureMetricsPort,
      settings.envoySecureMergedMetricsPort,
    ],
    by: policyOf(plan).has['listeners-by-address'] ? 'address' : 'name',
  };
}
