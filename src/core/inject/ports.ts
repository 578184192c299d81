// Lists of ports as annotations and values write them.

/** The list with a port, unless it has it; an empty port or 0 adds nothing. */
export function excludeInboundPort(port: string, list: string): string {
  const added = port.trim();
  if (added === '' || added === '0') return list;
  const ports = list.split(',');
  if (ports.includes(added)) return list;
  return [...ports.map((each) => each.trim()).filter((each) => each !== ''), added].join(',');
}
