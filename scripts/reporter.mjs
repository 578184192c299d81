// A test reporter for pipes: each failure as it comes, a line a file when files have a process each, and the counts. What is printed at
// once is still there when a run is ended from outside.
import { relative } from 'node:path';
import { inspect } from 'node:util';

/** What the summary tells anyway. Other diagnostics matter: an error after its test's end fails a run in which every test passed. */
const isCount = /^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) \d/;

export default async function* reporter(source) {
  const root = `${process.cwd()}/`;
  for await (const { type, data } of source) {
    if (type === 'test:fail' && data.details.error.failureType !== 'subtestsFailed') yield failure(root, data);
    if (type === 'test:diagnostic' && !isCount.test(data.message)) yield `ℹ ${data.message}\n`;
    if (type === 'test:summary') yield summary(root, data);
  }
}

function failure(root, { name, file, line, details: { error } }) {
  const place = file === undefined ? '' : ` (${relative(root, file)}:${line})`;
  return `\n✖ ${name}${place}\n${inspect(error.cause ?? error)}\n\n`;
}

function summary(root, { file, counts, duration_ms: ms }) {
  const { tests, passed, failed, cancelled, skipped } = counts;
  const bad =
    failed + cancelled + skipped === 0 ? '' : `, ${failed} failed, ${cancelled} cancelled, ${skipped} skipped`;
  const what = file === undefined ? `ℹ ${tests} tests` : `${relative(root, file)}: ${tests}`;
  return `${what}, ${passed} passed${bad} (${(ms / 1000).toFixed(1)} s)\n`;
}
