// The house rules that no other tool checks. Prints each finding as `file:line: rule: what`, and fails when there is one.
import { readFileSync } from 'node:fs';
import { checkCore } from './tidy/core.ts';
import { checkDocumented } from './tidy/documented.ts';
import { checkDocuments } from './tidy/documents.ts';
import { type Finding, projectFiles, type SourceFile } from './tidy/files.ts';
import { checkFolders } from './tidy/folders.ts';
import { checkSizes } from './tidy/sizes.ts';
import { checkTests } from './tidy/tests.ts';

const files: readonly SourceFile[] = projectFiles().map((path) => ({ path, text: readFileSync(path, 'utf8') }));
const findings: readonly Finding[] = [
  checkFolders,
  checkCore,
  checkSizes,
  checkTests,
  checkDocuments,
  checkDocumented,
].flatMap((check) => check(files));
for (const { path, line, rule, what } of findings) process.stdout.write(`${path}:${line}: ${rule}: ${what}\n`);
process.exitCode = findings.length === 0 ? 0 : 1;
