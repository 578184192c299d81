// A container's environment: envFrom first, then env in order, each value seeing those before it. A value that cannot be had is a
// problem in the kubelet's words, unless it is optional.
import { expandReferences } from './expand.ts';
import type { ContainerSetup, EnvVar } from './shape.ts';
import {
  type Content,
  fieldValue,
  findObject,
  type Lookup,
  type Resources,
  resourceValue,
  type Sources,
} from './sources.ts';

export type Environment = ReadonlyMap<string, string>;

/** `undefined` inside a found value: nothing to set (an optional source that is not there). */
export function environmentOf(setup: ContainerSetup & Resourced, sources: Sources): Lookup<Environment> {
  const values = new Map<string, string>();
  for (const source of setup.envFrom) {
    const all = allKeys(source, sources);
    if (!all.found) return all;
    for (const [key, value] of all.value) values.set(`${source.prefix ?? ''}${key}`, value);
  }
  for (const variable of setup.env) {
    const value = valueOf(variable, { values, sources, resources: setup.resources ?? {} });
    if (!value.found) return value;
    if (value.value !== undefined) values.set(variable.name, value.value);
  }
  return { found: true, value: values };
}

interface Resourced {
  readonly resources?: Resources | undefined;
}

interface Scope {
  readonly values: Environment;
  readonly sources: Sources;
  readonly resources: Resources;
}

function allKeys(source: ContainerSetup['envFrom'][number], sources: Sources): Lookup<readonly [string, string][]> {
  const kind = source.configMapRef === undefined ? 'Secret' : 'ConfigMap';
  const ref = source.configMapRef ?? source.secretRef;
  if (ref === undefined) return { found: true, value: [] };
  const object = findObject(sources, kind, ref.name);
  if (!object.found) return ref.optional === true ? { found: true, value: [] } : object;
  return {
    found: true,
    value: Object.entries(object.value.data).flatMap(([key, value]) =>
      typeof value === 'string' ? [[key, value]] : [],
    ),
  };
}

function valueOf(variable: EnvVar, scope: Scope): Lookup<string | undefined> {
  const { valueFrom } = variable;
  if (variable.value !== undefined && variable.value !== '') {
    return { found: true, value: expandReferences(variable.value, (name) => scope.values.get(name)) };
  }
  const { facts } = scope.sources;
  if (valueFrom?.fieldRef !== undefined) return fieldValue(facts, valueFrom.fieldRef.fieldPath);
  if (valueFrom?.resourceFieldRef !== undefined)
    return resourceValue(facts, scope.resources, valueFrom.resourceFieldRef);
  if (valueFrom?.configMapKeyRef !== undefined) return keyValue('ConfigMap', valueFrom.configMapKeyRef, scope.sources);
  if (valueFrom?.secretKeyRef !== undefined) return keyValue('Secret', valueFrom.secretKeyRef, scope.sources);
  return { found: true, value: '' };
}

interface KeyRef {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean | undefined;
}

function keyValue(kind: 'ConfigMap' | 'Secret', ref: KeyRef, sources: Sources): Lookup<string | undefined> {
  const object = findObject(sources, kind, ref.name);
  const absent: Lookup<undefined> = { found: true, value: undefined };
  if (!object.found) return ref.optional === true ? absent : object;
  const value: Content | undefined = object.value.data[ref.key];
  if (typeof value === 'string') return { found: true, value };
  if (ref.optional === true) return absent;
  return { found: false, message: `couldn't find key ${ref.key} in ${kind} ${sources.facts.namespace}/${ref.name}` };
}
