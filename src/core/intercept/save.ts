// What iptables-save prints, as tables of chains of rules. Comments and counters are left out.

/** Rules in order, as they were printed, by table and chain. */
export type Saved = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

/** Parses the output of iptables-save; a line that is none of its kinds is left out. */
export function parseSaved(text: string): Saved {
  const tables = new Map<string, Map<string, string[]>>();
  let chains = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [, mark, name = '', rest = ''] = /^(\*|:|-A )(\S+)(?: (.*))?$/.exec(line.trim()) ?? [];
    if (mark === '*') {
      chains = new Map();
      tables.set(name, chains);
    } else if (mark === ':') chains.set(name, []);
    else if (mark !== undefined) chains.set(name, [...(chains.get(name) ?? []), rest]);
  }
  return tables;
}

export function isOwnChain(name: string): boolean {
  return name.startsWith('ISTIO_');
}
