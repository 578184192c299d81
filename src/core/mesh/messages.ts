// The messages of Istio's mesh configuration. Read from the generated text at first use.
import { knownType, parseTypes, type Type, type Types } from '../gotypes/index.ts';
import { meshSchemaText } from './mesh-schema.ts';

let mesh: Types | undefined;

/** A message of the mesh configuration: MeshConfig, ProxyConfig, … */
export function meshType(name: string): Type {
  mesh ??= parseTypes(meshSchemaText);
  return knownType(mesh, name);
}
