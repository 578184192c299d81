// `-n` of the commands that read manifests or ask a cluster. A name that no namespace can have would silently mean the default bucket.
import { InvalidArgumentError, Option } from 'commander';
import { isNamespaceName, namespaceRule } from '../core/std/object-name.ts';

export function namespaceOption(meaning: string): Option {
  return new Option('-n, --namespace <name>', meaning).argParser((text) => {
    if (!isNamespaceName(text)) throw new InvalidArgumentError(`A namespace has ${namespaceRule}.`);
    return text;
  });
}
