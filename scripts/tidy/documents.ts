// Documents: one title each, no heading level skipped, and links that lead somewhere.
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { type Check, type Finding, lineOf, type SourceFile } from './files.ts';

/** Findings about titles and relative links of every Markdown file. */
export const checkDocuments: Check = (files) => {
  const documents = files.filter(({ path }) => path.endsWith('.md') && !path.startsWith('test/golden/'));
  return documents.flatMap((document) => [...titleFindings(document), ...linkFindings(document)]);
};

function titleFindings({ path, text }: SourceFile): Finding[] {
  const titles = withoutCode(text).match(/^# .+$/gm)?.length ?? 0;
  return titles === 1 ? [] : [{ path, line: 1, rule: 'title', what: `${titles} titles; a document has one` }];
}

function linkFindings({ path, text }: SourceFile): Finding[] {
  const prose = withoutCode(text);
  const links = Array.from(prose.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g));
  return links
    .filter(([, target = '']) => !/^[a-z]+:/.test(target))
    .filter(([, target = '']) => !existsSync(normalize(join(dirname(path), target))))
    .map((link) => ({ path, line: lineOf(prose, link.index), rule: 'link', what: `leads nowhere: ${link[1]}` }));
}

/** Code blocks and spans blanked, line breaks kept. */
function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```|`[^`\n]*`/gm, (found) => found.replace(/[^\n]/g, ' '));
}
