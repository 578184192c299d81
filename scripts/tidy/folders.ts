// Each folder is a house: a short README with a Touch line, and no grab-bag of a file in it.
import { dirname } from 'node:path';
import type { Check, Finding, SourceFile } from './files.ts';

const grabBag = /(?:^|[/-])(?:utils?|helpers?|common|misc|types|manager|stuff)\.(?:ts|mjs)$/;
const withoutReadme =
  /^(?:\.|\.ci|\.github.*)$|^test\/golden(?:\/|$)|(?:^|\/)testdata(?:\/|$)|^examples\/.+|^test\/rig\/mod\/.+|^test\/lives$|^deploy\/.+\/templates$/;
const touch = /^Touch: (?:open|contract|generated|frozen)\b.+/m;
const longest = 25;

/** README.md of at most 25 lines with a Touch line in each folder; file names that say what is inside. */
export const checkFolders: Check = (files) => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const folders = new Set(files.map((file) => dirname(file.path)).filter((folder) => !withoutReadme.test(folder)));
  const readmes = [...folders].sort().flatMap((folder) => readmeFindings(folder, byPath.get(`${folder}/README.md`)));
  const names = files
    .filter((file) => grabBag.test(file.path))
    .map(({ path }) => ({ path, line: 1, rule: 'name', what: 'name the file after what it exports' }));
  return [...readmes, ...names];
};

function readmeFindings(folder: string, readme: SourceFile | undefined): Finding[] {
  const at = { path: `${folder}/README.md`, line: 1, rule: 'readme' };
  if (readme === undefined)
    return [{ ...at, what: 'missing: what the folder owns, its door, who uses it, its invariants, a Touch line' }];
  const found: Finding[] = [];
  if (!touch.test(readme.text)) found.push({ ...at, what: 'no line "Touch: open|contract|generated|frozen — …"' });
  const lines = readme.text.trimEnd().split('\n').length;
  if (lines > longest) found.push({ ...at, what: `${lines} lines, the limit is ${longest}` });
  return found;
}
