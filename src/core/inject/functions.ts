// The functions that Istio's injector adds to sprig's (istio/istio pkg/kube/inject/template.go is what they agree with).

import {
  GoFunction,
  type GoMap,
  GoStruct,
  goJson,
  goYaml,
  parseJson,
  StringMap,
  sprig,
  sprintOne,
  type Value,
} from '../gotemplate/index.ts';
import { trimmedProxyConfig } from '../mesh/index.ts';
import type { JsonObject } from '../std/json.ts';
import { formatGoDuration } from './duration.ts';
import { appendMultusNetwork } from './multus.ts';
import { otelResourceAttributes } from './otel.ts';
import { excludeInboundPort } from './ports.ts';

const proxyContainer = 'istio-proxy';

/** Everything an injection template may call. */
export const injectionFunctions: Readonly<Record<string, GoFunction>> = {
  ...sprig,
  formatDuration: new GoFunction(['any'], undefined, ([value]) => duration(value)),
  isset: new GoFunction(['strmap', 'string'], undefined, ([map, key]) =>
    Object.hasOwn((map as StringMap).entries, key as string),
  ),
  excludeInboundPort: new GoFunction(['any', 'string'], undefined, ([port, list]) =>
    excludeInboundPort(sprintOne(port), list as string),
  ),
  includeInboundPorts: new GoFunction(['list'], undefined, ([containers]) => portsOf(containers, () => true)),
  applicationPorts: new GoFunction(['list'], undefined, ([containers]) =>
    portsOf(containers, (name) => name !== proxyContainer),
  ),
  kubevirtInterfaces: new GoFunction(['string'], undefined, ([text]) => text),
  excludeInterfaces: new GoFunction(['string'], undefined, ([text]) => text),
  annotation: new GoFunction(['struct', 'string', 'any'], undefined, ([meta, name, fallback]) =>
    annotation(meta, name as string, fallback),
  ),
  valueOrDefault: new GoFunction(['any', 'any'], undefined, ([value, fallback]) =>
    value === '' || value === null ? fallback : value,
  ),
  toJSON: new GoFunction(['strmap'], undefined, ([map]) => goJson(map) ?? '{}'),
  fromJSON: new GoFunction(['string'], undefined, ([text]) => {
    const parsed = parseJson(text as string);
    return parsed === undefined ? '{}' : parsed.value;
  }),
  structToJSON: new GoFunction(['any'], undefined, ([value]) => (value === null ? '{}' : (goJson(value) ?? '{}'))),
  protoToJSON: new GoFunction(['struct'], undefined, ([message]) => protoToJson(message as GoStruct)),
  toYaml: new GoFunction(['any'], undefined, ([value]) => yamlOf(value)),
  indent: new GoFunction(['int', 'string'], undefined, ([spaces, text]) => indent(Number(spaces), text as string)),
  directory: new GoFunction(['string'], undefined, ([path]) =>
    (path as string).slice(0, (path as string).lastIndexOf('/') + 1),
  ),
  contains: new GoFunction(['string', 'string'], undefined, ([part, text]) =>
    (text as string).includes(part as string),
  ),
  toLower: new GoFunction(['string'], undefined, ([text]) => (text as string).toLowerCase()),
  appendMultusNetwork: new GoFunction(['string', 'string'], undefined, ([list, network]) =>
    appendMultusNetwork(list as string, network as string),
  ),
  // The environment of whoever renders is no input of a pod.
  env: new GoFunction(['string', 'string'], undefined, ([, fallback]) => fallback),
  omit: new GoFunction(['strmap'], 'string', ([map, ...keys]) => omit(map as StringMap, keys)),
  strdict: new GoFunction([], 'string', strdict),
  toJsonMap: new GoFunction([], 'strmap', (maps) => goJson(mergeMaps(maps)) ?? ''),
  mergeMaps: new GoFunction([], 'strmap', mergeMaps),
  omitNil: new GoFunction(['any'], undefined, ([value]) => omitNil(value)),
  otelResourceAttributes: new GoFunction(
    ['struct', 'strmap', 'strmap', 'string', 'list'],
    undefined,
    otelResourceAttributes,
  ),
};

function duration(value: Value): string {
  const text = value instanceof GoStruct ? value.data?.['value'] : undefined;
  return formatGoDuration(typeof text === 'string' ? text : '0s');
}

const remembered = new WeakMap<object, string>();

/** YAML of a value; that of a frozen one, which is a part of the values, is remembered. */
function yamlOf(value: Value): string {
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return goYaml(value) ?? '';
  const text = remembered.get(value) ?? goYaml(value) ?? '';
  remembered.set(value, text);
  return text;
}

/** Ports of the containers, without UDP and SCTP. */
function portsOf(containers: Value, wanted: (name: unknown) => boolean): string {
  const ports: unknown[] = [];
  for (const container of containers as readonly GoStruct[]) {
    const data = (container.data ?? {}) as JsonObject;
    if (!wanted(data['name'])) continue;
    for (const port of (data['ports'] ?? []) as JsonObject[]) {
      if (port['protocol'] !== 'UDP' && port['protocol'] !== 'SCTP') ports.push(port['containerPort']);
    }
  }
  return ports.join(',');
}

function annotation(meta: Value, name: string, fallback: Value): string {
  const annotations = ((meta as GoStruct).data?.['annotations'] ?? {}) as Record<string, string>;
  return Object.hasOwn(annotations, name) ? (annotations[name] ?? '') : sprintOne(fallback);
}

function protoToJson(message: GoStruct): string {
  if (message.data === null) return '{}';
  const data = message.data as JsonObject;
  const isProxyConfig = message.type.name.endsWith('.ProxyConfig');
  return JSON.stringify(isProxyConfig ? trimmedProxyConfig(data) : data);
}

/** Indents every line but the first: the template has indented that. */
function indent(spaces: number, text: string): string {
  return text.replaceAll('\n', `\n${' '.repeat(Math.max(0, spaces))}`);
}

function omit(map: StringMap, keys: readonly Value[]): Value {
  return new StringMap(Object.fromEntries(Object.entries(map.entries).filter(([key]) => !keys.includes(key))));
}

function strdict(values: readonly Value[]): Value {
  const entries: Record<string, string> = {};
  for (let i = 0; i < values.length; i += 2) entries[values[i] as string] = (values[i + 1] ?? '') as string;
  return new StringMap(entries);
}

function mergeMaps(maps: readonly Value[]): Value {
  return new StringMap(Object.assign({}, ...maps.map((map) => (map as StringMap).entries)) as Record<string, string>);
}

/** The value without nulls and without what they leave empty. */
function omitNil(value: Value): Value {
  if (Array.isArray(value)) {
    if (!value.some(changes)) return value;
    const items = (value as readonly Value[]).map(omitNil).filter((item) => item !== null);
    return items.length === 0 ? null : items;
  }
  if (!isPlainMap(value)) return value;
  if (!Object.values(value).some(changes)) return value;
  const kept = Object.entries(value).map(([key, inner]) => [key, omitNil(inner)] as const);
  const present = kept.filter(([, inner]) => inner !== null);
  return present.length === 0 ? null : Object.fromEntries(present);
}

function changes(value: Value): boolean {
  return value === null || value === undefined || omitNil(value) !== value;
}

function isPlainMap(value: Value): value is GoMap {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof GoStruct) &&
    !(value instanceof StringMap)
  );
}
