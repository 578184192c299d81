// Which formats of metrics are asked for and told, where several parts become one text. Envoy's part stands before the application's and is not
// parsed, so it must be the plain one; protobuf can never be merged. Source: Istio's pilot/cmd/pilot-agent/status/server.go.

const openMetrics = 'application/openmetrics-text';
const plain = 'text/plain; version=0.0.4; charset=utf-8';

export type MetricsPart = 'envoy' | 'application';

const allowed: Readonly<Record<MetricsPart, readonly string[]>> = {
  envoy: ['text/*', 'text/plain'],
  application: ['text/*', 'text/plain', openMetrics],
};

interface MediaType {
  readonly name: string;
  readonly parameters: readonly string[];
}

/** The scraper's Accept, less what cannot be merged; in its order, with weights that say so. */
export function acceptFor(header: string | undefined, part: MetricsPart): string {
  const asked = (header ?? '').split(',').map(mediaType);
  if (asked.includes(undefined)) return 'text/plain;version=0.0.4';
  const kept = new Map<string, MediaType>();
  for (const type of asked) {
    const usable = type === undefined ? undefined : withoutWildcard(type, part);
    if (usable !== undefined) kept.set([usable.name, ...usable.parameters].join(';'), usable);
  }
  if (kept.size === 0) return 'text/plain;version=0.0.4';
  return [...kept.values()]
    .map(({ name, parameters }, i) => [name, ...parameters, `q=0.${kept.size - i}`].join('; '))
    .join(',');
}

function withoutWildcard(type: MediaType, part: MetricsPart): MediaType | undefined {
  if (type.name === '*/*' || type.name === '*') return { name: 'text/plain', parameters: ['version=0.0.4'] };
  const { name, parameters } =
    type.name === 'application/*' ? { name: openMetrics, parameters: ['version=0.0.1'] } : type;
  return allowed[part].includes(name) ? { name, parameters } : undefined;
}

/** Undefined: no media type. The weight is not kept. */
function mediaType(text: string): MediaType | undefined {
  const [name = '', ...parameters] = text.split(';').map((word) => word.trim());
  const isGood =
    /^[\w!#$&^.+*-]+(?:\/[\w!#$&^.+*-]+)?$/.test(name) && parameters.every((each) => /^[\w-]+=\S+$/.test(each));
  return isGood
    ? { name: name.toLowerCase(), parameters: parameters.filter((each) => !each.toLowerCase().startsWith('q=')) }
    : undefined;
}

/** What an answer of this type is told as: one of three formats that scrapers know. */
export function metricsFormat(contentType: string | undefined): string {
  const type = mediaType(contentType ?? '');
  if (type?.name !== openMetrics) return plain;
  const version = /^version="?([^"]*)"?$/.exec(type.parameters.find((each) => each.startsWith('version=')) ?? '')?.[1];
  if (version === '1.0.0') return `${openMetrics}; version=1.0.0; charset=utf-8`;
  return version === undefined || version === '0.0.1' ? `${openMetrics}; version=0.0.1; charset=utf-8` : plain;
}

/** Of several: theirs where they agree, else the plain one. */
export function commonFormat(contentTypes: readonly (string | undefined)[]): string {
  const [first = plain, ...rest] = contentTypes.map(metricsFormat);
  return rest.every((format) => format === first) ? first : plain;
}

export function isOpenMetrics(format: string): boolean {
  return format.startsWith(openMetrics);
}
