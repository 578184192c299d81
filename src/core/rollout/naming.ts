// What a name in rollouts.yml may be, and what was probably meant: revisions are DNS-1123 labels that no YAML reader takes for
// something else; a pattern is a regular expression, and `job*` was probably meant as a glob.
import type { Fleet } from '../fleet/index.ts';
import type { Trouble } from '../spec-file/index.ts';
import { closest } from '../std/closest.ts';
import { revisionNameTrouble } from '../std/revision-name.ts';

/** Why a text names no revision, or none that the fleet file lists. */
export function revisionTrouble(text: string, fleet: Fleet | undefined): Trouble | undefined {
  const trouble = revisionNameTrouble(text);
  if (trouble !== undefined) return trouble;
  const name = JSON.stringify(text);
  const known = fleet?.revisions;
  if (known === undefined || known.has(text)) return undefined;
  const near = closest(text, known.keys());
  const hint =
    near === undefined
      ? 'add it to `revisions` of fairway.yml'
      : `did you mean ${near}? Otherwise add it to \`revisions\` of fairway.yml`;
  return { code: 'revision-unknown', message: `fairway.yml lists no revision ${name}`, hint };
}

/** `job*` and `team-?`: a quantifier after a plain letter or dash, in a pattern that is otherwise plain. */
export function globTrouble(text: string): Trouble | undefined {
  if (!/^[a-z0-9*?-]+$/.test(text) || !/[*?]/.test(text)) return undefined;
  const expression = text.replaceAll('*', '.*').replaceAll('?', '.');
  const message = `${JSON.stringify(text)} looks like a glob, but it is a regular expression`;
  return { code: 'pattern-glob', severity: 'warning', message, hint: `did you mean ${expression}?` };
}
