// Envoy's runtime: flags that Istio's configuration relies on, those that ProxyConfig sets over them, and the limit of connections.
import { type JsonObject, objectAt, put, textsAt } from '../std/json.ts';

export interface RuntimeSources {
  /** ProxyConfig. */
  readonly config: JsonObject;
  readonly compliancePolicy: string;
  readonly stripFragment: boolean;
}

/** Envoy takes truth as truth only; ProxyConfig has texts. An empty text takes a flag away. */
export function runtimeFlags({ config, compliancePolicy, stripFragment }: RuntimeSources): JsonObject {
  const flags: JsonObject = {
    're2.max_program_size.error_level': '32768',
    'envoy.deprecated_features:envoy.config.listener.v3.Listener.hidden_envoy_deprecated_use_original_dst': true,
    'envoy.reloadable_features.http_reject_path_with_fragment': false,
    'envoy.reloadable_features.fixed_heap_use_allocated': true,
    // Batches of endpoint updates were lost: issue 45212 of Envoy.
    'envoy.reloadable_features.coalesce_lb_rebuilds_on_batch_update': false,
  };
  if (compliancePolicy === 'fips-140-2') flags['envoy.reloadable_features.google_grpc_disable_tls_13'] = true;
  // The flag's name says the opposite of what it does; Istio's setting has kept it so.
  if (!stripFragment) flags['envoy.reloadable_features.http_strip_fragment_from_path_unsafe_if_disabled'] = 'false';
  for (const [name, value] of Object.entries(textsAt(config, 'runtimeValues'))) {
    if (value === '') delete flags[name];
    else put(flags, name, value === 'true' ? true : value === 'false' ? false : value);
  }
  return flags;
}

const noLimit = 2 ** 31 - 1;

/** Connections that all listeners together accept; the first of four places that tells a number. */
export function connectionLimit(config: JsonObject): number {
  const limit = objectAt(config, 'connectionSettings')['globalDownstreamConnectionLimit'];
  const texts = [
    textsAt(config, 'proxyMetadata')['ISTIO_META_GLOBAL_DOWNSTREAM_MAX_CONNECTIONS'],
    textsAt(config, 'runtimeValues')['overload.global_downstream_max_connections'],
  ];
  const given = texts.find((text) => text !== undefined && /^[-+]?\d+$/.test(text));
  return typeof limit === 'number' ? limit : given === undefined ? noLimit : Number(given);
}
