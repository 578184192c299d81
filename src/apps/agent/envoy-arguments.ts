// The command line that Envoy is started with (istio/istio pkg/envoy/proxy.go).
import type { ProxyConfig } from '../../core/proxy/index.ts';
import type { ProxySettings } from './settings.ts';

interface Given {
  readonly settings: ProxySettings;
  readonly config: ProxyConfig;
  readonly bootstrapPath: string;
  /** The proxy's own addresses. */
  readonly addresses: readonly string[];
  /** Content of the override file. */
  readonly override: string | undefined;
}

/** Arguments in the order of Istio's agent. */
export function envoyArguments({ settings, config, bootstrapPath, addresses, override }: Given): string[] {
  const { level, components } = logLevels(settings.proxyLogLevel, settings.proxyComponentLogLevel);
  const v6 = addresses.length > 0 && addresses.every((address) => address.includes(':'));
  const workers = config.concurrency ?? 0;
  return [
    '-c',
    bootstrapPath,
    '--drain-time-s',
    String(Math.trunc(config.drainMs / 1000)),
    '--drain-strategy',
    'immediate',
    '--local-address-ip-version',
    v6 ? 'v6' : 'v4',
    '--file-flush-interval-msec',
    String(config.fileFlushIntervalMs ?? 1000),
    '--disable-hot-restart',
    '--allow-unknown-static-fields',
    ...(config.fileFlushMinSizeKb === undefined ? [] : ['--file-flush-min-size-kb', String(config.fileFlushMinSizeKb)]),
    ...(level === '' ? [] : ['-l', level]),
    ...(components === '' ? [] : ['--component-log-level', components]),
    ...(settings.skipDeprecatedLogs ? ['--skip-deprecated-logs'] : []),
    ...(settings.enableCoreDump ? ['--enable-core-dump'] : []),
    ...(override === undefined ? [] : ['--config-yaml', withHostIp(override, settings.hostIp)]),
    ...(workers > 0 ? ['--concurrency', String(workers)] : []),
  ];
}

/** `warning,misc:error` holds both levels; the old flag of its own comes after. */
function logLevels(both: string, legacy: string): { readonly level: string; readonly components: string } {
  const words = both.split(',').filter((word) => word !== '');
  const components = [...words.filter((word) => word.includes(':')), ...(legacy === '' ? [] : [legacy])];
  return { level: words.find((word) => !word.includes(':')) ?? '', components: components.join(',') };
}

function withHostIp(text: string, hostIp: string): string {
  return text.replaceAll('$(HOST_IP)', hostIp.includes(':') ? `[${hostIp}]` : hostIp);
}
