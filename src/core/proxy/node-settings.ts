// What flags and the machine add to ProxyConfig before anybody reads it: istiod sees the result in the node's metadata.
import type { Problem } from '../std/errors.ts';
import type { JsonObject } from '../std/json.ts';
import type { ProxyConfig } from './proxy-config.ts';

export interface NodeSettings {
  /** `--concurrency`; 0: not given. Wins over ProxyConfig. */
  readonly concurrency: number;
  /** ISTIO_CPU_LIMIT; 0: unknown. Only where ProxyConfig says nothing. */
  readonly cpuLimit: number;
  /** Where ProxyConfig gives an empty name. */
  readonly serviceCluster: string;
  /** `--templateFile`; a given bootstrap wins. */
  readonly templateFile: string;
  /** The address that statsd's name was resolved to; empty: it was not. */
  readonly statsdAddress: string;
}

/** ProxyConfig with what only the node knows. */
export function withNodeSettings(config: ProxyConfig, settings: NodeSettings): ProxyConfig {
  const { raw } = config;
  const limit = settings.cpuLimit > 0 ? settings.cpuLimit : undefined;
  const concurrency = settings.concurrency > 0 ? settings.concurrency : (config.concurrency ?? limit);
  const isUnnamed = (raw['serviceCluster'] ?? '') === '' && raw['tracingServiceName'] === undefined;
  const templatePath =
    config.customConfigFile === '' ? settings.templateFile || config.templatePath : config.templatePath;
  const { statsdUdpAddress: _, ...rest } = raw;
  const changed: JsonObject = {
    ...rest,
    ...(settings.statsdAddress === '' ? {} : { statsdUdpAddress: settings.statsdAddress }),
    ...(isUnnamed && settings.serviceCluster !== '' ? { serviceCluster: settings.serviceCluster } : {}),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(templatePath === '' ? {} : { proxyBootstrapTemplatePath: templatePath }),
  };
  return { ...config, concurrency, templatePath, raw: changed };
}

/** What an Envoy cannot start without. */
export function missingIn({ configPath, binaryPath, discoveryAddress }: ProxyConfig): readonly Problem[] {
  const needed = { configPath, binaryPath, discoveryAddress };
  return Object.entries(needed)
    .filter(([, value]) => value === '')
    .map(([path]) => ({ code: 'proxy-config-invalid', severity: 'error', path, message: 'must not be empty' }));
}
