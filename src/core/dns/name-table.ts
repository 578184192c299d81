// The control plane's message (istio.networking.nds.v1.NameTable, pkg/dns/proto/nds.proto in Istio), and the same as JSON for people.
import { readMessage } from '../wire/index.ts';
import { addressBytes } from './address.ts';
import { type NamedHost, type NameTable, namesOf, type Place } from './table.ts';

/** Undefined: the bytes are no such message. */
export function readNameTable(bytes: Uint8Array): NameTable | undefined {
  const table = new Map<string, NamedHost>();
  for (const entry of readMessage(bytes)?.all(1) ?? [undefined]) {
    const pair = entry === undefined ? undefined : readMessage(entry);
    const info = pair?.message(2);
    if (pair === undefined || info === undefined) return undefined;
    table.set(pair.text(1), {
      addresses: info.texts(1),
      registry: info.text(2),
      shortName: info.text(3),
      namespace: info.text(4),
      otherNames: info.texts(5),
    });
  }
  return table;
}

/** The table with every short form as an entry of its own, as `/debug/ndsz` of Istio's agent shows it. */
export function nameTableJson(table: NameTable, place: Place): string {
  const entries = [...table];
  const shown = new Map(entries.map(([host, named]) => [host, jsonOf(named)] as const));
  for (const [host, named] of entries) {
    const ips = familiesInTurn(named.addresses);
    if (ips.length === 0) continue;
    for (const name of namesOf(host, named, place))
      if (!shown.has(name)) shown.set(name, { ips, registry: 'Kubernetes' });
  }
  return JSON.stringify({ table: Object.fromEntries(shown) });
}

function jsonOf({ addresses, registry, shortName, namespace, otherNames }: NamedHost): object {
  return {
    ...(addresses.length === 0 ? {} : { ips: addresses }),
    ...(registry === '' ? {} : { registry }),
    ...(shortName === '' ? {} : { shortname: shortName }),
    ...(namespace === '' ? {} : { namespace }),
    ...(otherNames.length === 0 ? {} : { altHosts: otherNames }),
  };
}

function familiesInTurn(addresses: readonly string[]): readonly string[] {
  const lengthOf = (address: string): number | undefined => addressBytes(address)?.length;
  return [...addresses.filter((each) => lengthOf(each) === 4), ...addresses.filter((each) => lengthOf(each) === 16)];
}
