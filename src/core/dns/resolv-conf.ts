// resolv.conf(5) as Istio's agent reads it: which servers are asked for what is not in the table, and the search domains of the pod.

export interface ResolvConf {
  readonly servers: readonly string[];
  /** The last of `search` and `domain` holds. */
  readonly search: readonly string[];
}

export function parseResolvConf(text: string): ResolvConf {
  const servers: string[] = [];
  let search: readonly string[] = [];
  for (const line of text.split('\n')) {
    const [keyword, ...words] = line.split(/\s+/).filter((word) => word !== '');
    if (keyword === 'nameserver') servers.push(...words.slice(0, 1));
    else if (keyword === 'domain') search = words.slice(0, 1);
    else if (keyword === 'search') search = words;
  }
  return { servers, search };
}
