// Environment of the proxy from the webhook's URL: `/inject/cluster/east/net/n1`, with which one control plane serves other clusters.

const known: Readonly<Record<string, string>> = { cluster: 'ISTIO_META_CLUSTER_ID', net: 'ISTIO_META_NETWORK' };

/** The pairs behind the first segment of a path; a key without a value is dropped. */
export function proxyEnvOfPath(path: string): Readonly<Record<string, string>> {
  const rest = /^[^/]*\/[^/]*\/(.*)$/s.exec(path.replace(/\/$/, ''))?.[1];
  if (rest === undefined) return {};
  const parts = rest.startsWith(':ENV:')
    ? legacyParts(rest)
    : rest.split('/').map((part, i) => (i % 2 === 0 ? part : part.replaceAll('--slash--', '/')));
  const env: Record<string, string> = {};
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const key = parts[i] ?? '';
    const name = known[key] ?? key.toUpperCase();
    if (name !== '') env[name] = parts[i + 1] ?? '';
  }
  return env;
}

/** `:ENV:a=b:ENV:c=d` */
function legacyParts(rest: string): readonly string[] {
  return rest
    .split(':ENV:')
    .slice(1)
    .flatMap((pair) => {
      const equals = pair.indexOf('=');
      return equals > 0 ? [pair.slice(0, equals), pair.slice(equals + 1)] : [];
    });
}
