// Names as the API server checks them: ports and qualified names (of conditions, of scheduling gates).

import type { Problem } from '../../std/errors.ts';
import { isObjectName } from '../../std/object-name.ts';
import { invalid, required } from './field.ts';

/** A port by number (1–65535) or by the name of a container's port. */
export function portProblems(path: string, port: unknown): readonly Problem[] {
  if (port === undefined || port === null) return [required(path)];
  if (typeof port === 'number')
    return port < 1 || port > 65_535 ? [invalid(path, port, 'must be between 1 and 65535, inclusive')] : [];
  return typeof port === 'string' ? portNameProblems(path, port) : [];
}

function portNameProblems(path: string, name: string): readonly Problem[] {
  const rules: readonly (readonly [broken: boolean, detail: string])[] = [
    [name.length > 15, 'must be no more than 15 characters'],
    [!/^[-a-z0-9]*$/.test(name), 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)'],
    [!/[a-z]/.test(name), 'must contain at least one letter (a-z)'],
    [name.includes('--'), 'must not contain consecutive hyphens'],
    [name.startsWith('-') || name.endsWith('-'), 'must not begin or end with a hyphen'],
  ];
  return rules.filter(([broken]) => broken).map(([, detail]) => invalid(path, name, detail));
}

/** `name` or `dns.prefix/name`; name of at most 63 characters, prefix of at most 253. */
export function qualifiedNameProblems(path: string, value: string): readonly Problem[] {
  const slash = value.indexOf('/');
  const prefix = slash === -1 ? undefined : value.slice(0, slash);
  const name = value.slice(slash + 1);
  const label = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
  return [
    ...(label.test(name)
      ? []
      : [
          invalid(
            path,
            value,
            'name part must be 1 to 63 letters, digits, -, _ or ., with a letter or digit at both ends',
          ),
        ]),
    ...(prefix === undefined || isObjectName(prefix)
      ? []
      : [invalid(path, value, 'prefix part must be a DNS subdomain of at most 253 lower-case characters')]),
  ];
}
