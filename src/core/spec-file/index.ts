// The door of spec-file: YAML specification files as trees with places.
export { issueProblems, plainValue } from './located.ts';
export { describe, isNull, type MapEntry, type MapNode, type ScalarNode, type SpecNode, shortened } from './node.ts';
export { type Named, type Parsed, parsed, problemAt, type Trouble } from './parsed.ts';
export { readSpecFile } from './read.ts';
