// What a revision may be called: a DNS-1123 label that no YAML reader takes for something else (docs/reference/rollouts.md). Here and not with
// rollouts.yml, because --revision is checked where no pattern and no file is read.
import { dnsLabel } from './object-name.ts';

const notNames = new Set(['y', 'n', 'yes', 'no', 'on', 'off', 'true', 'false', 'null']);
const rule = 'a revision is named by lower-case letters, digits and dashes, at most 63, as in 1-25-2';

/** Why a text is no name of a revision, or undefined. */
export function revisionNameTrouble(
  text: string,
): { readonly code: string; readonly message: string; readonly hint: string } | undefined {
  const name = JSON.stringify(text);
  if (notNames.has(text.toLowerCase()))
    return { code: 'revision-invalid', message: `${name} is no revision: YAML reads it as something else`, hint: rule };
  if (!dnsLabel.test(text))
    return {
      code: 'revision-invalid',
      message: `${name} is no revision${oddSign(text)}`,
      hint: `${meant(text)}${rule}`,
    };
  return undefined;
}

/** `1.25.2`, `1_25_2`, `v1-25-2` with a dash from a web page: what it is with plain dashes and lower case. */
function meant(text: string): string {
  const plain = text.toLowerCase().replace(/[._\p{Pd}]/gu, '-');
  return dnsLabel.test(plain) ? `did you mean ${plain}? ` : '';
}

/** Dashes and blanks that were copied from a web page look right and are not. */
function oddSign(text: string): string {
  const odd = Array.from(text).find((char) => !/[a-zA-Z0-9._-]/.test(char));
  if (odd === undefined) return '';
  const code = (odd.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `: it holds U+${code}${/\p{Pd}/u.test(odd) ? ', a dash that is not "-"' : ''}`;
}
