// The door: Kubernetes' and Istio's Go types as tables, their JSON as Go writes it, their face in Go templates.
export { encode } from './encode.ts';
export { messageStruct, podStruct } from './struct.ts';
export { type Field, type Kind, knownType, parseTypes, type Scalar, type Type, type Types } from './table.ts';
