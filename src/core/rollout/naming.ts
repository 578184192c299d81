// What a name in rollouts.yml may be, and what was probably meant: revisions are DNS-1123 labels that no YAML reader takes for
// something else; a pattern is a regular expression, and `job*` was probably meant as a glob.
import type { Fleet } from '../fleet/index.ts';
import type { Trouble } from '../spec-file/index.ts';
import { closest } from '../std/closest.ts';

const revisionName = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const notNames = new Set(['y', 'n', 'yes', 'no', 'on', 'off', 'true', 'false', 'null']);
const rule = 'a revision is named by lower-case letters, digits and dashes, at most 63, as in 1-25-2';

/** Why a text names no revision, or none that the fleet file lists. */
export function revisionTrouble(text: string, fleet: Fleet | undefined): Trouble | undefined {
  const name = JSON.stringify(text);
  if (notNames.has(text.toLowerCase()))
    return { code: 'revision-invalid', message: `${name} is no revision: YAML reads it as something else`, hint: rule };
  if (!revisionName.test(text))
    return {
      code: 'revision-invalid',
      message: `${name} is no revision${oddSign(text)}`,
      hint: `${meant(text)}${rule}`,
    };
  const known = fleet?.revisions;
  if (known === undefined || known.has(text)) return undefined;
  const near = closest(text, known.keys());
  const hint =
    near === undefined
      ? 'add it to `revisions` of fairway.yml'
      : `did you mean ${near}? Otherwise add it to \`revisions\` of fairway.yml`;
  return { code: 'revision-unknown', message: `fairway.yml lists no revision ${name}`, hint };
}

/** `1.25.2`, `1_25_2`, `v1-25-2` with a dash from a web page: what it is with plain dashes and lower case. */
function meant(text: string): string {
  const plain = text.toLowerCase().replace(/[._\p{Pd}]/gu, '-');
  return revisionName.test(plain) ? `did you mean ${plain}? ` : '';
}

/** Dashes and blanks that were copied from a web page look right and are not. */
function oddSign(text: string): string {
  const odd = Array.from(text).find((char) => !/[a-zA-Z0-9._-]/.test(char));
  if (odd === undefined) return '';
  const code = (odd.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `: it holds U+${code}${/\p{Pd}/u.test(odd) ? ', a dash that is not "-"' : ''}`;
}

/** `job*` and `team-?`: a quantifier after a plain letter or dash, in a pattern that is otherwise plain. */
export function globTrouble(text: string): Trouble | undefined {
  if (!/^[a-z0-9*?-]+$/.test(text) || !/[*?]/.test(text)) return undefined;
  const expression = text.replaceAll('*', '.*').replaceAll('?', '.');
  const message = `${JSON.stringify(text)} looks like a glob, but it is a regular expression`;
  return { code: 'pattern-glob', severity: 'warning', message, hint: `did you mean ${expression}?` };
}
