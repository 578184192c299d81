// Where Envoy sends spans and counters that a bootstrap configures: the tracer of ProxyConfig, the metrics service, statsd.
import type { JsonObject } from '../std/json.ts';
import type { BootstrapParameters } from './parameters.ts';
import { extension, givenAddress } from './pieces.ts';
import type { Tracer } from './services.ts';

/** The part `tracing`, or nothing. */
export function tracing({ services: { tracer }, cluster }: BootstrapParameters): JsonObject {
  return tracer === undefined ? {} : { tracing: { http: http(tracer, cluster) } };
}

function http(tracer: Tracer, service: string): JsonObject {
  switch (tracer.kind) {
    case 'zipkin':
      return extension('envoy.tracers.zipkin', 'envoy.config.trace.v3.ZipkinConfig', {
        collector_cluster: 'zipkin',
        collector_endpoint: '/api/v2/spans',
        collector_endpoint_version: 'HTTP_JSON',
        trace_id_128bit: true,
        shared_span_context: false,
      });
    case 'lightstep':
      return extension('envoy.tracers.lightstep', 'envoy.config.trace.v3.LightstepConfig', {
        collector_cluster: 'lightstep',
        access_token_file: tracer.tokenFile,
      });
    case 'datadog':
      return extension('envoy.tracers.datadog', 'envoy.config.trace.v3.DatadogConfig', {
        collector_cluster: 'datadog_agent',
        service_name: service,
      });
  }
}

/** The part `stats_sinks`, or nothing. */
export function statsSinks({ services: { metrics, statsd } }: BootstrapParameters): JsonObject {
  const service = extension('envoy.stat_sinks.metrics_service', 'envoy.config.metrics.v3.MetricsServiceConfig', {
    transport_api_version: 'V3',
    grpc_service: { envoy_grpc: { cluster_name: 'envoy_metrics_service' } },
  });
  const sinks = [
    ...(metrics === undefined ? [] : [service]),
    ...(statsd === undefined
      ? []
      : [
          extension('envoy.stat_sinks.statsd', 'envoy.config.metrics.v3.StatsdSink', { address: givenAddress(statsd) }),
        ]),
  ];
  return sinks.length === 0 ? {} : { stats_sinks: sinks };
}
