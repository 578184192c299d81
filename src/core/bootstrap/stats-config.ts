// How Envoy's counters are tagged and which of them exist, as configuration. Tags are the names that Istio's dashboards and alerts read.
import type { JsonObject } from '../std/json.ts';
import type { BootstrapParameters } from './parameters.ts';

const host = '(?:[_.[:digit:]]*|[_\\[\\]aAbBcCdDeEfF[:digit:]]*)';

/** A tag's name and the expression that takes it out of a counter's name; the first one that fits is taken. */
const before: readonly (readonly [name: string, regex: string])[] = [
  ['cluster_name', '^cluster(\\.(.+);)'],
  ['http_conn_manager_prefix', '^http\\.(((?:[_.[:digit:]\\w]*|[_\\[\\]aAbBcCdDeEfF[:digit:]\\w\\:]*));\\.)'],
  ['thread_name', '^server(\\.(.+))\\.watchdog'],
  ['tcp_prefix', '^tcp\\.((.*?)\\.)\\w+?$'],
  ['response_code', '_rq(_(\\d{3}))$'],
  ['response_code_class', '_rq(_(\\dxx))$'],
  ['http_conn_manager_listener_prefix', `^listener(?=\\.).*?\\.http\\.((${host})\\.)`],
  ['listener_address', `^listener\\.((${host})\\.)`],
  ['mongo_prefix', '^mongo\\.(.+?)\\.(collection|cmd|cx_|op_|delays_|decoding_)(.*?)$'],
];
const after: typeof before = [
  ['cache', '(cache\\.(.+?)\\.)'],
  ['component', '(component\\.(.+?)\\.)'],
  ['tag', '(tag\\.(.+?);\\.)'],
  ['wasm_filter', '(wasm_filter\\.(.+?)\\.)'],
  ['authz_enforce_result', 'rbac(\\.(allowed|denied))'],
  ['authz_dry_run_action', '(\\.istio_dry_run_(allow|deny)_)'],
  ['authz_dry_run_result', '(\\.shadow_(allowed|denied))'],
];

/** The part `stats_config` of a bootstrap. */
export function statsConfig({ stats, metadataDiscovery }: BootstrapParameters): JsonObject {
  const extra = stats.extraTags.map((tag) => [tag, `(${tag}=\\.=(.*?);\\.;)`] as const);
  const tags = [...before, ...extra, ...after].map(([tag, regex]) => ({ tag_name: tag, regex }));
  const buckets = stats.buckets.map((bucket) => ({ match: { prefix: bucket.prefix }, buckets: [...bucket.buckets] }));
  return {
    use_all_default_tags: false,
    stats_tags: tags,
    ...(buckets.length === 0 ? {} : { histogram_bucket_settings: buckets }),
    stats_matcher: {
      inclusion_list: {
        patterns: [
          { prefix: 'reporter=' },
          ...(metadataDiscovery ? [{ prefix: 'workload_discovery' }] : []),
          ...stats.prefixes.map((prefix) => ({ prefix })),
          ...stats.suffixes.map((suffix) => ({ suffix })),
          ...stats.regexps.map((regex) => ({ safe_regex: { regex } })),
          { prefix: 'component' },
          { prefix: 'istio' },
        ],
      },
    },
  };
}
