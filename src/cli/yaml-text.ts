// Values as YAML. A module of its own because the package is large and seldom wanted: whoever wants it imports this file when he does. (Imported
// by its name at that moment, a bundled CommonJS package has no named exports.)
import { stringify } from 'yaml';

/** One document, long lines whole, shared values written out. */
export function yamlText(value: unknown): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}
