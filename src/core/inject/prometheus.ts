// Merging of metrics: where the application's metrics are goes into the proxy's environment, and the annotations that Prometheus
// reads point at the agent (istio/istio pkg/kube/inject/webhook.go).

import { goText, type JsonObject, objectAt, objectsAt, parseObject, textAt } from '../std/json.ts';
import { parseGoBool } from './annotations.ts';
import { addEnv, findProxy } from './container.ts';
import { InjectError } from './error.ts';

interface Scrape {
  readonly scrape: string;
  readonly path: string;
  readonly port: string;
  readonly targets: readonly Target[];
}

interface Target {
  readonly port: string;
  readonly path: string;
}

const reserved: Readonly<Record<string, string>> = {
  '15000': 'Envoy admin',
  '15001': 'outbound traffic capture',
  '15004': 'pilot debug',
  '15006': 'inbound traffic capture',
  '15008': 'HBONE tunnel',
  '15020': 'pilot-agent status / merged Prometheus',
  '15021': 'Envoy health',
  '15053': 'DNS proxy',
  '15090': 'Envoy Prometheus (already merged)',
};

const agentPath = '/stats/prometheus';

/** Prometheus' label name of an annotation: every spelling of `prometheus.io/port` has the same. */
function labelName(key: string): string {
  return key.replace(/[^a-zA-Z0-9_]/g, '_');
}

const names = {
  path: 'prometheus_io_path',
  port: 'prometheus_io_port',
  scrape: 'prometheus_io_scrape',
  targets: 'prometheus_istio_io_scrape_targets',
} as const;

/** The port that an annotation asks to scrape. */
export function prometheusPort(annotations: JsonObject): string | undefined {
  return valueOf(annotations, names.port);
}

function valueOf(annotations: JsonObject, name: string): string | undefined {
  const key = Object.keys(annotations)
    .sort()
    .find((each) => labelName(each) === name);
  return key === undefined ? undefined : textAt(annotations, key);
}

/** Takes every spelling of Prometheus' annotations away. */
export function clearPrometheus(annotations: JsonObject): void {
  const known: readonly string[] = Object.values(names);
  for (const key of Object.keys(annotations)) if (known.includes(labelName(key))) delete annotations[key];
}

/** Points Prometheus at the agent. @throws InjectError for a port that no application can have there */
export function mergePrometheus(pod: JsonObject, mesh: JsonObject, statusPort: number): void {
  const annotations = objectAt(objectAt(pod, 'metadata'), 'annotations');
  if (!isScraped(annotations) || !isMerged(mesh, annotations)) return;
  // The port is already the agent's: the user's wish, or an earlier injection.
  if (prometheusPort(annotations) === String(statusPort)) return;
  const scrape = checkedScrape(readScrape(annotations), String(statusPort));
  const proxy = findProxy(pod);
  const { targets } = scrape;
  if (proxy !== undefined && (scrape.scrape !== '' || scrape.path !== '' || scrape.port !== '' || targets.length > 0)) {
    const written = {
      scrape: scrape.scrape,
      path: scrape.path,
      port: scrape.port,
      ...(targets.length > 0 ? { targets: targets.map((target) => ({ ...target })) } : {}),
    };
    addEnv(proxy, 'ISTIO_PROMETHEUS_ANNOTATIONS', goText(written));
  }
  clearPrometheus(annotations);
  annotations['prometheus.io/port'] = String(statusPort);
  annotations['prometheus.io/path'] = agentPath;
  annotations['prometheus.io/scrape'] = 'true';
}

function isScraped(annotations: JsonObject): boolean {
  const value = valueOf(annotations, names.scrape);
  return value === undefined || (parseGoBool(value) ?? true);
}

function isMerged(mesh: JsonObject, annotations: JsonObject): boolean {
  const wish = annotations['prometheus.istio.io/merge-metrics'];
  const wanted = typeof wish === 'string' ? parseGoBool(wish) : undefined;
  return wanted ?? mesh['enablePrometheusMerge'] !== false;
}

function readScrape(annotations: JsonObject): Scrape {
  return {
    scrape: valueOf(annotations, names.scrape) ?? '',
    path: valueOf(annotations, names.path) ?? '',
    port: valueOf(annotations, names.port) ?? '',
    targets: readTargets(valueOf(annotations, names.targets) ?? ''),
  };
}

/** `8080:/metrics,9100`; a list with an entry without a port is as if it were not there. */
function readTargets(text: string): readonly Target[] {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const targets = entries.map((entry) => {
    const colon = entry.indexOf(':');
    const [port, path] = colon < 0 ? [entry, ''] : [entry.slice(0, colon), entry.slice(colon + 1)];
    return { port: port.trim(), path: path.trim() === '' ? '/metrics' : path.trim() };
  });
  return targets.some(({ port }) => port === '') ? [] : targets;
}

function checkedScrape(scrape: Scrape, statusPort: string): Scrape {
  const [first] = scrape.targets;
  if (first === undefined) {
    if (scrape.port !== '') checkPort(scrape.port, statusPort, { what: 'scrape configuration', noun: 'port' });
    return scrape;
  }
  for (const { port } of scrape.targets) checkPort(port, statusPort, { what: 'scrape targets', noun: 'target port' });
  // For agents that know of one target only.
  return { ...scrape, port: first.port, path: first.path };
}

interface Wording {
  readonly what: string;
  readonly noun: string;
}

function checkPort(port: string, statusPort: string, { what, noun }: Wording): void {
  const number = /^[+-]?\d+$/.test(port) ? Number(port) : Number.NaN;
  const prefix = `invalid prometheus ${what}: `;
  if (!(number >= 1 && number <= 65535)) throw new InjectError(`${prefix}invalid ${noun} "${port}"`);
  if (String(number) === statusPort) throw new InjectError(`${prefix}${noun} ${port} conflicts with agent port`);
  const reason = reserved[String(number)];
  if (reason !== undefined)
    throw new InjectError(`${prefix}${noun} ${port} is reserved for Istio (${reason}) and cannot be scraped`);
}

/** Undoes `mergePrometheus` from the variable that it wrote. */
export function restorePrometheus(annotations: JsonObject, variable: string, statusPort: number): void {
  const ours = valueOf(annotations, names.path) === agentPath && valueOf(annotations, names.scrape) === 'true';
  if (!ours || prometheusPort(annotations) !== String(statusPort)) return;
  clearPrometheus(annotations);
  const scrape = parseObject(variable) ?? {};
  for (const key of ['scrape', 'path', 'port']) {
    const value = textAt(scrape, key) ?? '';
    if (value !== '') annotations[`prometheus.io/${key}`] = value;
  }
  const targets = objectsAt(scrape, 'targets').map(
    (each) => `${textAt(each, 'port') ?? ''}:${textAt(each, 'path') ?? ''}`,
  );
  if (targets.length > 0) annotations['prometheus.istio.io/scrape-targets'] = targets.join(',');
}

/** The annotation for mTLS metrics, where the proxy's environment opens a port for them and the user did not write it. */
export function addSecurePort(pod: JsonObject): void {
  const annotations = objectAt(objectAt(pod, 'metadata'), 'annotations');
  if (valueOf(annotations, 'prometheus_istio_io_secure_port') !== undefined) return;
  const env = objectsAt(findProxy(pod) ?? {}, 'env').find(
    (each) => each['name'] === 'ENVOY_SECURE_MERGED_METRICS_PORT',
  );
  const value = env?.['value'];
  if (typeof value === 'string' && value !== '' && value !== '0')
    annotations['prometheus.istio.io/secure-port'] = value;
}
