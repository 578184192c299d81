// The types of a pod. Read from the generated text at first use.
import { type Field, knownType, parseTypes, type Type, type Types } from '../../gotypes/index.ts';
import { podSchemaText } from './pod-schema.ts';

let pod: Types | undefined;

/** A type of a pod: PodSpec, Container, ObjectMeta, … */
export function podType(name: string): Type {
  pod ??= parseTypes(podSchemaText);
  return knownType(pod, name);
}

/** The type of a whole pod, as far as injection sees it. */
export function wholePod(): Type {
  return whole;
}

const metadata: Field = {
  name: 'metadata',
  goName: 'ObjectMeta',
  kind: { of: 'struct', type: podType('ObjectMeta'), pointer: false },
  always: true,
  strategies: [],
  mergeKey: undefined,
};
const spec: Field = {
  ...metadata,
  name: 'spec',
  goName: 'Spec',
  kind: { of: 'struct', type: podType('PodSpec'), pointer: false },
};
const whole: Type = {
  name: 'Pod',
  fields: new Map([
    ['metadata', metadata],
    ['spec', spec],
  ]),
  byGoName: new Map([
    ['ObjectMeta', metadata],
    ['Spec', spec],
  ]),
  required: [metadata, spec],
};
