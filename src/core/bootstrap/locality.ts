// Where a node is: region, zone and subzone from a label, in which `.` stands for `/` since Kubernetes allows none.

export interface Locality {
  readonly region?: string;
  readonly zone?: string;
  readonly sub_zone?: string;
}

/** The place that labels tell, with slashes; undefined where they tell none. */
export function localityLabel(labels: Readonly<Record<string, string>>): string | undefined {
  const label = labels['topology.istio.io/locality'] ?? labels['istio-locality'] ?? '';
  if (label === '') return undefined;
  return label.includes('/') ? label : label.replaceAll('.', '/');
}

/** The first three parts of a place; empty ones are left out. */
export function localityOf(place: string): Locality {
  const [region = '', zone = '', subZone = ''] = place.split('/');
  return {
    ...(region === '' ? {} : { region }),
    ...(zone === '' ? {} : { zone }),
    ...(subZone === '' ? {} : { sub_zone: subZone }),
  };
}
