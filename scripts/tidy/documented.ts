// What a user meets has a place in docs/: each command, each problem code, each metric.
import { type Check, type Finding, lineOf, type SourceFile } from './files.ts';

interface Kind {
  readonly rule: string;
  readonly where: RegExp;
  readonly names: RegExp;
  readonly place: string;
}

const kinds: readonly Kind[] = [
  { rule: 'command', where: /^src\/cli\/run\.ts$/, names: /\bname: '([a-z-]+)'/g, place: 'docs/reference/commands.md' },
  {
    rule: 'code',
    where: /^src\/.*(?<!\.test)\.ts$/,
    names: /\bcode: '([a-z][a-z0-9-]+)'/g,
    place: 'docs/reference/problems.md',
  },
  {
    rule: 'metric',
    where: /^src\/.*(?<!\.test)\.ts$/,
    names: /\bname: '(fairway_[a-z0-9_]+)'/g,
    place: 'docs/reference/metrics.md',
  },
];

/** Names in the sources that their page of docs/reference does not hold between backticks. */
export const checkDocumented: Check = (files) => kinds.flatMap((kind) => kindFindings(kind, files));

function kindFindings(kind: Kind, files: readonly SourceFile[]): Finding[] {
  const page = files.find(({ path }) => path === kind.place)?.text ?? '';
  const missing = new Map<string, Finding>();
  for (const { path, text } of files.filter((file) => kind.where.test(file.path))) {
    for (const match of text.matchAll(kind.names)) {
      const name = match[1] ?? '';
      if (page.includes(`\`${name}\``) || page.includes(`\`fairway ${name}\``)) continue;
      missing.set(name, {
        path,
        line: lineOf(text, match.index),
        rule: kind.rule,
        what: `\`${name}\` is not in ${kind.place}`,
      });
    }
  }
  return [...missing.values()];
}
